"""The report of `arena check`: one line per game, what was slow, what went wrong and what the bot saw then."""

from collections.abc import Mapping, Sequence

from arena.engine.options import OptionValue
from arena.records import Ending
from arena.reports.terminal.page import Column, Page, cut, fitting
from arena.tournament.check_report import BotCheck, GameCheck

_OPTION_WIDTH = 24  # characters of an option's value
PRINTED_SHOWN = 10  # lines
_FAULTS_SHOWN = 3  # all are in the JSON form


def print_bot_check(found: BotCheck, page: Page) -> None:
    """Print the whole report; the verdict comes last, where it is looked for."""
    if found.files:
        files = "1 file" if found.files == 1 else f"{found.files} files"
        page.say(f"{found.bot}: {files}, {found.bytes:,} bytes, sha256 {found.sha256[:16]}")
        page.say(f"isolation: {found.isolation}", "" if not found.not_locked else "bold red")
        page.say(f"seed: {found.seed}; --seed {found.seed} plays the same matches again")
    if found.games:
        page.say("")
        page.table(_columns(found.games, found.clock.move, page.width))
        page.say("")
        worst = max(game.cpu_ms_max for game in found.games)
        clock = f"{found.clock.move:g} s a decision and {found.clock.bank:g} s of bank"
        slowest = f"the slowest decision took {worst:.2f} ms of CPU time, {_times(1000 * found.clock.move / max(worst, 1e-3))}"
        page.say(f"clock: {clock}; {slowest if any(game.decisions for game in found.games) else 'it made no decision'}")
        if found.memory_peak is not None:
            used = f"{found.memory_peak / 1e6:,.0f}" if found.memory_peak >= 1e6 else "less than 1"
            page.say(f"memory: {used} MB at most; the limit is {found.memory / 1e6:,.0f} MB")
        if not found.faults:
            for slow in found.slowest:
                where = _where(slow.game, slow.seats, slow.options)
                page.say(f"slow: {slow.cpu_ms:.2f} ms at decision {slow.number} of {where}", "dim")
    for fault in found.faults[:_FAULTS_SHOWN]:
        page.say("")
        page.say(f"{fault.ending.value} in {_where(fault.game, fault.seats, fault.options)}", "bold red")
        _say_lines(fault.reason, page)
        if fault.output and fault.output not in fault.reason:
            page.say("it printed at the end:")
            _say_lines(fault.output, page, PRINTED_SHOWN)
        if fault.view is not None:
            page.say("what it saw:")
            _say_lines(fault.view, page)
    if len(found.faults) > _FAULTS_SHOWN:
        page.say(f"... and {len(found.faults) - _FAULTS_SHOWN} more (--format json has all)")
    if found.games or found.faults:
        page.say("")
    for warning in found.warnings:
        page.say(f"warning: {warning}", "yellow")
    for reason in found.refusals:
        page.say(f"refused: {reason}", "bold red")
    page.say(*(("it may enter", "bold green") if found.may_enter else ("it may not enter", "bold red")))


def _columns(games: Sequence[GameCheck], move: float, width: int) -> list[Column]:
    columns = [
        Column("game", [game.game for game in games], justify="left"),
        Column("seats", [" and ".join(map(str, game.seats)) for game in games], 2, "left"),
        Column("variants", [str(game.variants) for game in games], 1),
        Column("matches", [str(game.matches) for game in games]),
        Column("decisions", [f"{game.decisions:,}" for game in games], 3),
        Column("p50 ms", [f"{game.cpu_ms_p50:.3f}" for game in games], 5),
        Column("p99 ms", [f"{game.cpu_ms_p99:.3f}" for game in games], 6),
        Column("worst ms", [f"{game.cpu_ms_max:.2f}" for game in games], 7),
        Column("repeats", [_repeats(game) for game in games], 4, "left"),
        Column("endings", [_endings(game) for game in games], justify="left"),
    ]
    return fitting(columns, width, "game")


def _repeats(game: GameCheck) -> str:
    return {True: "yes", False: "no", None: "?"}[game.is_deterministic]


def _endings(game: GameCheck) -> str:
    counts = ", ".join(f"{ending.value} {game.endings[ending]}" for ending in Ending if game.endings.get(ending))
    return counts if game.is_complete else f"{counts}; the rest was left out"


def _times(margin: float) -> str:
    if margin < 1:
        return "which drew on the bank"
    return f"{margin:,.0f} times less than the limit" if margin >= 10 else f"{margin:.1f} times less than the limit"


def _where(game: str, seats: int, options: Mapping[str, OptionValue]) -> str:
    settings = [f"{name}={_short(value)}" for name, value in options.items()]
    return ", ".join([f"{game} with {seats} seats", *settings])


def _short(value: OptionValue) -> str:
    return cut(str(value).lower() if isinstance(value, bool) else str(value), _OPTION_WIDTH)


def _say_lines(text: str, page: Page, most: int | None = None) -> None:
    """Say all lines, or the last of them."""
    lines = text.splitlines()
    if most is not None and len(lines) > most:
        page.say(f"  ... {len(lines) - most} lines before (--format json has all)", "dim")
        lines = lines[-most:]
    for line in lines:
        page.say(f"  {line}")
