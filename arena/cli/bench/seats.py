"""`arena bench seats`: what locked seats and command bots cost."""

from collections.abc import Callable, Sequence

from arena.cli.measuring.commands import CommandCost, command_costs
from arena.cli.measuring.seats import SeatCost, seat_cost
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, refuse_csv, show
from arena.cli.shared.rooms import all_ready
from arena.cli.shared.tables import write_table
from arena.errors import ArenaError
from arena.match.sandbox import LockError
from arena.reports.terminal import Page


def seats(game: OnlyGames = None, format: FormatOption = Format.TABLE) -> int:
    """Measure what locked seats and command bots cost.

    In wall time. Locked seats are measured with one room ready and with all of them; the first game is played.
    """
    refuse_csv(format, "this result")
    names = all_ready(game)
    try:
        costs = [seat_cost(rooms) for rooms in dict.fromkeys((tuple(names[:1]), tuple(names)))]
        commands = command_costs(names[0])
    except LockError as error:
        raise ArenaError(f"bots cannot be locked in here: {error}; `arena doctor` shows what this machine offers") from None
    show(format, lambda page: _write(page, names[0], costs, commands), {"seats": costs, "commands": commands})
    return DONE


def _write(page: Page, room: str, costs: Sequence[SeatCost], commands: Sequence[CommandCost]) -> None:
    write_table(
        page,
        "Locked seats",
        ("figure", *(f"{cost.rooms} room{'s' if cost.rooms > 1 else ''}" for cost in costs)),
        [(label, *(text(cost) for cost in costs)) for label, text in _FIGURES.items()],
    )
    page.say("")
    write_table(
        page, f"Command bots, locked, with decisions of {room}",
        ("language", "ready after, ms", "of CPU", "there and back, us", "p99", "CPU of the program, us"),
        [
            (
                cost.language, f"{cost.start_ms:.1f}", f"{cost.start_cpu_ms:.1f}", f"{cost.round_trip_us:.0f}",
                f"{cost.round_trip_p99_us:.0f}", f"{cost.round_trip_cpu_us:.0f}",
            )
            for cost in commands
        ],
    )  # fmt: skip


_FIGURES: dict[str, Callable[[SeatCost], str]] = {
    "isolation": lambda cost: cost.isolation,
    "zygote ready after, s": lambda cost: f"{cost.zygote_start_s:.2f}",
    "zygote resident, MB": lambda cost: f"{cost.zygote_resident_mb:.0f}",
    "seat ready after, ms (median)": lambda cost: f"{cost.start_ms:.1f}",
    "seat ready after, ms (p90)": lambda cost: f"{cost.start_p90_ms:.1f}",
    "seat ready after, ms of CPU (median)": lambda cost: f"{cost.start_cpu_ms:.1f}",
    "decision there and back, us (median)": lambda cost: f"{cost.round_trip_us:.0f}",
    "decision there and back, us (p99)": lambda cost: f"{cost.round_trip_p99_us:.0f}",
    "decisions/s and core in matches": lambda cost: f"{cost.decisions_per_second:,.0f}",
    "decisions/s in one match at a time": lambda cost: f"{cost.decisions_per_wall_second:,.0f}",
    "a seat's own memory, MB": lambda cost: "-" if cost.seat_private_mb is None else f"{cost.seat_private_mb:.1f}",
}
