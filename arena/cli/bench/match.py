"""`arena bench match`: what a match costs beside the thinking of its bots. CPU time, for this machine; never a test.

Workers play short matches and long ones, as they do in tournaments. How much more a long one costs, by how many more decisions
it has, is the cost of a decision; what a short one costs beyond its decisions is the fixed part. Everything is measured in
turns, a few matches at a time, and of each the fastest time counts: what else the machine does then changes little.
"""

import functools
import importlib.util
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
from msgspec import field

from arena import games
from arena.cli.measuring.backends import GAME, BackendCost, backend_costs
from arena.cli.measuring.scale import job_of
from arena.cli.measuring.search import positions
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.games import all_ready
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, note, refuse_csv, show, write_table
from arena.engine.options import OptionValue
from arena.errors import ArenaError, ConfigError
from arena.match.sandbox import LockError
from arena.records import Clock
from arena.reports.terminal import Page
from arena.search import Settings
from arena.shipped import house_folder
from arena.tournament.workers.backend import BLAMED, FIRST, Past
from arena.tournament.workers.worker import Worker

TURNS = 6
DEALS = 3  # of each table, short and long, played in every rotation
SEARCHES = 12  # positions
ITERATIONS = (10, 100)
METHOD = Settings(iterations=1).method  # the default one
OPEN_SPIEL_GAMES = ("hearts", "oh_hell")
OPEN_SPIEL_MATCHES = 50  # at a time
TRUSTED, LOCKED, COMMAND = "trusted", "locked", "command"
NULL, LOOKING, GREEDY, FORFEITED = "null", "looks at everything", "greedy", "has forfeited"

LENGTHS = ("short", "long")

Options = Mapping[str, OptionValue]


class Table(msgspec.Struct, frozen=True):
    """A game that is measured."""

    seats: int
    short: Options = field(default_factory=dict)
    """The rule options of a short match."""
    long: Options | None = None
    """The rule options of a long match; None: all matches of the game have about one length."""


_PATIENT = {"max_rounds": 1, "idle_window": 1000, "stall_window": 1000}  # null bots wait all the time

TABLES: Mapping[str, Table] = {
    "hisatsu": Table(3),
    "naga": Table(2, {"series": "first_to:1"}, {"series": "games:9"}),
    "nanatoridori": Table(2),
    "nertz": Table(2, {**_PATIENT, "tick_limit": 20}, {**_PATIENT, "tick_limit": 150}),
    "yaniv": Table(
        3, {"max_rounds": 1, "turn_limit": 5}, {"max_rounds": 5, "turn_limit": 10}
    ),
}  # fmt: skip


class MatchCost(msgspec.Struct, frozen=True, kw_only=True):
    """What matches between bots of one kind cost, all processes together."""

    game: str
    seats: int
    held: str
    """How the bots are held: TRUSTED, in the worker's process; LOCKED; or COMMAND, a locked program."""
    bot: str
    """NULL, whose `act` returns 0; LOOKING, which reads every property of its view; GREEDY, the house bot of the game; or
    FORFEITED: nobody is asked."""
    decisions: float
    """Decisions of a short match."""
    match_us: float
    """CPU time of a short match, in microseconds."""
    decision_us: float | None
    """CPU time of each decision, that of the bot included; None where the matches have one length."""
    fixed_us: float | None
    """CPU time of a match beside its decisions."""
    is_fixed_borrowed: bool = False
    """Whether the fixed part is that of another game with as many seats, since all matches of this one have one length."""


class SearchFixed(msgspec.Struct, frozen=True, kw_only=True):
    """The fixed part of `view.search` in one game, by CPU time in microseconds: medians of some positions."""

    game: str
    ten_us: float
    """A call with 10 iterations."""
    hundred_us: float
    """A call with 100 iterations."""
    fixed_us: float
    """What a call of no iterations would cost, by these two."""


def match_costs(names: Sequence[str], turns: int = TURNS, deals: int = DEALS) -> list[MatchCost]:
    """The costs of matches of these games, of OpenSpiel's games beside them if the extra `bench` is installed.

    Raises LockError where bots cannot be locked in.
    """
    with ExitStack() as opened:
        measured: list[_Measured] = []
        for held, bot in _KINDS:
            worker, places = _worker(names, held, bot, deals)
            opened.callback(worker.close)
            past = Past(dict.fromkeys(range(8), BLAMED)) if bot == FORFEITED else FIRST
            measured += [_Measured(worker, held, bot, *place, past) for place in places]
        others = _open_spiel_loops()
        beside: dict[str, MatchCost] = {}
        for _ in range(1 + turns):  # the first time, what is used is loaded
            for one in measured:
                one.play()
            for name, loop in others.items():
                beside[name] = min(loop(), beside.get(name) or loop(), key=lambda cost: cost.match_us)
    costs = [_cost(short, long) for short, long in _pairs(measured)]
    return [_with_borrowed(cost, costs) for cost in costs] + list(beside.values())


def search_fixed(names: Sequence[str], turns: int = TURNS) -> list[SearchFixed]:
    """The fixed part of searches by the default method, in these games."""
    return [_search_fixed(name, turns) for name in names]


_KINDS = (
    *((TRUSTED, bot) for bot in (NULL, LOOKING, GREEDY, FORFEITED)),
    *((LOCKED, bot) for bot in (NULL, LOOKING, GREEDY)),
    (COMMAND, NULL),
)

_NULL = """
from arena.agent import Agent, View

class Null(Agent):
    def act(self, view: View) -> int:
        return 0
"""
_LOOKING = """
from arena.agent import Agent, View

class Looking(Agent):
    names = ()

    def act(self, view: View) -> int:
        self.names = self.names or [name for name in dir(type(view)) if not name.startswith("_")]
        for name in self.names:
            getattr(view, name)
        return 0
"""
_PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] != "end":
        answer = {"ok": True} if message["type"] == "start" else {"action": 0}
        print(json.dumps({"id": message["id"], **answer}), flush=True)
"""
_TOML = 'name = "idle"\ncommand = ["python3", "-I", "-S", "idle.py"]\n'


class _Measured:
    """The matches of one kind of bots with one length, timed again and again."""

    def __init__(
        self, worker: Worker, held: str, bot: str, game: str, is_long: bool, indices: Sequence[int], past: Past
    ) -> None:
        self.held, self.bot, self.game, self.is_long = held, bot, game, is_long
        self._worker, self._indices, self._past = worker, indices, past
        self.seconds, self.decisions = float("inf"), 0.0

    def play(self) -> None:
        """Play them all once more."""
        chunk = self._worker.play(self._indices, self._past)
        if chunk.failures:
            raise RuntimeError(next(iter(chunk.failures.values())).reason)
        self.decisions = sum(len(record.actions) for record in chunk.records) / len(self._indices)
        if chunk.match_cpu:  # not told for a worker's first chunk
            self.seconds = min(self.seconds, chunk.match_cpu / len(self._indices))


def _worker(names: Sequence[str], held: str, bot: str, deals: int) -> tuple[Worker, list[tuple[str, bool, list[int]]]]:
    """A worker whose bots are of one kind; by game and length, the indices of its matches."""
    with tempfile.TemporaryDirectory(prefix="arena-match-") as made:
        folder = Path(made)
        (folder / "idle.toml").mkdir()
        (folder / "idle.toml" / "bot.toml").write_text(_TOML)
        (folder / "idle.toml" / "idle.py").write_text(_PROGRAM)
        (folder / "idle.py").write_text(_NULL)
        (folder / "looking.py").write_text(_LOOKING)
        entries, bots = [], []
        for name in names:
            table = TABLES[name]
            lengths = [(False, table.short)] + ([(True, table.long)] if table.long is not None else [])
            entries += [
                {"game": name, "seats": table.seats, "options": dict(options), "label": f"{name}_{LENGTHS[is_long]}"}
                for is_long, options in lengths
            ]
            bots += [
                {"path": _path(bot, held, name), "name": f"{name}{number}", "games": [name], "trusted": held == TRUSTED}
                for number in range(table.seats)
            ]
        config = {"name": "match", "seed": 1, "games": entries, "bots": bots, "deals": deals}
        (folder / "match.yaml").write_bytes(msgspec.json.encode(config))  # JSON is YAML
        job = job_of(folder / "match.yaml")
    indices: dict[int, list[int]] = {}
    for index in range(len(job.plan)):
        indices.setdefault(job.plan.entry_of(index), []).append(index)
    found = [(job.plan.entries[place], chosen) for place, chosen in sorted(indices.items())]
    return job.worker(), [(entry.game, entry.pool.endswith(LENGTHS[True]), chosen) for entry, chosen in found]


def _path(bot: str, held: str, game: str) -> str:
    if bot == GREEDY:
        return str(house_folder("bots") / f"{game}_greedy.py")
    return "idle.toml" if held == COMMAND else "looking.py" if bot == LOOKING else "idle.py"


def _pairs(measured: Sequence[_Measured]) -> Iterator[tuple[_Measured, _Measured | None]]:
    """The short matches of each game and kind of bots, with the long ones."""
    long = {(one.game, one.held, one.bot): one for one in measured if one.is_long}
    for one in measured:
        if not one.is_long:
            yield one, long.get((one.game, one.held, one.bot))


def _cost(short: _Measured, long: _Measured | None) -> MatchCost:
    decision = None
    if long is not None and long.decisions != short.decisions:
        decision = (long.seconds - short.seconds) / (long.decisions - short.decisions)
    return MatchCost(
        game=short.game, seats=TABLES[short.game].seats, held=short.held, bot=short.bot, decisions=short.decisions,
        match_us=1e6 * short.seconds, decision_us=None if decision is None else 1e6 * decision,
        fixed_us=None if decision is None else 1e6 * (short.seconds - short.decisions * decision),
    )  # fmt: skip


def _with_borrowed(cost: MatchCost, costs: Sequence[MatchCost]) -> MatchCost:
    """A cost whose fixed part, where it is not known, is that of the first game with as many seats where it is.

    Trusted bots only: to start a locked seat costs more than all decisions of a short match, and varies more.
    """
    alike = (one for one in costs if (one.seats, one.held, one.bot) == (cost.seats, cost.held, cost.bot))
    fixed = next((one.fixed_us for one in alike if one.fixed_us is not None), None)
    if cost.fixed_us is not None or fixed is None or cost.held != TRUSTED:
        return cost
    decision = (cost.match_us - fixed) / cost.decisions
    return msgspec.structs.replace(cost, decision_us=decision, fixed_us=fixed, is_fixed_borrowed=True)


def _search_fixed(name: str, turns: int) -> SearchFixed:
    game = games.load(name)
    seats = TABLES[name].seats
    best: dict[tuple[int, int], int] = {}
    for at, (observed, seat, codes) in enumerate(itertools.islice(positions(game, seats), SEARCHES)):
        for iterations in ITERATIONS * (turns + 1):
            view = game.view(game, observed, seat, codes=codes, events=list, clock=Clock(move=1.0, bank=1.0))
            began = time.thread_time_ns()
            view.search(iterations=iterations)
            taken = time.thread_time_ns() - began
            best[iterations, at] = min(best.get((iterations, at), taken), taken)
    few, many = ITERATIONS
    ten, hundred = (1e-3 * statistics.median(best[count, at] for at in range(SEARCHES)) for count in ITERATIONS)
    return SearchFixed(game=name, ten_us=ten, hundred_us=hundred, fixed_us=ten - few * (hundred - ten) / (many - few))


def _open_spiel_loops() -> dict[str, Callable[[], MatchCost]]:
    """For each of OpenSpiel's games a function that plays some matches from Python and tells what they cost.

    Empty where the extra `bench` is not installed.
    """
    if importlib.util.find_spec("pyspiel") is None:
        return {}
    import pyspiel

    return {name: functools.partial(_open_spiel_loop, pyspiel.load_game(name), name) for name in OPEN_SPIEL_GAMES}


def _open_spiel_loop(game: Any, name: str) -> MatchCost:
    """The seats take their first legal action; cards are dealt as OpenSpiel has it, by chance nodes."""
    chance, decisions = random.Random(7), 0
    began = time.process_time()
    for _ in range(OPEN_SPIEL_MATCHES):
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                actions, weights = zip(*state.chance_outcomes())
                state.apply_action(chance.choices(actions, weights)[0])
            else:
                state.apply_action(state.legal_actions()[0])
                decisions += 1
    seconds = time.process_time() - began
    return MatchCost(
        game=f"open_spiel {name}", seats=game.num_players(), held="-", bot="first legal action",
        decisions=decisions / OPEN_SPIEL_MATCHES, match_us=1e6 * seconds / OPEN_SPIEL_MATCHES,
        decision_us=1e6 * seconds / decisions, fixed_us=None,
    )  # fmt: skip


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
