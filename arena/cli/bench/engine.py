"""`arena bench engine`: random play in compiled code, and what a room costs its callers."""

from collections.abc import Sequence

from arena.cli.measuring.engine import PlaySpeed, RoomCost, open_spiel_speeds, room_cost, room_speeds
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, note, refuse_csv, show
from arena.cli.shared.rooms import all_ready
from arena.cli.shared.tables import write_table
from arena.engine.readiness import SAMPLING
from arena.reports.terminal import Page


def engine(game: OnlyGames = None, format: FormatOption = Format.TABLE) -> int:
    """Measure random play, copies and compile times of each game.

    On one core, in CPU time. OpenSpiel's figures stand beside ours if the extra `bench` is installed.
    """
    refuse_csv(format, "this result")
    names = all_ready(game, [SAMPLING])
    plays = [speed for name in names for speed in room_speeds(name)] + open_spiel_speeds()
    costs = [room_cost(name) for name in names]
    show(format, lambda page: _write(page, plays, costs), {"random_play": plays, "rooms": costs})
    if not any(play.game.startswith("open_spiel") for play in plays):
        note("(OpenSpiel's figures beside ours: install the extra `bench`)")
    return DONE


def _write(page: Page, plays: Sequence[PlaySpeed], costs: Sequence[RoomCost]) -> None:
    write_table(
        page, "Random play in compiled code, one core",
        ("game", "seats", "decisions/s", "decisions/match", "forced, not sent"),
        [
            (
                play.game, str(play.seats), f"{play.decisions_per_second / 1e6:.2f} M", f"{play.decisions_per_match:.1f}",
                "-" if play.forced_share is None else f"{100 * play.forced_share:.1f} %",
            )
            for play in plays
        ],
    )  # fmt: skip
    page.say("")
    write_table(
        page, "What a room costs",
        ("game", "decision from Python us", "clone ns", "state bytes", "compile s", "load s"),
        [
            (
                cost.game, f"{cost.python_decision_us:.2f}", f"{cost.clone_ns:.0f}", str(cost.state_bytes),
                f"{cost.cold_cpu_s:.1f}", f"{cost.warm_cpu_s:.1f}",
            )
            for cost in costs
        ],
    )  # fmt: skip
