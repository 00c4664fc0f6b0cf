"""Search for good decisions in compiled code, written once for all games: bots reach it by `view.search(...)`.

A search starts from what a seat sees, so it cannot use what is hidden, and with a number of iterations the same view gives the
same answer anywhere.

Here is the door: settings.py says what can be asked, findings.py what comes back, task.py is one thread's part of a search and
what it is told, scratch.py the arrays it works in.
methods/ has a file for each method, which draws worlds (worlds.py) and plays simulations until the budget is spent (budget.py).
A simulation walks down the tree (walk.py, tree.py), where selection.py chooses actions, also which are still tried at the
root; it is then rolled out (walk.py) and backed up (backup.py).
"""

import time
from collections.abc import Iterable
from dataclasses import replace
from functools import cache, lru_cache, partial

from arena.engine import jit
from arena.engine.contract import Numbers
from arena.engine.game import Game, States
from arena.engine.net import POLICY
from arena.engine.readiness import Part as RoomPart
from arena.engine.readiness import require
from arena.errors import ConfigError, nearest
from arena.search.findings import Choice, Findings, Memory
from arena.search.method import Search, Trees, bind_search
from arena.search.methods import METHODS
from arena.search.settings import SETTINGS_KEPT, Settings, check_number, settings_of
from arena.search.task import Part
from arena.search.workspace import PRIOR_VALUE, USED

__all__ = [
    "METHODS",
    "Choice",
    "Findings",
    "Memory",
    "Settings",
    "compiled",
    "compiled_searches",
    "search",
    "settings_of",
    "warm",
]


def search(
    game: Game, observed: States, seat: int, codes: list[int], asked: Settings, memory: Memory | None = None
) -> Findings:
    """Search for `seat`, which sees `observed` and is to choose among `codes`, its legal list. The state is left as it is.

    A method that this process does not have yet is loaded or compiled before the time budget begins. Raises ConfigError for a
    constant that the game does not have.
    """
    constants = _constants(game, asked)
    require(compiled(game, asked.method))
    return _search(game, observed, seat, codes, asked, constants, memory)


def _search(
    game: Game, observed: States, seat: int, codes: list[int], asked: Settings, constants: Numbers, memory: Memory | None = None
) -> Findings:
    """Search with a method that is ready."""
    began = time.thread_time_ns()
    threads, kind = asked.threads, METHODS[asked.method].trees
    if threads > 1 and asked.iterations is not None:  # each plays at least one simulation, or one of each action
        threads = min(threads, max(1, asked.iterations // (len(codes) if kind is Trees.NONE else 1)))
    trees = None
    if memory is not None and kind is Trees.SHARED:
        trees = memory.trees((game.name, seat, constants.tobytes(), _without_budget(asked)), threads, asked.nodes)
    parts = [
        Part(game, observed, seat, len(codes), asked, constants, number, threads, trees[number] if trees else None)
        for number in range(threads)
    ]
    first, *others = parts
    started = [part for part in others if part.starts()]
    alone = [part for part in parts if part not in started]
    for part in alone:  # one after the other, each with its part of the time
        part.run(began if part is first else time.thread_time_ns(), len(alone))
    for part in started:
        part.join()
    if memory is not None and trees is not None:
        memory.keep([part.counters[USED] for part in parts])
    results = sum((part.results for part in others), first.results)
    if others:
        results[:, PRIOR_VALUE] = first.results[:, PRIOR_VALUE]
    counters = [sum(counts) for counts in zip(*(part.counters for part in parts))]
    found = Findings(game, observed, codes, results, counters, asked, first.prior)
    found.thread_seconds = sum(part.seconds for part in started)
    return found


def warm(game: Game, methods: Iterable[str] = tuple(METHODS)) -> None:
    """Call a game's search once with each of the methods, so that it is compiled if the cache does not have it."""
    seats = game.seats[0]
    states = game.deal(seats, game.resolve_options({}, seats), 1)
    seat = game.engine.current_seat(states)
    codes = game.legal_list(states)
    if game.nets.has(POLICY):
        _ = game.layout  # imported now, as a locked seat could not
    for method in methods:
        asked = Settings(iterations=2, method=method)
        _search(game, game.observed(states, seat), seat, codes, asked, game.constants)


@cache
def compiled(game: Game, method: str) -> RoomPart:
    """A search method of a game, as a part that is compiled by itself."""
    return RoomPart(game.name, method, game.package, jit.search_of(game.package), partial(warm, game, [method]))


def compiled_searches(game: Game) -> list[Search]:
    """The compiled searches of a game, one for each method."""
    return [bind_search(game.package, method) for method in METHODS.values()]


@lru_cache(SETTINGS_KEPT)
def _without_budget(asked: Settings) -> Settings:
    """What two searches have to have in common so that the second can go on with the tree of the first."""
    return replace(asked, iterations=1, time=None, seed=0, constants={})


def _constants(game: Game, asked: Settings) -> Numbers:
    """The game's constants, with those replaced that the settings name. Only read."""
    if not asked.constants:
        return _own_constants(game)
    constants = game.constants
    known = {constant.name: (place, constant) for place, constant in enumerate(game.rollout.CONSTANTS)}
    for name, value in asked.constants.items():
        if name not in known:
            raise ConfigError(f'search: constants: {game.name} has no "{name}"; {nearest(str(name), known)}')
        place, constant = known[name]
        check_number(f"constants: {name}", value, constant.low, constant.high)
        constants[place] = value
    return constants


@cache
def _own_constants(game: Game) -> Numbers:
    return game.constants
