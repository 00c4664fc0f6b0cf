"""The functions of a graphics card, compiled without a card: what their code holds, and how they are kept."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena import cache, games
from arena.engine import jit
from arena.engine.cuda.source import Source
from arena.errors import ConfigError
from arena.learning.compiled import lanes
from helpers import poker_rooms
from helpers.cuda_driver import Driver, StandIn, build

pytest.importorskip("numba_cuda", reason="needs the extra cuda")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not jit.ENABLED, reason="compiles"),
    pytest.mark.filterwarnings("default"),  # numba-cuda's own
]

CARDS = {"an A100": (8, 0), "an H100": (9, 0)}
SMALLER = (("rollout_action", lanes.first_action), ("action_features", lanes.no_rows))
OF_ANY_GAME = [lane for lane in lanes.LANES if lane not in (lanes.advance_lane, lanes.random_lane)]
"""Lanes that call nothing of a game."""
NUMBERS = re.compile(r"\b(?:add|sub|mul|div|sqrt|rcp|fma|mad)\.(?:\w+\.)*f(?:16|32|64)\b")
"""Arithmetic of numbers with a fraction in PTX."""
ROUNDED = re.compile(r"(?:add|sub|mul|div|sqrt|rcp)\.rn\.f(?:32|64)")
"""That which rounds once, and which no assembler contracts: it may fuse a product and a sum that have no .rn."""
APPROXIMATE = re.compile(r"\b\w+\.approx\b|\.ftz\b|\b(?:ex2|lg2|sin|cos|tanh)\.")


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of the test's own, with nothing in it."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    for found in (cache.cache_root, jit.cache_folder):
        found.cache_clear()
    yield tmp_path
    for found in (cache.cache_root, jit.cache_folder):
        found.cache_clear()


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    return build(tmp_path_factory)


def source(game: str, lane: Any, *, is_small: bool = False) -> Source:
    loaded = games.load(game)
    games.encoding(loaded)
    return Source(loaded, lane, len(lanes.LANE_ORDER), SMALLER if is_small else ())


def assembled(one: Source, capability: tuple[int, int]) -> Counter[str]:
    """Compile a kernel to machine code; gives its operations on numbers with a fraction."""
    from cuda.core import Program, ProgramOptions

    from arena.engine.cuda import kernels

    name, text = kernels.ptx(one, capability)
    architecture = f"sm_{capability[0]}{capability[1]}"
    assert f".target {architecture}" in text
    (entry,) = re.findall(rf"\.visible \.entry {re.escape(name)}\((.*?)\)", text, re.DOTALL)
    assert [parameter.split()[:2] for parameter in entry.split(",")] == [[".param", ".u64"]] * 4
    assert ".const" not in text and ".callprototype" not in text  # so that the assembler knows what stack lanes need
    code = bytes(Program(text, "ptx", options=ProgramOptions(arch=architecture)).compile("cubin").code)
    assert code.startswith(b"\x7fELF") and name.encode() in code
    return Counter(NUMBERS.findall(text) + APPROXIMATE.findall(text))


def contracted(arithmetic: Counter[str]) -> list[str]:
    """What may come out otherwise than on a processor."""
    return [operation for operation in arithmetic if not ROUNDED.fullmatch(operation)]


@pytest.mark.parametrize("game", games.names())
@pytest.mark.parametrize("is_small", [True, False], ids=["smaller", "whole"])
def test_what_plays_a_game_becomes_a_kernel_that_contracts_nothing(game: str, is_small: bool) -> None:
    """The smaller kernels, which most tables have, for older cards; the whole ones for newer ones."""
    capability = CARDS["an A100" if is_small else "an H100"]
    arithmetic = assembled(source(game, lanes.advance_lane, is_small=is_small), capability)
    assert arithmetic and contracted(arithmetic) == []


@pytest.mark.parametrize("game", games.names())
def test_random_play_becomes_a_kernel(game: str) -> None:
    assert contracted(assembled(source(game, lanes.random_lane), CARDS["an H100"])) == []


@pytest.mark.parametrize("lane", OF_ANY_GAME, ids=lambda lane: lane.__name__)
@pytest.mark.parametrize("capability", CARDS.values(), ids=CARDS)
def test_what_is_the_same_in_all_games_becomes_a_kernel(lane: Any, capability: tuple[int, int]) -> None:
    assert contracted(assembled(source("naga", lane), capability)) == []


def test_a_game_from_outside_becomes_kernels(poker_rooms_installed: None) -> None:
    """Without an encoding of its own its features have logarithms, which NVIDIA's library works out in its own way."""
    card = CARDS["an H100"]
    assert contracted(assembled(source("kuhn", lanes.random_lane), card)) == []
    assert assembled(source("kuhn", lanes.advance_lane, is_small=True), card)["add.rn.f64"]


@pytest.fixture
def poker_rooms_installed(tmp_path: Path) -> Iterator[None]:
    with poker_rooms.installed(poker_rooms.GAMES, tmp_path):
        yield


def test_a_kernel_is_compiled_once_and_again_when_it_is_damaged(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from arena.engine.cuda import kernels

    made, compile_it = [], kernels._compiled
    monkeypatch.setattr(kernels, "_compiled", lambda *asked: made.append(asked[1]) or compile_it(*asked))
    halves, card = source("naga", lanes.halves_lane), CARDS["an H100"]
    path = kernels.path_of(halves, card)
    assert path.is_relative_to(own_cache) and not path.exists()
    first = kernels.kernel(halves, card)
    assert kernels.kernel(halves, card) == first and made == [card] and path.exists()
    assert kernels.kernel(halves, CARDS["an A100"]).cubin != first.cubin and made == [card, CARDS["an A100"]]
    assert capsys.readouterr().err == ""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    again = kernels.kernel(halves, card)
    assert again.cubin.startswith(b"\x7fELF") and len(made) == 3
    assert capsys.readouterr().err.count("compiled code was damaged and is compiled again") == 1
    assert kernels.kernel(halves, card) == again and len(made) == 3


@pytest.mark.parametrize("capability", [(3, 5), (13, 0)])
def test_cards_that_are_too_old_or_too_new_are_refused_in_a_line(capability: tuple[int, int], own_cache: Path) -> None:
    from arena.engine.cuda import kernels

    with pytest.raises(
        ConfigError, match=rf"^device: a card of compute capability {capability[0]}\.{capability[1]} [^\n]* know 5\.0 to "
    ):
        kernels.kernel(source("naga", lanes.halves_lane), capability)


def test_kernels_are_kept_apart_by_all_that_decides_what_they_are(
    own_cache: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The game, the lane, what takes the place of stubs, the kind of card, and the sources, those of arena/engine/cuda, too."""
    from arena.engine.cuda import kernels

    def path(game: str = "naga", lane: Any = lanes.advance_lane, *, is_small: bool = False, card: str = "an H100") -> Path:
        return kernels.path_of(source(game, lane, is_small=is_small), CARDS[card])

    paths = [path(), path("yaniv"), path(lane=lanes.answer_lane), path(is_small=True), path(card="an A100")]
    folder = tmp_path_factory.mktemp("sources")
    for file in Path(kernels.__file__).parent.glob("*.py"):
        (folder / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(kernels, "__file__", str(folder / "kernels.py"))
    kernels._own_hash.cache_clear()
    assert path() == paths[0]  # the same sources elsewhere
    with (folder / "machine.py").open("a") as edited:
        edited.write("\n")
    kernels._own_hash.cache_clear()
    paths.append(path())
    kernels._own_hash.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(jit, "cache_folder", lambda name: own_cache / f"edited {name}")
        paths.append(path())
    assert paths[-1].parent.name == "edited arena.games.naga.tables"
    assert len(set(paths)) == len(paths)


def parameters(stand_in: StandIn) -> list[Any]:
    """What the machine code of a kernel says of its parameters, and what a launch gives them."""
    from cuda.core import Device, LaunchConfig, ObjectCode, launch

    from arena.engine.cuda import kernels

    device = Device(0)
    device.set_current()
    compiled = kernels.kernel(source("naga", lanes.halves_lane), (9, 0))
    kernel = ObjectCode.from_cubin(compiled.cubin).get_kernel(compiled.name)
    values: list[Any] = []
    stand_in.on_launch(lambda asked: values.append(asked.parameters))
    launch(device.default_stream, LaunchConfig(grid=1, block=64), kernel, *map(np.int64, (1, 2, 3, 4)))
    return [[[one.offset, one.size] for one in kernel.arguments_info], *values]


def test_a_kernel_takes_four_words(driver: Driver) -> None:
    assert driver.run(parameters) == [[[0, 8], [8, 8], [16, 8], [24, 8]], [1, 2, 3, 4]]
