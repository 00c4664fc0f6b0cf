"""`arena play GAME --against BOT ...`: a person at the table."""

import itertools
from contextlib import ExitStack
from typing import Annotated

import typer

from arena import games
from arena.admission.rivals import rivals
from arena.agent import EndInfo, StartInfo
from arena.agent.naming import HOUSE
from arena.agent.view import View
from arena.cli.shared.exit_codes import DONE, INTERRUPTED
from arena.cli.shared.options import BotParams, GameName, MatchSeed, Out, RuleOptions, parse_params
from arena.cli.shared.printing import note, say, say_all
from arena.cli.shared.rooms import files_of, ready, warn
from arena.engine.options import parse_options
from arena.errors import ConfigError
from arena.match import Answer, Fault, Seat
from arena.match import play as play_table
from arena.readiness import absent_parts, compile_and_tell
from arena.report.selection.replay import RULE, replay_lines
from arena.results_folder import RESULTS
from arena.seats.single_match import agree, bot_seat, named


def play(
    game: GameName,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="BOT",
            help="A bot at the table: a file or folder, house:NAME or submitted:NAME. Repeatable, one per seat. "
            "Default: house bots of the game.",
        ),
    ] = None,
    seat: Annotated[int, typer.Option("--seat", metavar="SEAT", help="Your seat, from 0.")] = 0,
    seed: MatchSeed = None,
    option: RuleOptions = None,
    param: BotParams = None,
    out: Out = RESULTS,
) -> int:
    """Play against bots in the terminal.

    Answer with the number of an action or with the action itself. Ctrl-C leaves the table; nothing is stored.
    """
    chosen = against or _house_bots(game)
    if not 0 <= seat <= len(chosen):
        raise ConfigError(f"--seat: a seat from 0 to {len(chosen)}, not {seat}")
    params = parse_params(param or [], len(chosen) + 1)
    del params[seat]
    rivals = [named(bot, out, own) for bot, own in zip(chosen, params)]
    names = [bot.name for bot in rivals]
    names.insert(seat, "you")
    room = ready(game, files_of(rivals))
    setup = agree(game, names, seed=seed, options=parse_options(option or []))
    warn(room, len(names), setup.options)
    with ExitStack() as opened:
        bots = iter(rivals)
        seats: list[Seat] = [
            _Person(names) if place == seat else opened.enter_context(bot_seat(next(bots), bot_seed))
            for place, bot_seed in enumerate(setup.bot_seeds)
        ]
        try:
            with absent_parts(compile_and_tell(note)):
                record = play_table(room, setup, seats)
        except (EOFError, KeyboardInterrupt):
            say("\nYou left the table.")
            return INTERRUPTED
    lines = list(replay_lines(room, record, setup.options, setup.deal_seed, seat))
    last = len(lines) - 1 - lines[::-1].index(RULE)
    opening = len(lines[:last]) - 1 - lines[:last][::-1].index(RULE)
    say_all([*lines[opening + 2 : last], *lines[last + 1 :]])  # the last choices, as they were revealed, and the end
    return DONE


def _house_bots(game: str) -> list[str]:
    """House bots for the smallest table of a game: those made for it in turn, the strongest first."""
    made_for_it = [name for name in rivals(game) if name.startswith(f"{game}_")]
    strongest_first = sorted(made_for_it, key=lambda name: name.endswith("_greedy")) or ["random_bot"]
    return [f"{HOUSE}{name}" for name in itertools.islice(itertools.cycle(strongest_first), games.load(game).seats[0] - 1)]


class _Person:
    """A seat that asks at the terminal; implements match.Seat."""

    isolation = "none"
    wants_forced = False

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self._view: View | None = None

    def start(self, info: StartInfo) -> Fault | None:
        """Say who sits where."""
        table = ", ".join(f"seat {place} {name}" for place, name in enumerate(self._names))
        say(f"{info.game}: {table}. Answer with a number or with the action itself; Ctrl-C leaves the table.")
        return None

    def ask(self, view: View) -> None:
        """Keep the decision: the person is asked in `answer`."""
        self._view = view

    def answer(self) -> Answer | Fault:
        """Show what happened and what is known, then ask until the answer is legal."""
        view = self._view
        assert view is not None
        say("")
        for who, text in view.events:
            say(f"  seat {who} ({self._names[who]}): {text}")
        say(str(view))
        while True:
            words = input("your choice: ").strip()
            if words in view.legal:
                return Answer(words, 0.0, 0.0)
            if words.isascii() and words.isdigit() and int(words) < len(view.legal):
                return Answer(int(words), 0.0, 0.0)
            say(f"  not possible: {words!r}; a number from 0 to {len(view.legal) - 1}, or one of the actions above")

    def end(self, result: EndInfo) -> None:
        """Say how it ended."""
        say("\nThe match is over.")
