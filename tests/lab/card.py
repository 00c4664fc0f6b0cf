"""What is to be known of a graphics card, in less than five minutes: kernels, equal bytes, steps per second, a training."""

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import metadata
from importlib.util import find_spec
from multiprocessing import get_context
from time import perf_counter

import msgspec

from arena.cli.measuring.card import CardSpeed, Check, card_speeds, checks
from arena.learning.compiled import lanes
from arena.learning.device import device_of
from arena.learning.on_device import OnDevice
from arena.learning.selfplay import SelfPlay
from arena.learning.tables import Tables
from lab.card_training import Training, train

PACKAGES = ("numba-cuda", "cuda-core", "numba", "numpy", "torch", "jax", "pgx")
STEPS = 20_000  # of each comparison; `arena bench env --device cuda --check` has more
TRAINED = "naga"


class CardFacts(msgspec.Struct, frozen=True):
    """All of it."""

    card: str
    versions: dict[str, str]
    compile_seconds: dict[str, float]
    """By game: all kernels that the rest needs, each game in a process of its own."""
    speeds: list[CardSpeed]
    checks: list[Check]
    training: Training | None
    """None without torch."""

    @property
    def is_right(self) -> bool:
        """Whether all tables were the same on the card and on the processor."""
        return not any(one.difference for one in self.checks)


def card_facts(names: Sequence[str], device: str, *, seconds: float, training: float, say: Callable[[str], None]) -> CardFacts:
    """Find it out. `seconds`: of each measurement; `training`: of the training."""
    card = device_of(device, None)
    say(f"{card.name}: compiling ...")
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        compiled = dict(zip(names, pool.map(_compiled, names, [device] * len(names))))
    say(f"compiled: {compiled}")
    found = list(checks(names, card, STEPS, say))
    speeds = card_speeds(names, card, seconds, say)
    learnt = train(TRAINED, training, device, say) if find_spec("torch") else None
    versions = {name: metadata.version(name) for name in PACKAGES if _is_installed(name)}
    return CardFacts(card.name, versions, compiled, speeds, found, learnt)


def _compiled(name: str, device: str) -> float:
    """Have all kernels of a game in the cache; gives the seconds that took."""
    began = perf_counter()
    playing = SelfPlay(name, 64, action_features=True, device=device).tables.playing
    assert isinstance(playing, OnDevice)
    for lane in (lanes.choose_lane, lanes.random_lane):
        playing.run_lane(lane, 0)
    SelfPlay(name, 64, device=device, feature_type="uint8")
    if name == TRAINED:
        Tables(name, 64, rivals=["policy"], device=device)
    return perf_counter() - began


def _is_installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
