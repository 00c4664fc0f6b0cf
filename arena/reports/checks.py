"""What `arena check` and `arena capsule` print: a line per game, what was slow, what went wrong, and what the bot saw then."""

import io
from collections.abc import Mapping, Sequence

from rich.console import Console

from arena.audit.capsule import AT_START, Capsule, Rerun
from arena.engine.options import OptionValue
from arena.errors import without_output
from arena.match.builds import BuildReport
from arena.match.model_seat import ISOLATION
from arena.records import Ending
from arena.reports import columns as titles
from arena.reports.table import Column, Row, Table, shown
from arena.reports.terminal import ConsolePage, Page, cut
from arena.tournament.check_report import BotCheck, GameCheck

_TEXT_WIDTH = 100  # columns of a report that is read on a page
_OPTION_WIDTH = 24  # characters of an option's value
PRINTED_SHOWN = 10  # lines
BUILD_LINES_SHOWN = 30  # of what a build printed
_DIFFERING_SHOWN = 5
_IN_JSON = " (--format json has all)"
_FAULTS_SHOWN = 3  # all are in the JSON form


def print_bot_check(found: BotCheck, page: Page) -> None:
    """Print the whole report; the verdict comes last, where it is looked for."""
    if found.files:
        files = "1 file" if found.files == 1 else f"{found.files} files"
        page.say(f"{found.bot}: {files}, {found.bytes:,} bytes, sha256 {found.sha256[:16]}")
        page.say(f"isolation: {found.isolation}", "" if not found.not_locked else "bold red")
        page.say(f"seed: {found.seed}; --seed {found.seed} plays the same matches again")
    if found.build is not None:
        _say_build(found.build, page)
    if found.games:
        page.say("")
        page.table(_table(found.games))
        page.say("")
        if found.isolation == ISOLATION:
            seconds = max(game.wall_ms_max for game in found.games) / 1000
            page.say(f"a language model: its clock stands still; the slowest decision took {seconds:.1f} s of wall time")
        else:
            _say_clock(found, page)
        if found.memory_peak is not None:
            used = f"{found.memory_peak / 1e6:,.0f}" if found.memory_peak >= 1e6 else "less than 1"
            page.say(f"memory: {used} MB at most; the limit is {found.memory / 1e6:,.0f} MB")
        if not found.faults and found.isolation != ISOLATION:
            for slow in found.slowest:
                where = where_played(slow.game, slow.seats, slow.options)
                page.say(f"slow: {slow.cpu_ms:.2f} ms at decision {slow.number} of {where}", "dim")
    for fault in found.faults[:_FAULTS_SHOWN]:
        page.say("")
        page.say(f"{fault.ending.value} in {where_played(fault.game, fault.seats, fault.options)}", "bold red")
        _say_lines(fault.reason, page)
        if fault.output and fault.output not in fault.reason:
            page.say("it printed at the end:")
            _say_lines(fault.output, page, PRINTED_SHOWN, _IN_JSON)
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


def bot_check_text(found: BotCheck) -> str:
    """Return the whole report as plain text, without a line feed at its end."""
    text = io.StringIO()
    print_bot_check(found, ConsolePage(Console(file=text, width=_TEXT_WIDTH, force_terminal=False, color_system=None)))
    return text.getvalue().rstrip()


def _say_build(build: BuildReport, page: Page) -> None:
    """Print how the bot was built, and of a build that failed what it printed."""
    what = f"build: {build.command[0]}, isolation {build.isolation}, source {build.source[:16]}"
    if build.is_kept:
        page.say(f"{what}; made earlier")
    else:
        page.say(f"{what}; {build.cpu_seconds:.1f} s of CPU time, {build.memory_peak / 1e6:,.0f} MB")
    if build.problem:
        print_build_log(build, page, _IN_JSON)


def print_build_log(build: BuildReport, page: Page, elsewhere: str = "") -> None:
    """Print the end of what a build printed. `elsewhere`: where all of it is."""
    if build.log:
        page.say("it printed:")
        _say_lines(build.log, page, BUILD_LINES_SHOWN, elsewhere)


def _say_clock(found: BotCheck, page: Page) -> None:
    """Print how much of its clock the bot has used."""
    worst = max(game.cpu_ms_max for game in found.games)
    clock = f"{found.clock.move:g} s a decision and {found.clock.bank:g} s of bank"
    slowest = f"the slowest decision took {worst:.2f} ms of CPU time, {_times(1000 * found.clock.move / max(worst, 1e-3))}"
    page.say(f"clock: {clock}; {slowest if any(game.decisions for game in found.games) else 'it made no decision'}")


def _table(games: Sequence[GameCheck]) -> Table:
    columns = [
        titles.GAME.but(is_name=True), Column("seats", dropped=2), Column("variants", "d", dropped=1), Column("matches", "d"),
        Column("decisions", ",", dropped=3), Column("p50 ms", ".3f", dropped=5), Column("p99 ms", ".3f", dropped=6),
        Column("worst ms", ".2f", dropped=7), Column("repeats", dropped=4), Column("endings"),
    ]  # fmt: skip
    rows: list[Row] = [
        [
            game.game, " and ".join(map(str, game.seats)), game.variants, game.matches, game.decisions, game.cpu_ms_p50,
            game.cpu_ms_p99, game.cpu_ms_max, _repeats(game), _endings(game),
        ]
        for game in games
    ]  # fmt: skip
    return Table(columns, rows)


def _repeats(game: GameCheck) -> str:
    return {True: "yes", False: "no", None: "?"}[game.is_deterministic]


def _endings(game: GameCheck) -> str:
    counts = ", ".join(f"{ending.value} {game.endings[ending]}" for ending in Ending if game.endings.get(ending))
    return counts if game.is_complete else f"{counts}; the rest was left out"


def _times(margin: float) -> str:
    if margin < 1:
        return "which drew on the bank"
    return f"{margin:,.0f} times less than the limit" if margin >= 10 else f"{margin:.1f} times less than the limit"


def where_played(game: str, seats: int, options: Mapping[str, OptionValue]) -> str:
    """A game with its seats, and the options that differ from the defaults."""
    settings = [f"{name}={_short(value)}" for name, value in options.items()]
    return ", ".join([f"{game} with {seats} seats", *settings])


def _short(value: OptionValue) -> str:
    return cut(str(value).lower() if isinstance(value, bool) else str(value), _OPTION_WIDTH)


def print_capsule(capsule: Capsule, page: Page) -> None:
    """Print what happened, what the bot saw and what it printed."""
    who = f"{capsule.game}, seat {capsule.seat} of {capsule.seats}: {shown(capsule.bot, capsule.bot_version)}"
    where = "at the start" if capsule.decision == AT_START else f"at decision {capsule.decision}"
    page.say(f"{who} {'chose' if capsule.ending is None else capsule.ending.value} {where}", "bold")
    _say_lines(capsule.reason, page)
    if capsule.exit:
        page.say(f"its process: {capsule.exit}")
    if capsule.output:
        page.say("it printed:")
        _say_lines(capsule.output, page)
    if capsule.view is not None:
        page.say("it saw:")
        _say_lines(capsule.view, page)
    if capsule.played is not None:
        page.say(f"played: {capsule.played}" + ("" if capsule.ending is None else " (chosen by the fallback in its place)"))


def print_rerun(capsule: Capsule, rerun: Rerun, page: Page) -> None:
    """Print what the bot did when it was put before the decision again."""
    page.say("")
    before = "1 decision" if rerun.asked == 1 else f"{rerun.asked} decisions"
    page.say(f"again, with the same views: {before} before it, {_compared(rerun)}", "bold")
    for index, then, now in rerun.differing[:_DIFFERING_SHOWN]:
        page.say(f"  decision {index}: then {then}, now {now}")
    if len(rerun.differing) > _DIFFERING_SHOWN:
        page.say(f"  ... and {len(rerun.differing) - _DIFFERING_SHOWN} more")
    if not rerun.reached:
        page.say("it does not come as far:")
    if rerun.fault is not None:
        page.say(f"it fails: {rerun.fault.ending.value}", "bold red")
        _say_lines(without_output(rerun.fault.reason), page)
        if rerun.fault.exit:
            page.say(f"its process: {rerun.fault.exit}")
    elif capsule.decision == AT_START:
        page.say("it starts without a fault", "bold green")
    else:
        verdict = "legal" if rerun.is_legal else "not legal"
        page.say(f"it answers {rerun.action!r} after {1000 * rerun.cpu_seconds:.1f} ms of CPU time: {verdict}", "bold")
    if rerun.output:
        page.say("it printed:")
        _say_lines(rerun.output, page)


def _compared(rerun: Rerun) -> str:
    if not rerun.asked:
        return "so nothing to compare"
    return f"{len(rerun.differing)} of them taken otherwise than then" if rerun.differing else "all taken as then"


def _say_lines(text: str, page: Page, most: int | None = None, elsewhere: str = "") -> None:
    """Say all lines, or the last of them. `elsewhere`: where all are."""
    lines = text.splitlines()
    if most is not None and len(lines) > most:
        page.say(f"  ... {len(lines) - most} lines before{elsewhere}", "dim")
        lines = lines[-most:]
    for line in lines:
        page.say(f"  {line}")
