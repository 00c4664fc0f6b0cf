"""`arena bench hall`: how fast boards and tables answer, how fair races are, how heavy pages are, what readers cost."""

import tempfile
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from arena.bench.contest import AUTHORS, ContestCost, contest_cost
from arena.bench.fairness import GAME, TITLE
from arena.bench.hall import SECONDS, SOCKETS, HallCost, hall_cost
from arena.cli.shared.durations import duration_text
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import FormatOption
from arena.cli.shared.printing import Format, note, refuse_csv, show
from arena.cli.shared.tables import write_table
from arena.cli.shared.web import need_web
from arena.engine import jit
from arena.errors import ArenaError, ConfigError
from arena.report.terminal.page import Page
from arena.workers.warmup import warm_rooms

MOST_SOCKETS, MOST_AUTHORS, MOST_KILLS = 20_000, 250, 10_000
BEYOND_MS, PAGE_KB, ANSWER_MS, RATED_S = 300, 100, 50, 60  # to reach


def hall(
    sockets: Annotated[int, typer.Option("--sockets", metavar="N", help="Number of tabs that watch a board.")] = SOCKETS,
    seconds: Annotated[float, typer.Option("--seconds", metavar="S", help="How long they watch.")] = SECONDS,
    contest: Annotated[
        bool, typer.Option("--contest", help="Hold a contest of scripted authors instead, and measure it.")
    ] = False,
    authors: Annotated[int, typer.Option("--authors", metavar="N", help="Number of authors of the contest.")] = AUTHORS,
    kills: Annotated[
        int, typer.Option("--kills", metavar="N", help="Number of processes of the contest to kill at random moments.")
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the choice of what is killed when.")] = 1,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure live boards, page weights and what open pages cost a tournament.

    Takes some minutes. Everything runs on this machine: hall, tournament and visitors share its cores. With --contest it
    measures a contest of authors by script, also while processes are killed. The exit code is then 1 if a submission was
    lost, a match doubled, the board wrong, or a process left.
    """
    refuse_csv(format, "this result")
    need_web("arena bench hall")
    if contest:
        return _hold(authors, seconds, kills, seed, format)
    if kills:
        raise ConfigError("--kills: only in a contest; say --contest, too")
    if not 1 <= sockets <= MOST_SOCKETS:
        raise ConfigError(f"--sockets: from 1 to {MOST_SOCKETS:,}, not {sockets}")
    if not 2.0 <= seconds <= 3600.0:
        raise ConfigError(f"--seconds: from 2 to 3600, not {seconds:g}")
    warm_rooms({GAME: ()}, note, {jit.RATINGS: "arena.ratings"})
    try:
        cost = hall_cost(sockets, seconds, note)
    except (OSError, ValueError) as error:
        raise ArenaError(f"the hall could not be measured: {error}") from None
    show(format, lambda page: _write(page, cost), _document(cost))
    return DONE


def _hold(authors: int, seconds: float, kills: int, seed: int, format: Format) -> int:
    """Hold a contest, and print what it has shown."""
    if not 1 <= authors <= MOST_AUTHORS:
        raise ConfigError(f"--authors: from 1 to {MOST_AUTHORS}, not {authors}")
    if not 2.0 <= seconds <= 3600.0:
        raise ConfigError(f"--seconds: from 2 to 3600, not {seconds:g}")
    if not 0 <= kills <= MOST_KILLS:
        raise ConfigError(f"--kills: from 0 to {MOST_KILLS:,}, not {kills}")
    with tempfile.TemporaryDirectory(prefix="arena-contest-") as folder:
        cost = contest_cost(Path(folder), authors=authors, seconds=seconds, kills=kills, seed=seed, say=note)
    show(format, lambda page: _write_contest(page, cost), {"is_right": cost.is_right, **msgspec.to_builtins(cost)})
    return DONE if cost.is_right else NO


def _document(cost: HallCost) -> dict[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(cost)
    plain["pace"]["share"] = cost.pace.share
    return plain


def _write(page: Page, cost: HallCost) -> None:
    reached = cost.sockets
    write_table(
        page, f"{reached.sockets:,} sockets on one board, {reached.commits} commits. To reach: p95 below {BEYOND_MS} ms beyond "
        f"the second in which a board is published once",
        ("", "ms"),
        [
            ("commit to message, median", f"{reached.p50_ms:,.0f}"),
            ("commit to message, p95", f"{reached.p95_ms:,.0f}"),
            ("p95 beyond the second", f"{reached.beyond_ms:,.0f}"),
            ("newest commit to message, p95", f"{reached.newest_p95_ms:,.0f}"),
            ("first socket to last, p95", f"{reached.spread_p95_ms:,.0f}"),
        ],
    )  # fmt: skip
    page.say(
        f"{reached.messages:,} messages of {reached.message_bytes / 1e3:.1f} kB, {reached.cpu_us:.0f} us of CPU time each; "
        f"{reached.hall_mb:.0f} MB; opened in {reached.open_s:.1f} s"
    )
    page.say("")
    write_table(
        page, f"Pages, compressed, with all that a browser loads the first time. To reach: below {PAGE_KB} kB, 0 from outside",
        ("page", "kB", "page alone", "requests", "outside"),
        [
            (one.page, f"{one.kb:.1f}", f"{one.page_kb:.1f}", str(one.requests), str(one.outside)) for one in cost.pages
        ],
    )  # fmt: skip
    page.say("")
    for title, answers in (
        ("Live tables: from an action to the position that shows it", cost.answers),
        (f"Live tables: from a click to the drawn table, in a browser. To reach: p95 below {ANSWER_MS} ms", cost.drawn),
    ):
        rows = [(one.game, str(one.actions), f"{one.p50_ms:.1f}", f"{one.p95_ms:.1f}") for one in answers]
        if rows:
            write_table(page, title, ("game", "actions", "median ms", "p95 ms"), rows)
            page.say("")
    write_table(
        page, f"{TITLE}: {cost.races.slots:,} contested places; {cost.races.ticks_held} of {cost.races.ticks:,} "
        f"ticks held. Of two seats that are equally far from the hall",
        ("delay, one way", "first wins", "second wins", "deviation, sd"),
        [(f"{one.delay_ms} ms", *(f"{won:,}" for won in one.won), f"{one.deviation:+.2f}") for one in cost.races.duels],
    )  # fmt: skip
    page.say("")
    write_table(
        page, f"A tournament in turns without and with {cost.pace.pages} pages: {cost.pace.share:.1%} of the matches a second",
        ("turn", "matches/s", "with pages", "driver us", "with pages"),
        [
            (str(turn), f"{one.per_second:,.1f}", f"{other.per_second:,.1f}", f"{one.driver_us:.0f}", f"{other.driver_us:.0f}")
            for turn, (one, other) in enumerate(zip(cost.pace.without, cost.pace.watched), 1)
        ],
    )  # fmt: skip


def _write_contest(page: Page, cost: ContestCost) -> None:
    """Write the figures of a contest, and what is wrong."""
    killed = ", ".join(f"{kind} {number}" for kind, number in sorted(cost.kills.items())) or "none"
    page.say(f"{cost.authors} authors for {duration_text(cost.seconds)}; kills: {sum(cost.kills.values())} ({killed})")
    states = ", ".join(f"{state} {number}" for state, number in sorted(cost.states.items())) or "none"
    page.say(
        f"submissions: {cost.confirmed} confirmed, {cost.submissions_a_minute:.1f} a minute ({states}); beyond the quota "
        f"{cost.over_quota}; without an answer {cost.unconfirmed}"
    )
    page.say(
        f"ladder: {cost.matches:,} matches; versions with a rated match: {cost.rated}; tables: {cost.tables} with "
        f"{cost.actions} actions; matches asked for: {cost.matches_asked}"
    )
    page.say("")
    write_table(
        page, f"Times. To reach: from accepted to the first rated match below {RATED_S} s", ("", "number", "median", "p95"),
        [
            ("arrival to first rated match", str(cost.rated), _text(cost.rated_p50_s, "s"), _text(cost.rated_p95_s, "s")),
            ("accepted to that match", str(cost.rated), _text(cost.accepted_p50_s, "s"), _text(cost.accepted_p95_s, "s")),
            ("pages", f"{cost.pages:,}", _text(cost.pages_p50_ms, "ms"), _text(cost.pages_p95_ms, "ms")),
            ("match stored to message of a board", f"{cost.boards:,}", "", _text(cost.boards_p95_ms, "ms")),
        ],
    )  # fmt: skip
    page.say("")
    page.say(f"Ctrl-C to the end of the hall: {cost.end_seconds:.1f} s; processes left: {cost.left}")
    for text in cost.wrong:
        page.line(f"WRONG: {text}")
    page.say(
        "nothing lost, nothing doubled, the board follows from the stored matches" if cost.is_right else "NOT right: see above"
    )


def _text(value: float | None, unit: str) -> str:
    return "" if value is None else f"{value:,.0f} {unit}"
