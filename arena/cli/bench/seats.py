"""`arena bench seats`: measure what locked seats and command bots cost. Figures are medians of wall time, for this machine;
never a test.
"""

import contextlib
import os
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from arena import games
from arena.agent import BotFiles, StartInfo
from arena.cli.measuring.commands import CommandCost, command_costs
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.games import all_ready
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, refuse_csv, show, write_table
from arena.errors import ArenaError
from arena.match import Answer, play
from arena.match.sandbox import LockedSeat, LockError, Supervisor
from arena.match.single_match import agree
from arena.records import DEFAULT_LIMITS, Clock
from arena.reports.terminal import Page

STARTS = 60
ROUND_TRIPS = 4000
MATCH_SECONDS = 2.0
TRIVIAL = BotFiles("trivial.py", {"trivial.py": b"""
from arena.agent import Agent

class Trivial(Agent):
    wants_forced = True

    def act(self, view):
        return 0
"""})  # fmt: skip
_CLOCK = Clock(move=5.0, bank=5.0)


class SeatCost(msgspec.Struct, frozen=True):
    """Figures of locked seats on one machine."""

    isolation: str
    games: int
    """How many games the zygote has ready."""
    zygote_start_s: float
    """Seconds until the zygote is ready, with games that are compiled already."""
    zygote_resident_mb: float
    start_ms: float
    """Median, from a warm zygote to a bot that is ready."""
    start_p90_ms: float
    start_cpu_ms: float
    """Median CPU time of zygote, template and seat for it: what a loaded machine changes less."""
    round_trip_us: float
    """Median decision of a trivial bot, asked and answered."""
    round_trip_p99_us: float
    decisions_per_second: float
    """Decisions of trivial bots in whole matches, per CPU second of worker and seats together; starts are not counted."""
    decisions_per_wall_second: float
    """The same per second of wall time, one match at a time."""
    seat_private_mb: float | None
    """Resident memory of a seat that is its own; None where the kernel does not tell."""


def seat_cost(all_games: Sequence[str]) -> SeatCost:
    """Measure with a zygote that has `games` ready; the first of them is played. All on one core, as on a busy machine."""
    began = time.perf_counter()
    with _one_core(), Supervisor(all_games) as supervisor:
        level = supervisor.level
        zygote_start = time.perf_counter() - began
        costs = [_start_seconds(supervisor, all_games[0]) for _ in range(STARTS)]
        starts = sorted(wall for wall, _ in costs)
        trips, private = _round_trips(supervisor, all_games[0])
        per_cpu_second, per_wall_second = _match_rates(supervisor, all_games[0])
        return SeatCost(
            isolation=level,
            games=len(all_games),
            zygote_start_s=zygote_start,
            zygote_resident_mb=_resident_mb(supervisor.pid),
            start_ms=1e3 * statistics.median(starts),
            start_p90_ms=1e3 * starts[len(starts) * 9 // 10],
            start_cpu_ms=1e3 * statistics.median(cpu for _, cpu in costs),
            round_trip_us=1e6 * statistics.median(trips),
            round_trip_p99_us=1e6 * sorted(trips)[len(trips) * 99 // 100],
            decisions_per_second=per_cpu_second,
            decisions_per_wall_second=per_wall_second,
            seat_private_mb=private,
        )


@contextlib.contextmanager
def _one_core() -> Iterator[None]:
    """Keep this process and its children on one CPU: to wake a core that sleeps takes longer than a decision."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _seat(supervisor: Supervisor, seed: int = 1) -> LockedSeat:
    return LockedSeat(supervisor, TRIVIAL, seed=seed, params={}, limits=DEFAULT_LIMITS)


def _info(name: str) -> StartInfo:
    game = games.load(name)
    return StartInfo(name, game.resolve_options({}, game.seats[0]), game.seats[0], 0, _CLOCK)


def _start_seconds(supervisor: Supervisor, name: str) -> tuple[float, float]:
    """Wall time until a seat is ready, and the CPU time of zygote, template and seat meanwhile."""
    info = _info(name)
    with _seat(supervisor) as seat:
        began, before = time.perf_counter(), _cpu_seconds(supervisor.pids)
        fault = seat.start(info)
        seconds = time.perf_counter() - began
        cpu = _cpu_seconds([*supervisor.pids, seat.pid]) - before
        assert fault is None, fault
    return seconds, cpu


def _cpu_seconds(pids: Iterable[int]) -> float:
    return sum(time.clock_gettime(_cpu_clock(pid)) for pid in pids)


def _round_trips(supervisor: Supervisor, name: str) -> tuple[list[float], float | None]:
    """Seconds of each decision, and the seat's own memory after them."""
    game, info = games.load(name), _info(name)
    states = game.deal(info.seats, info.options, 1)
    view = game.view(game, game.observed(states, 0), 0, codes=game.legal_list(states), events=list, clock=_CLOCK)
    seconds = []
    with _seat(supervisor) as seat:
        seat.start(info)
        for _ in range(ROUND_TRIPS):
            began = time.perf_counter()
            seat.ask(view)
            answer = seat.answer()
            seconds.append(time.perf_counter() - began)
            assert isinstance(answer, Answer), answer
        private = _private_mb(seat.pid)
    return seconds, private


def _match_rates(supervisor: Supervisor, name: str) -> tuple[float, float]:
    """Decisions per CPU second, and per wall second, inside matches, all of them asked."""
    seats = games.load(name).seats[0]
    decisions, seconds, wall = 0, 0.0, 0.0
    while seconds < MATCH_SECONDS:
        setup = agree(name, ["trivial"] * seats, seed=decisions, clock=_CLOCK)
        opened = [_seat(supervisor, seed) for seed in setup.bot_seeds]
        ready = [_Started(seat) for seat in opened]
        try:
            for place, seat in enumerate(ready):
                seat.prepare(StartInfo(name, setup.options, seats, place, _CLOCK))
            clocks = [time.CLOCK_PROCESS_CPUTIME_ID, *(_cpu_clock(locked.pid) for locked in opened)]
            began, wall_began = [time.clock_gettime(clock) for clock in clocks], time.perf_counter()
            record = play(games.load(name), setup, ready)
            wall += time.perf_counter() - wall_began
            seconds += sum(time.clock_gettime(clock) - before for clock, before in zip(clocks, began))
        finally:
            for locked in opened:
                locked.close()
        decisions += len(record.actions)
    return decisions / seconds, decisions / wall


class _Started:
    """A seat that was started before the match, so that the clock counts decisions alone; implements match.Seat."""

    def __init__(self, seat: LockedSeat) -> None:
        self.wants_forced = False
        self.isolation = seat.isolation
        self.prepare = seat.start
        self.ask, self.answer = seat.ask, seat.answer
        self.end = seat.end
        self._seat = seat

    def start(self, _info: StartInfo) -> None:
        """Do nothing but copy `wants_forced`: the seat was started before the match."""
        self.wants_forced = self._seat.wants_forced


def _cpu_clock(pid: int) -> int:
    return (~pid << 3) | 2


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _private_mb(pid: int) -> float | None:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:  # another user's
        return None
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private_")) / 1e3


def seats(game: OnlyGames = None, format: FormatOption = Format.TABLE) -> int:
    """Measure what locked seats and command bots cost.

    In wall time. Locked seats are measured with one game ready and with all of them; the first game is played.
    """
    refuse_csv(format, "this result")
    names = all_ready(game)
    try:
        costs = [seat_cost(all_games) for all_games in dict.fromkeys((tuple(names[:1]), tuple(names)))]
        commands = command_costs(names[0])
    except LockError as error:
        raise ArenaError(f"bots cannot be locked in here: {error}; `arena doctor` shows what this machine offers") from None
    show(format, lambda page: _write(page, names[0], costs, commands), {"seats": costs, "commands": commands})
    return DONE


def _write(page: Page, game: str, costs: Sequence[SeatCost], commands: Sequence[CommandCost]) -> None:
    write_table(
        page,
        "Locked seats",
        ("figure", *(f"{cost.games} game{'s' if cost.games > 1 else ''}" for cost in costs)),
        [(label, *(text(cost) for cost in costs)) for label, text in _FIGURES.items()],
    )
    page.say("")
    write_table(
        page, f"Command bots, locked, with decisions of {game}",
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
