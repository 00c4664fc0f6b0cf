"""`arena bench hall`: how fast live boards reach their readers, how heavy pages are, what readers cost a tournament."""

from typing import Annotated, Any

import msgspec
import typer

from arena.bench.hall import SECONDS, SOCKETS, HallCost, hall_cost
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption
from arena.cli.shared.printing import Format, note, refuse_csv, show
from arena.cli.shared.tables import write_table
from arena.cli.shared.web import need_web
from arena.engine import jit
from arena.errors import ArenaError, ConfigError
from arena.report.terminal.page import Page
from arena.workers.warmup import warm_rooms

MOST_SOCKETS = 20_000
BEYOND_MS, PAGE_KB = 300, 100  # to reach


def hall(
    sockets: Annotated[int, typer.Option("--sockets", metavar="N", help="Number of tabs that watch a board.")] = SOCKETS,
    seconds: Annotated[float, typer.Option("--seconds", metavar="S", help="How long they watch.")] = SECONDS,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure live boards, page weights and what open pages cost a tournament.

    Takes some minutes. Everything runs on this machine: hall, tournament and visitors share its cores.
    """
    refuse_csv(format, "this result")
    need_web("arena bench hall")
    if not 1 <= sockets <= MOST_SOCKETS:
        raise ConfigError(f"--sockets: from 1 to {MOST_SOCKETS:,}, not {sockets}")
    if not 2.0 <= seconds <= 3600.0:
        raise ConfigError(f"--seconds: from 2 to 3600, not {seconds:g}")
    warm_rooms({}, note, {jit.RATINGS: "arena.ratings"})
    try:
        cost = hall_cost(sockets, seconds, note)
    except (OSError, ValueError) as error:
        raise ArenaError(f"the hall could not be measured: {error}") from None
    show(format, lambda page: _write(page, cost), _document(cost))
    return DONE


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
    write_table(
        page, f"A tournament in turns without and with {cost.pace.pages} pages: {cost.pace.share:.1%} of the matches a second",
        ("turn", "matches/s", "with pages", "driver us", "with pages"),
        [
            (str(turn), f"{one.per_second:,.1f}", f"{other.per_second:,.1f}", f"{one.driver_us:.0f}", f"{other.driver_us:.0f}")
            for turn, (one, other) in enumerate(zip(cost.pace.without, cost.pace.watched), 1)
        ],
    )  # fmt: skip
