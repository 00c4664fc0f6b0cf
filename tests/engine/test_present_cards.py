"""What the driver tells of a machine's cards: a stand-in for it, and none at all."""

from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

import pytest

from arena.cli.verbs import doctor
from helpers.cuda_driver import Driver, StandIn, build


def told(stand_in: StandIn, memory: int) -> list[Any]:
    """The cards that are found, the line of `arena doctor`, and what was asked of a card for it."""
    from arena.engine.cuda.present import present_cards

    stand_in.limit_memory(memory)
    cards = [asdict(card) for card in present_cards()]
    finding = doctor._graphics_cards()
    return [cards, [finding.works, finding.is_needed, finding.detail], stand_in.used_memory(), sorted(stand_in.streams())]


@pytest.mark.slow
def test_a_card_tells_its_name_its_capability_and_its_memory(tmp_path_factory: pytest.TempPathFactory) -> None:
    driver: Driver = build(tmp_path_factory)
    cards, finding, used, streams = driver.run(told, 8_000_000_000)
    assert cards == [{"name": "Stand-in for a card", "capability": [9, 0], "memory": 8_000_000_000}]
    assert finding == [True, False, "Stand-in for a card, compute capability 9.0, 8.0 GB"]
    assert used == 0 and streams == []


@pytest.mark.skipif(find_spec("cuda") is None, reason="needs the package cuda-core")
def test_a_machine_without_a_driver_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from cuda.pathfinder import DynamicLibNotFoundError

    from arena.engine.cuda import present

    def missing(_flags: int) -> None:
        raise DynamicLibNotFoundError("libcuda.so.1 ...")

    monkeypatch.setattr(present.driver, "cuInit", missing)
    finding = doctor._graphics_cards()
    assert not finding.works and not finding.is_needed
    assert finding.detail == "none that can be used: NVIDIA's driver is missing"


def test_a_machine_without_numba_cuda_is_told_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "find_spec", lambda name: None if name == "numba_cuda" else find_spec(name))
    finding = doctor._graphics_cards()
    assert not finding.works and not finding.is_needed and "pip install 'arena-hall[cuda]'" in finding.detail
