"""A bot brought to the decision of a capsule again: asked before at all earlier ones, with the same views."""

from dataclasses import dataclass, field

from arena.agent import StartInfo
from arena.agent.view import View
from arena.audit.capsule import AT_START, Capsule, Decision
from arena.engine.room import Game
from arena.errors import ConfigError, printable
from arena.match import Answer, Fault, HostTrouble, Seat
from arena.records import Clock, Ending


@dataclass
class Rerun:
    """What a bot did when it was put before a decision again."""

    asked: int = 0
    """How many earlier decisions the bot was asked for."""
    differing: list[tuple[int, str, str]] = field(default_factory=list)
    """The earlier decisions that it took differently: index in the log, action then, action now."""
    reached: bool = False
    """Whether the bot came to the decision; if not, `fault` says why."""
    action: object = None
    is_legal: bool = False
    cpu_seconds: float = 0.0
    fault: Fault | None = None
    output: str = ""
    """The end of what the bot printed."""


def bring_back(game: Game, capsule: Capsule, bot: Seat) -> Rerun:
    """Put a bot before a decision again, or before its start (-1). The caller closes `bot`.

    Raises HostTrouble, and ConfigError for a capsule that does not fit the rules.
    """
    rerun = Rerun()
    fault = bot.start(_start(capsule))
    _check_host(capsule, fault)
    if capsule.decision == AT_START:
        rerun.reached, rerun.fault, rerun.output = True, fault, "" if fault is None else fault.output
        return rerun
    rerun.fault = fault
    bank, events = capsule.clock.bank, list[tuple[int, str]]()
    for decision in capsule.decisions:
        if rerun.fault is not None:
            return rerun
        is_last = decision.index == capsule.decision
        events += decision.events
        if len(decision.codes) == 1 and not bot.wants_forced and not is_last:
            continue
        view = _view(game, capsule, decision, events, bank)
        events = []
        bot.ask(view)
        found = bot.answer()
        _check_host(capsule, found)
        if is_last:
            _note(rerun, view, found)
        elif isinstance(found, Fault):
            rerun.fault = found
        else:
            bank = _charged(rerun, capsule.clock.move + bank, bank, found)
            _compare(rerun, view, decision, found)
    return rerun


def _start(capsule: Capsule) -> StartInfo:
    return StartInfo(capsule.game, dict(capsule.options), capsule.seats, capsule.seat, capsule.clock)


def _check_host(capsule: Capsule, found: object) -> None:
    """Raise HostTrouble if the host failed the seat, not the bot."""
    if isinstance(found, Fault) and found.ending is Ending.HOST:
        raise HostTrouble(capsule.seat, found.reason, starved=found.starved)


def _view(game: Game, capsule: Capsule, decision: Decision, events: list[tuple[int, str]], bank: float) -> View:
    clock = Clock(capsule.clock.move, bank, capsule.clock.start)
    if len(decision.observed) != game.rules.STATE.itemsize:
        raise ConfigError(f"the capsule does not fit the rules of {game.name} here: its states have another size")
    try:
        states = game.from_bytes(decision.observed)
        view: View = game.view(game, states, capsule.seat, codes=decision.codes, events=lambda: events, clock=clock)
        _ = view.legal[decision.played]
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise ConfigError(
            f"the capsule does not fit the rules of {game.name} here: decision {decision.index}: {printable(str(error))}"
        ) from None
    return view


def _charged(rerun: Rerun, limit: float, bank: float, answer: Answer) -> float:
    """What is left in the bank after a decision; a fault if it took more than `limit` seconds of CPU time."""
    if answer.cpu_seconds > limit:
        reason = f"used {answer.cpu_seconds:.3f} s of CPU time, {limit:.3f} s were left"
        rerun.fault = Fault(Ending.TIMEOUT, reason)
    return min(bank, max(0.0, limit - answer.cpu_seconds))


def _compare(rerun: Rerun, view: View, decision: Decision, answer: Answer) -> None:
    rerun.asked += 1
    then, now = view.legal[decision.played], _as_text(view, answer.action)
    if then != now:
        rerun.differing.append((decision.index, then, now))


def _note(rerun: Rerun, view: View, found: Answer | Fault) -> None:
    rerun.reached = True
    if isinstance(found, Fault):
        rerun.fault, rerun.output = found, found.output
    else:
        rerun.action = _as_text(view, found.action)
        rerun.is_legal = rerun.action in view.legal
        rerun.cpu_seconds, rerun.output = found.cpu_seconds, found.output()


def _as_text(view: View, action: object) -> str:
    """An answer as text; an index stands for the legal action at that position."""
    if type(action) is int and 0 <= action < len(view.legal):
        return view.legal[action]
    return action if type(action) is str else repr(action)[:60]
