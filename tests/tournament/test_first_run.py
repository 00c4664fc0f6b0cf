"""First runs with an empty cache, or nearly: what is compiled, when, who pays for it, and what is seen. On two small games."""

import os
import re
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.cache import VARIABLE
from arena.engine import jit
from arena.records import Ending
from arena.tournament.session import Results, read_results
from arena.tournament.workers.ray.watchdog import descendants
from helpers.locked_matches import supervising
from helpers.one_zygote import zygote_of
from helpers.paths import HOUSE_BOTS
from helpers.processes import survivors, until
from helpers.tournaments import arena, assert_same, ended, run, write_config

pytestmark = pytest.mark.usefixtures("poker")

RANDOM = HOUSE_BOTS / "random_bot.py"
SECRETIVE = """
'''Asks for a search that its source does not name, and would go on without it.'''
from arena.agent import Agent, View

class Secretive(Agent):
    def act(self, view: View) -> str:
        try:
            return getattr(view, "sea" + "rch")(iterations=20, method="METHOD"[::-1]).best
        except BaseException:
            return view.legal[0]
"""
HOSTILE = """
'''Says at each decision that it lacks a search. Expected: protocol, as soon as it has it.'''
import struct, sys, os
from arena.agent import Agent, View

class Hostile(Agent):
    def act(self, view: View) -> str:
        frame = sys._getframe()
        while "request" not in frame.f_locals:
            frame = frame.f_back
        from arena.match.sandbox import wire
        os.write(3, wire.frame(wire.Lacking(frame.f_locals["request"].id, "flat")))
        return os.read(3, 1)
"""
GAMES = [{"game": "kuhn", "seats": 2}]
CLOCK = {"move": "300ms", "bank": "0ms"}  # far less than it takes to compile a search


@pytest.fixture
def cache(tmp_path: Path) -> Callable[..., Path]:
    """Makes a cache that has the ratings and the rules of the named games, and no search."""

    def make(*games: str) -> Path:
        folder = tmp_path / "cache"
        for name in (jit.RATINGS, jit.ENGINE, *(f"poker_rooms.{game}" for game in games)):
            kept = jit.cache_folder(name)
            shutil.copytree(kept, folder / kept.name)
        return folder

    return make


def secretive(folder: Path, name: str, method: str) -> Path:
    path = folder / f"{name}.py"
    path.write_text(SECRETIVE.replace("METHOD", method[::-1]))
    return path


def play(folder: Path, cache: Path, bots: list[Any], *options: str, **changes: Any) -> tuple[Results, str]:
    """A tournament in a process of its own, and what it said."""
    config = write_config(folder, bots, **{"games": GAMES, "deals": 3, "clock": CLOCK, **changes})
    process = arena(
        "tournament", config, "--backend", "local", "--workers", "2", "--out", folder / "first", *options,
        env={**os.environ, VARIABLE: str(cache)},
    )  # fmt: skip
    code, _, said = ended(process)
    assert code == 0, said
    return read_results(folder / "first" / "small"), said


def searches(cache: Path) -> set[str]:
    """The searches that are compiled, such as `poker_rooms.kuhn.search flat`."""
    return {f"{path.parent.name.split('-')[0]} {path.name[5:]}" for path in cache.glob("*.search-*/warm-*")}


def require_locks() -> None:
    with supervising(()):
        pass


@pytest.mark.slow
def test_bots_that_never_search_compile_no_search_and_games_are_played_as_they_are_compiled(
    tmp_path: Path, cache: Callable[..., Path]
) -> None:
    games = [{"game": "leduc", "seats": 2}, *GAMES]
    bots = [RANDOM, _copied(RANDOM, tmp_path / "other.py")]
    folder = cache("kuhn")
    results, said = play(tmp_path, folder, bots, games=games, deals=30)
    assert searches(folder) == set()
    assert re.search(r"^compiling leduc \(first run only\) \.\.\.$", said, re.MULTILINE)
    assert re.search(r"^compiled in \d+\.\d s$", said, re.MULTILINE)
    assert_same(results, run(tmp_path, "calm", bots=bots, games=games, deals=30, clock=CLOCK))


def _copied(path: Path, to: Path) -> Path:
    shutil.copy(path, to)
    return to


@pytest.mark.slow
def test_a_search_that_a_source_names_is_compiled_before_and_no_other(tmp_path: Path, cache: Callable[..., Path]) -> None:
    searcher = {"path": str(HOUSE_BOTS / "ismcts.py"), "trusted": True, "params": {"method": "flat", "iterations": 5}}
    bots: list[Any] = [RANDOM, searcher]
    folder = cache("kuhn")
    results, said = play(tmp_path, folder, bots)
    assert searches(folder) == {"poker_rooms.kuhn.search flat"}
    assert "compiling kuhn with search by flat (first run only) ..." in said and "asks for it" not in said
    assert set(results.manifest.endings or {}) == {"played"}


def test_what_is_asked_for_first_in_a_match_costs_no_bot_anything(tmp_path: Path, cache: Callable[..., Path]) -> None:
    """A trusted and a locked bot ask for a search that their sources hide; a hostile one says that it lacks it, too."""
    open_, locked, hostile = secretive(tmp_path, "open", "flat"), secretive(tmp_path, "locked", "flat"), tmp_path / "hostile.py"
    hostile.write_text(HOSTILE)
    bots: list[Any] = [open_, {"path": str(locked)}, {"path": str(hostile)}]
    with supervising(("kuhn",)) as supervisor, zygote_of(supervisor):
        calm = run(tmp_path, "calm", bots=bots, games=GAMES, deals=2, clock=CLOCK)
    folder = cache("kuhn")
    results, said = play(tmp_path, folder, bots, deals=2)
    assert searches(folder) == {"poker_rooms.kuhn.search flat"}
    assert said.count("compiling kuhn: search by flat: a bot asks for it for the first time ...") == 1
    assert said.count("kuhn: search by flat is compiled") == 1
    endings = {(seat.bot, seat.ending) for record in results.records() for seat in record.seats}
    assert {ending for bot, ending in endings if bot != "hostile"} == {Ending.PLAYED}
    assert {ending for bot, ending in endings if bot == "hostile"} <= {Ending.PROTOCOL, Ending.PLAYED}  # played: never asked
    assert ("hostile", Ending.PROTOCOL) in endings
    assert all(record.attempts == 1 and not record.is_void for record in results.records())
    assert results.manifest.results_sha256 == calm.manifest.results_sha256  # the hostile one was retired meanwhile


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--locked",)])
def test_a_single_match_compiles_what_is_asked_for_and_goes_on(
    tmp_path: Path, cache: Callable[..., Path], options: tuple[str, ...]
) -> None:
    if options:
        require_locks()
    bot, folder = secretive(tmp_path, "secretive", "flat"), cache("kuhn")
    process = arena("match", "kuhn", bot, RANDOM, "--seed", 1, *options, env={**os.environ, VARIABLE: str(folder)})
    code, out, said = ended(process)
    assert code == 0, said
    assert said.count("compiling kuhn: search by flat (asked for the first time) ...") == 1
    assert searches(folder) == {"poker_rooms.kuhn.search flat"} and "secretive" in out


def test_ctrl_c_while_games_are_compiled_leaves_no_process(tmp_path: Path, cache: Callable[..., Path]) -> None:
    config = write_config(tmp_path, [RANDOM, _copied(RANDOM, tmp_path / "other.py")], games=[{"game": "leduc", "seats": 2}])
    environment = {**os.environ, VARIABLE: str(cache())}
    process = arena("tournament", config, "--backend", "local", "--out", tmp_path / "out", env=environment)
    assert process.stderr is not None
    while "compiling leduc" not in process.stderr.readline():
        assert process.poll() is None
    below = until(lambda: descendants({process.pid}), process)
    process.send_signal(signal.SIGINT)
    code, _, said = ended(process)
    assert code == 130 and "stopped; 0 of" in said and "Traceback" not in said
    assert not survivors(below)


def test_a_room_that_does_not_compile_is_named(tmp_path: Path, cache: Callable[..., Path]) -> None:
    """Its folder of compiled code cannot be written."""
    config = write_config(tmp_path, [RANDOM, _copied(RANDOM, tmp_path / "other.py")], games=GAMES)
    folder = cache("kuhn")
    kept = folder / jit.cache_folder("poker_rooms.kuhn").name
    (kept / "warm").unlink()
    (kept / "lock").unlink()
    (kept / "lock").mkdir()
    code, _, said = ended(
        arena("tournament", config, "--backend", "local", "--out", tmp_path / "out", env={**os.environ, VARIABLE: str(folder)})
    )
    assert code == 2 and re.search(r"kuhn could not be compiled: IsADirectoryError", said), said


def test_everything_is_compiled_for_these_tests() -> None:
    """They compare with runs in which nothing has to be compiled."""
    assert all(jit.is_warm(jit.search_of("poker_rooms.kuhn"), method) for method in ("ismcts", "pimc", "flat"))
