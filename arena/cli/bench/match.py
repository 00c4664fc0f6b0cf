"""`arena bench match`: what a match costs beside the thinking of its bots."""

from collections.abc import Sequence

from arena import games
from arena.cli.measuring.backends import GAME, BackendCost, backend_costs
from arena.cli.measuring.match import METHOD, TABLES, MatchCost, SearchFixed, match_costs, search_fixed
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, note, refuse_csv, show
from arena.cli.shared.rooms import all_ready
from arena.cli.shared.tables import write_table
from arena.errors import ArenaError, ConfigError
from arena.match.sandbox import LockError
from arena.reports.terminal import Page


def match(game: OnlyGames = None, format: FormatOption = Format.TABLE) -> int:
    """Measure what a match costs beside the thinking of its bots.

    In CPU time of all processes: the fixed part of a match and each decision, with trusted, locked and command bots; the fixed
    part of a search; what home and Ray add. OpenSpiel's loop in Python stands beside if the extra `bench` is installed.
    """
    refuse_csv(format, "this result")
    for name in game or ():
        games.load(name)  # an unknown name is refused with the one that was meant
        if name not in TABLES:
            raise ConfigError(f"--game: {name} is not measured; choose of {', '.join(TABLES)}")
    names = all_ready(game or list(TABLES), [METHOD])
    note("matches and searches, in turns ...")
    try:
        costs = match_costs(names)
        searches = search_fixed(names)
        note("short tournaments at home and on Ray ...")
        backends = backend_costs()
    except LockError as error:
        raise ArenaError(f"bots cannot be locked in here: {error}; `arena doctor` shows what this machine offers") from None
    show(
        format, lambda page: _write(page, costs, searches, backends),
        {"matches": costs, "searches": searches, "backends": backends},
    )  # fmt: skip
    if not any(cost.game.startswith("open_spiel") for cost in costs):
        note("(OpenSpiel's loop beside ours: install the extra `bench`)")
    return DONE


def _write(page: Page, costs: Sequence[MatchCost], searches: Sequence[SearchFixed], backends: Sequence[BackendCost]) -> None:
    write_table(
        page, "A match, CPU time of all processes, in us (* as of another game with as many seats)",
        ("game", "bots", "bot", "seats", "decisions", "short match", "fixed part", "a decision"),
        [
            (
                cost.game, cost.held, cost.bot, str(cost.seats), f"{cost.decisions:.0f}", f"{cost.match_us:,.0f}",
                "-" if cost.fixed_us is None else f"{cost.fixed_us:,.0f}" + "*" * cost.is_fixed_borrowed,
                "-" if cost.decision_us is None else f"{cost.decision_us:.1f}",
            )
            for cost in costs
        ],
        names=3,
    )  # fmt: skip
    page.say("")
    write_table(
        page, "view.search, us a call",
        ("game", "10 iterations", "100 iterations", "fixed part"),
        [(one.game, f"{one.ten_us:.0f}", f"{one.hundred_us:.0f}", f"{one.fixed_us:.0f}") for one in searches],
    )  # fmt: skip
    page.say("")
    write_table(
        page, f"A short match of null bots of {GAME} in a tournament with one worker, us",
        ("backend", "bots", "matches", "worker", "driver"),
        [
            (
                one.backend, "trusted" if one.is_trusted else "locked", f"{one.matches:,}", f"{one.worker_us:,.0f}",
                f"{one.driver_us:,.0f}",
            )
            for one in backends
        ],
        names=2,
    )  # fmt: skip
