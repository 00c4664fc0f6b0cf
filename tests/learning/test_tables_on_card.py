"""Tables on a graphics card, with a stand-in for NVIDIA's driver that runs the lanes: what a card is asked, and what it shows.

Functions that get a `StandIn` run in processes of their own.
"""

import gc
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from helpers import dlpack
from helpers.card_lanes import Shown, let_lanes_run
from helpers.cuda_driver import Driver, StandIn, build

pytest.importorskip("numba_cuda", reason="needs the extra cuda")
pytestmark = pytest.mark.slow

TABLES, STEPS = 7, 120
LEGACY = 1
"""The handle of the stream that everybody has without asking for one."""


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    return build(tmp_path_factory)


# ---- What runs in processes of its own


def told(call: Any) -> str:
    """The error of a call that is to fail in one line, with its kind."""
    try:
        call()
    except Exception as error:
        assert "\n" not in str(error), error
        return f"{type(error).__name__}: {error}"
    return "nothing"


def here(array: Any) -> Any:
    """What an array on the card, or on the processor, holds."""
    return np.asarray(array)


def own_stream() -> Any:
    from cuda.core import Device

    device = Device(0)
    device.set_current()
    return device.create_stream()


def on_card(game: str = "naga", tables: int = TABLES, device: str = "cuda", **asked: Any) -> Any:
    from arena.learning.tables import Tables

    made = Tables(game, tables, device=device, seed=3, **asked)
    made.reset()
    return made


def legal(mask: Any) -> Any:
    """The first legal action of each table."""
    return np.asarray(here(mask).argmax(axis=1), np.int64)


def last_of(mask: Any) -> Any:
    mask = here(mask)
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


def last_by_the_processor(batch: Any) -> Any:
    return last_of(batch.mask)


def last_by_the_card(batch: Any) -> Any:
    """On a card the arrays are its own, with a row for every table, and so is the answer."""
    from arena.engine.cuda.arrays import CardArray
    from arena.engine.cuda.card import Card

    if isinstance(batch.mask, np.ndarray):
        return last_of(batch.mask)
    assert all(isinstance(one, CardArray) for one in (batch.seat, batch.features, batch.mask, batch.counts, batch.actions))
    assert batch.tables is None and len(batch.mask) == len(batch.seat) == len(batch.features) == TABLES
    return Shown(Card().put(last_of(batch.mask)))


CALLABLES = {"card": last_by_the_card, "processor": last_by_the_processor}


def differences(stand_in: StandIn, game: str, asked: dict[str, Any]) -> list[Any]:
    """Play the same choices on the card and on the processor. Gives the first difference, and how many episodes ended."""
    from arena.engine.cuda.card import Card
    from arena.learning.tables import Tables
    from learning.test_learners_threads import choices, shown

    let_lanes_run(stand_in)
    rivals = [CALLABLES.get(rival, rival) for rival in asked.pop("rivals", [])]
    plain, carded = (Tables(game, TABLES, rivals=rivals, seed=3, **asked, **on) for on in ({}, {"device": "cuda"}))
    plain.reset()
    carded.reset()
    rng, card, ended = np.random.default_rng(5), Card(), 0
    forms = [card.put, lambda chosen: chosen, lambda chosen: Shown(card.put(chosen)), lambda chosen: chosen.tolist()]
    for step in range(STEPS):
        for place, (one, other) in enumerate(zip(shown(plain), shown(carded), strict=True)):
            if one.tobytes() != here(other).tobytes():
                return [[step, place], ended]
        if plain.positions()[1].tobytes() != here(carded.positions()[1]).tobytes():
            return [[step, "books"], ended]
        chosen = choices(plain.mask, rng)
        plain.step(chosen)
        carded.step(forms[step % len(forms)](chosen))
        ended += int(plain.terminated.sum())
    return [None, ended]


def self_play(stand_in: StandIn, feature_type: str) -> list[Any]:
    """The largest difference of features and of masks between self-play here and on the card, after some steps."""
    from arena.learning.selfplay import SelfPlay

    let_lanes_run(stand_in)
    plain, carded = SelfPlay("naga", 3, seed=2), SelfPlay("naga", 3, seed=2, device="cuda", feature_type=feature_type)
    lows, highs = plain.tables.encoding.limits
    unit = {"uint8": (highs - lows) / 255, "float16": np.float32(1)}[feature_type]
    low = lows if feature_type == "uint8" else np.float32(0)
    worst, other = 0.0, 0
    for _ in range(4):
        assert carded.features.dtype == np.dtype(feature_type) and carded.features.shape == plain.features.shape
        close = here(carded.features).astype(np.float32) * unit + low - plain.features
        worst = max(worst, float(np.abs(close / np.where(unit > 0, unit, 1)).max()))
        other += int((here(carded.mask) != plain.mask).sum() + (here(carded.seat_rewards) != plain.seat_rewards).sum())
        other += int((carded.finished != plain.finished).sum())
        chosen = legal(plain.mask)
        plain.step(chosen)
        carded.step(chosen)
    return [worst, other]


class OfOthers:
    """A stream of another library."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, int(self.stream.handle)


class OfTorch:
    """A stream as torch has them."""

    def __init__(self, stream: Any) -> None:
        self.cuda_stream = int(stream.handle)


def streams(stand_in: StandIn, kind: str) -> list[Any]:
    """What waits in three steps, whether all of it runs on the caller's stream, and the calls of the last one."""
    from arena.engine.cuda.card import Card

    launches = let_lanes_run(stand_in)
    stream = own_stream()
    forms = {"handle": lambda: int(stream.handle), "others": lambda: OfOthers(stream), "torch": lambda: OfTorch(stream)}
    given = forms[kind]() if kind in forms else {"none": None, "torch's default": 0}[kind]
    ours = int(stream.handle) if kind in forms else LEGACY
    stand_in.forget()
    tables = on_card(stream=given, feature_type="uint8", rivals=["policy"])
    made_on = stand_in.streams()
    chosen = Card(stream=given).put(legal(tables.mask))
    for _ in range(3):
        stand_in.forget()
        launches.clear()
        tables.step(chosen)
    assert [one.stream for one in launches] == [ours, ours]
    assert all(one.grid == (1, 1, 1) and one.block == (64, 1, 1) for one in launches)
    counts = dict(stand_in.counts())
    return [stand_in.waits(), [stand_in.streams() == {ours}, made_on == {ours}], counts]


def other_streams(stand_in: StandIn) -> dict[str, Any]:
    """The order of calls where choices come from another stream, and where another stream takes features."""
    from arena.engine.cuda.card import Card

    let_lanes_run(stand_in)
    ours, theirs = own_stream(), own_stream()
    names = {int(ours.handle): "ours", int(theirs.handle): "theirs", LEGACY: "legacy", 2: "per thread"}
    tables = on_card(stream=ours)
    chosen = Card(stream=theirs).put(legal(tables.mask))

    def calls(act: Any) -> list[str]:
        stand_in.forget()
        assert act() is not NotImplemented and stand_in.waits() == []
        work = [call for call in stand_in.log() if call.stream in names and not call.name.startswith("cuStreamGet")]
        return [f"{call.name} {names[call.stream]}" for call in work if call.stream is not None]

    def taken(stream: int | None) -> list[str]:
        return calls(lambda: tables.features.__dlpack__(stream=stream))

    return {
        "a step": calls(lambda: tables.step(chosen)),
        "a step by choices without a stream": calls(lambda: tables.step(Shown(chosen, stream="left out"))),
        "a step by choices of no stream": calls(lambda: tables.step(Shown(chosen, stream=None))),
        "taken by their stream": taken(int(theirs.handle)),
        "taken by our stream": taken(int(ours.handle)),
        "taken without order": taken(-1),
        "taken by whom nothing is said of": taken(None),
        "taken by the stream of a thread": taken(2),
    }


def refusals(stand_in: StandIn) -> dict[str, str]:
    """What is said to wrong choices, streams and devices; no table has played."""
    from arena.engine.cuda.card import Card
    from arena.learning.tables import Tables

    let_lanes_run(stand_in)
    tables = on_card(illegal="raise")
    card = Card()
    before = [one.tobytes() for one in tables.positions()]
    wrong, right = np.full(TABLES, 99), legal(tables.mask)
    wrong[:2] = right[:2]
    two = card.put(np.stack([right, right], axis=1))
    every_second = card.put(np.repeat(right, 2))[::2]
    found = {
        "illegal, on the card": told(lambda: tables.step(card.put(wrong))),
        "illegal, here": told(lambda: tables.step(wrong)),
        "negative": told(lambda: tables.step(card.put(np.full(TABLES, -1)))),
        "int32": told(lambda: tables.step(card.put(right.astype(np.int32)))),
        "float64": told(lambda: tables.step(Shown(card.put(right.astype(np.float64))))),
        "too few": told(lambda: tables.step(card.put(right)[1:])),
        "a matrix": told(lambda: tables.step(two)),
        "with gaps": told(lambda: tables.step(every_second)),
        "not on the card": told(lambda: tables.step(Shown(card.put(right), data=(right.ctypes.data, False)))),
        "too many, here": told(lambda: tables.step(np.zeros(TABLES + 1, np.int64))),
        "words": told(lambda: tables.step("first")),
        "a stream that is none": told(lambda: Tables("naga", 2, device="cuda", stream="mine")),
        "a negative stream": told(lambda: Tables("naga", 2, device="cuda", stream=-3)),
        "yes for a stream": told(lambda: Tables("naga", 2, device="cuda", stream=True)),
        "the second card": told(lambda: Tables("naga", 2, device="cuda:1")),
        "a card of words": told(lambda: Tables("naga", 2, device="cuda:first")),
    }
    assert [one.tobytes() for one in tables.positions()] == before
    tables.step(card.put(right))
    assert [one.tobytes() for one in tables.positions()] != before
    return found


def arrays(stand_in: StandIn) -> dict[str, Any]:
    """What arrays of tables on a card say of themselves to others, and slices of them."""
    let_lanes_run(stand_in)
    tables = on_card(action_features=True)
    tables.step(legal(tables.mask))
    whole = {
        "features": tables.features, "final_features": tables.final_features, "action_features": tables.action_features,
        "mask": tables.mask, "actions": tables.actions, "counts": tables.counts, "seat": tables.seat,
        "rewards": tables.rewards, "seat_rewards": tables.seat_rewards, "terminated": tables.terminated,
        "truncated": tables.truncated, "final_places": tables.final_places,
    }  # fmt: skip
    found = {}
    for name, array in whole.items():
        side = array.__cuda_array_interface__
        capsule = dlpack.tensor(array.__dlpack__(stream=-1))
        assert dlpack.tensor(array.__dlpack__(max_version=(1, 1))) == capsule
        assert capsule.device == tuple(map(int, array.__dlpack_device__())) == (dlpack.CUDA, 0) and not capsule.is_readonly
        assert capsule.address == side["data"][0] == array.address and side["data"][1] is False
        assert tuple(side["shape"]) == array.shape == tuple(capsule.shape) and side["version"] == 3 and side["stream"] == LEGACY
        assert [step // array.dtype.itemsize for step in side["strides"]] == capsule.strides
        # Read as a stranger reads it: the last byte lies inside, too.
        memory = stand_in.memory(array.address, array.extent, np.uint8)
        seen: Any = np.ndarray(array.shape, side["typestr"], memory.data, strides=side["strides"])
        assert np.array_equal(seen, np.asarray(array)) and repr(array)
        found[name] = [capsule.kind, list(array.shape), capsule.strides]
    return found


def parts(stand_in: StandIn) -> list[str]:
    """Slices that differ from those of the same array here, and what is said to what is no slice."""
    from arena.engine.cuda.card import Card

    plain: Any = np.arange(120.0).reshape(4, 5, 6)
    array = Card().put(plain)
    keys: list[Any] = [
        0, -1, np.int64(2), slice(1, 3), slice(None, None, 2), slice(-2, None), slice(3, 1), (slice(None), 2), (1, 2, 3),
        (slice(1, None, 3), slice(None), -1), (slice(None), slice(1, 4), slice(0, 6, 5)), (2, slice(None), 0),
    ]  # fmt: skip
    wrong = [str(key) for key in keys if not np.array_equal(here(array[key]), plain[key])]
    assert np.array_equal(np.asarray(array, np.float32), plain.astype(np.float32))
    assert array.copy_to_host().flags.writeable and len(array) == 4 and array.ndim == 3
    refused = [
        told(lambda: array[4]), told(lambda: array[0, 0, 0, 0]), told(lambda: array[::-1]), told(lambda: array[[0, 1]]),
        told(lambda: np.asarray(array, copy=False)), told(lambda: array.__dlpack__(dl_device=(1, 0))),
        told(lambda: array.__dlpack__(dl_device=(2, 0))), told(lambda: array.__dlpack__(copy=True)),
        told(lambda: Card().write(array, plain[:3])),
    ]  # fmt: skip
    return [*wrong, *refused]


def memory(stand_in: StandIn) -> list[Any]:
    """Memory of the card in use before, while and after there are tables, and with a capsule of theirs that somebody keeps."""
    let_lanes_run(stand_in)
    before = stand_in.used_memory()
    tables = on_card(rivals=[last_by_the_card], logs=True, action_features=True, feature_type="float16")
    for _ in range(5):
        tables.step(legal(tables.mask))
    during = stand_in.used_memory()
    for _ in range(5):
        tables.step(legal(tables.mask))
    grown = stand_in.used_memory() - during
    capsule = tables.mask.__dlpack__()
    size = tables.mask.extent
    del tables
    gc.collect()
    kept = stand_in.used_memory() - before
    del capsule
    return [before, during > 0, grown, kept == size, stand_in.used_memory() - before]


def too_much(stand_in: StandIn) -> list[Any]:
    """What is said where the card has no room, what is left in use, and that fewer tables can be made then."""
    let_lanes_run(stand_in)
    stand_in.limit_memory(2_000_000)
    said = told(lambda: on_card(tables=65_536))
    gc.collect()
    left = stand_in.used_memory()
    tables = on_card(tables=2)
    tables.step(np.zeros(2, np.int64))

    def full(*_: Any) -> None:
        raise RuntimeError("CUDA_ERROR_OUT_OF_MEMORY: as drivers say where memory of lanes is not to be had")

    pytest.MonkeyPatch().setattr("arena.engine.cuda.card.launch", full)
    return [said, left, told(lambda: tables.step(np.zeros(2, np.int64)))]


def another_thread(stand_in: StandIn) -> list[str]:
    """What steps, resets, new tables and reads in a thread that did not make the tables end with."""
    let_lanes_run(stand_in)
    tables = on_card()
    chosen = legal(tables.mask)
    said: list[str] = []

    def work() -> None:
        said.append(told(lambda: tables.step(chosen)))
        said.append(told(lambda: tables.reset(7)))
        said.append(told(lambda: np.asarray(tables.features)))
        said.append(told(lambda: tables.features.__dlpack__()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return said


def contexts(stand_in: StandIn) -> list[int]:
    """What a step and a look leave as the current context, call by call, where the caller works on another card: context 7."""
    from cuda.bindings import driver

    from arena.engine.cuda import arrays

    let_lanes_run(stand_in)
    tables = on_card()
    left: list[int] = []
    seen = SimpleNamespace(
        CUresult=driver.CUresult,
        cuCtxGetCurrent=lambda: (driver.CUresult.CUDA_SUCCESS, driver.CUcontext(7)),
        cuCtxSetCurrent=lambda context: left.append(int(context)),
    )
    pytest.MonkeyPatch().setattr(arrays, "driver", seen)
    tables.step(np.zeros(TABLES, np.int64))
    after_step = len(left)
    tables.features.__dlpack__()
    return [after_step, len(left), *set(left)]


def two_cards(stand_in: StandIn) -> list[Any]:
    """On which cards the arrays of tables on two of them say that they lie, by one stream, and whether they hold the same."""
    stand_in.add_device()
    let_lanes_run(stand_in)
    first, second = (on_card(device=device) for device in ("cuda", "cuda:1"))
    for tables in (first, second):
        capsule = dlpack.tensor(tables.features.__dlpack__())
        assert capsule.device == tables.features.__dlpack_device__()
        tables.step(legal(tables.mask))
    is_same = here(first.features).tobytes() == here(second.features[:]).tobytes()
    return [first.mask.__dlpack_device__()[1], second.mask[1:].__dlpack_device__()[1], is_same]


def environment(stand_in: StandIn, folder: str) -> list[Any]:
    """An environment of Gymnasium on the card until an episode ends, which is kept as a match."""
    import gymnasium

    from arena.learning.gymnasium import MatchesOnCard, environment_id

    let_lanes_run(stand_in)
    env: Any = gymnasium.make_vec(environment_id("naga"), 5, device="cuda", logs=True, rivals=["policy"])
    assert isinstance(env, MatchesOnCard)
    observation, infos = env.reset(seed=4)
    rng, ended = np.random.default_rng(1), np.zeros(5, bool)
    while not ended.any():
        assert env.observation_space.contains(here(observation))
        mask = here(infos["action_mask"])
        observation, rewards, terminated, truncated, infos = env.step((rng.random(mask.shape) * mask).argmax(axis=1))
        ended = here(terminated)
        assert not here(truncated).any() and here(rewards).shape == (5,)
    table = int(ended.argmax())
    places = here(infos["places"])[table].tolist()
    return [env.keep_episode(Path(folder), table, "pupil"), sorted(places)]


def checked(stand_in: StandIn, game: str, steps: int) -> list[Any]:
    """The exit code of `arena bench env GAME --device cuda --check`."""
    from arena.cli.main import main

    let_lanes_run(stand_in)
    code = main(["bench", "env", "--game", game, "--device", "cuda", "--check", "--steps", str(steps), "--format", "json"])
    return [code]


def command(stand_in: StandIn, limit: int) -> None:
    """Measure speeds on a card with little memory, as the command line does; the process ends with its exit code."""
    from arena.cli.main import main

    let_lanes_run(stand_in)
    stand_in.limit_memory(limit)
    sys.exit(main(["bench", "env", "--game", "naga", "--device", "cuda", "--seconds", "0.01"]))


# ---- The tests

BOTH = pytest.mark.parametrize("game", ["naga", "yaniv"])


@BOTH
@pytest.mark.parametrize(
    "asked",
    [
        {"rivals": ["random", "policy"], "action_features": True},
        {"learners": [0, 1], "autoreset": "next_step", "reward": "score"},
        {"rivals": ["card"], "episode": "round"},
        {"rivals": ["random", "processor"], "logs": True, "autoreset": "off"},
    ],
    ids=lambda asked: ",".join(map(str, asked)),
)
def test_tables_on_a_card_play_as_those_on_the_processor(driver: Driver, game: str, asked: dict[str, Any]) -> None:
    """Choices come as arrays of arena's, of numpy's, of another library's, and as lists; some are illegal."""
    more: dict[str, Any] = {"seats": 3} if game == "yaniv" and "learners" not in asked else {}
    if game == "naga" and "rivals" in asked:
        more = {"rivals": asked["rivals"][-1:]}
    difference, ended = driver.run(differences, game, {**asked, **more})
    assert difference is None and ended


@pytest.mark.parametrize(("kind", "most"), [("float16", 1e-3), ("uint8", 0.51)])
def test_features_of_fewer_bytes_are_near_to_the_others(driver: Driver, kind: str, most: float) -> None:
    worst, others = driver.run(self_play, kind)
    assert 0 <= worst <= most and others == 0


@pytest.mark.parametrize("kind", ["none", "torch's default", "handle", "others", "torch"])
def test_a_step_waits_for_nothing_and_works_on_the_callers_stream(driver: Driver, kind: str) -> None:
    waits, is_on_one, counts = driver.run(streams, kind)
    assert waits == [] and is_on_one == [True, True]
    assert counts == {"cuMemcpyDtoDAsync": 1, "cuLaunchKernelEx": 2}


def test_streams_wait_for_each_other_where_arrays_go_from_one_to_another(driver: Driver) -> None:
    found = driver.run(other_streams)
    step = ["cuMemcpyDtoDAsync ours", "cuLaunchKernelEx ours"]
    assert found["a step"] == ["cuEventRecord theirs", "cuStreamWaitEvent ours", *step]
    assert found["a step by choices without a stream"] == found["a step by choices of no stream"] == step
    for stream, words in (
        ("theirs", "by their stream"),
        ("legacy", "by whom nothing is said of"),
        ("per thread", "by the stream of a thread"),
    ):
        assert found[f"taken {words}"] == ["cuEventRecord ours", f"cuStreamWaitEvent {stream}"]
    assert found["taken by our stream"] == found["taken without order"] == []


def test_what_cannot_be_is_refused_in_a_line_and_no_table_plays(driver: Driver) -> None:
    found = driver.run(refusals)
    for illegal in ("illegal, on the card", "illegal, here"):
        assert found.pop(illegal).startswith("IllegalChoice: table 2: index 99 is not legal; legal: ")
    assert found.pop("negative").startswith("IllegalChoice: table 0: index -1 is not legal; legal: ")
    needed = f"ConfigError: indices: int64 [{TABLES}] without gaps is needed, not "
    assert found.pop("int32") == f"{needed}int32 [{TABLES}]"
    assert found.pop("float64") == f"{needed}float64 [{TABLES}]"
    assert found.pop("too few") == f"{needed}int64 [{TABLES - 1}]"
    assert found.pop("a matrix") == f"{needed}int64 [{TABLES}, 2]"
    assert found.pop("with gaps") == f"{needed}int64 [{TABLES}] with gaps"
    assert found.pop("not on the card").startswith("RuntimeError: the card's driver: CUDA_ERROR_")
    assert found.pop("too many, here").startswith("ValueError: ")
    assert found.pop("words").startswith("ValueError: ")
    for stream in ("a stream that is none", "a negative stream", "yes for a stream"):
        assert found.pop(stream).startswith("ConfigError: stream: ")
    assert found.pop("the second card").startswith('ConfigError: device: no card "cuda:1" here: ')
    assert found.pop("a card of words").startswith("ConfigError: device: no 'cuda:first'; ")
    assert found == {}


def test_arrays_have_a_table_per_column_and_others_take_them_without_a_copy(driver: Driver) -> None:
    found = driver.run(arrays)
    for name, (_, shape, strides) in found.items():
        rows = 2 * TABLES if name in ("features", "final_features") else TABLES
        assert shape[0] == TABLES and strides[:2] == [1, rows][: len(shape)], name
        assert strides[2:] == [rows * size for size in shape[1:-1]]
    kinds = {name: kind for name, (kind, _, _) in found.items()}
    assert kinds["features"] == kinds["final_features"] == kinds["action_features"] == "float32"
    assert kinds["mask"] == kinds["terminated"] == kinds["truncated"] == "bool8"
    assert {kinds[name] for name in ("counts", "seat", "actions", "final_places")} == {"int64"}
    assert kinds["rewards"] == kinds["seat_rewards"] == "float64"


def test_parts_of_an_array_are_those_of_numpy_and_the_rest_is_refused(driver: Driver) -> None:
    found = driver.run(parts)
    kinds = [one.partition(":")[0].removesuffix("Error") for one in found]
    assert kinds == ["Index", "Index", "Index", "Type", "Value", "Buffer", "nothing", "Buffer", "Value"], found


def test_memory_is_given_back_when_tables_go(driver: Driver) -> None:
    assert driver.run(memory) == [0, True, 0, True, 0]


def test_too_many_tables_for_a_card_are_refused_in_a_line(driver: Driver) -> None:
    said, left, at_launch = driver.run(too_much)
    assert said.startswith("OutOfCardMemory: ") and said.endswith("take fewer tables") and left == 0
    assert at_launch.startswith("OutOfCardMemory: ") and "no room for what lanes work in" in at_launch


def test_tables_may_be_played_by_another_thread_than_the_one_that_made_them(driver: Driver) -> None:
    assert driver.run(another_thread) == ["nothing"] * 4


def test_the_callers_card_stays_the_current_one(driver: Driver) -> None:
    after_step, after_look, *left = driver.run(contexts)
    assert 0 < after_step < after_look and left == [7]


def test_tables_on_two_cards_are_each_on_their_own(driver: Driver) -> None:
    assert driver.run(two_cards) == [0, 1, True]


def test_an_episode_on_a_card_is_a_match_that_is_replayed_and_audited(driver: Driver, tmp_path: Path) -> None:
    kept, places = driver.run(environment, str(tmp_path))
    assert places[0] == 1
    for words in (["replay", kept], ["verify-results", "people"]):
        done = arena(*words, "--out", str(tmp_path))
        assert done.returncode == 0, done.stderr
    assert "pupil" in arena("replay", kept, "--out", str(tmp_path)).stdout


def test_the_command_line_compares_a_card_with_the_processor(driver: Driver) -> None:
    assert driver.run(checked, "naga", 40) == [0]


def test_the_command_line_says_in_a_line_that_a_card_has_no_room(driver: Driver) -> None:
    done = driver.ended(command, 100_000)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert "device: no room for 16,384 tables of naga" in done.stderr.splitlines()[-1]


def test_the_command_line_says_in_a_line_that_there_is_no_card() -> None:
    """No stand-in: there is no driver where there is no card."""
    done = arena("bench", "env", "--game", "naga", "--device", "cuda")
    if done.returncode == 0:
        pytest.skip("there is a card")
    assert done.returncode == 2 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert 'device: no card "cuda:0" here: ' in line


def arena(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-m", "arena", *words], capture_output=True, text=True, check=False)
