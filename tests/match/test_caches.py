"""Forgetting what was played takes more memory than the caches of the machine hold."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.match.sandbox import Supervisor, cgroups, doctor, forget_caches, processor
from arena.match.sandbox.child import Child
from arena.records import Ending
from helpers.locked_matches import LIMITS, RIVAL, play_locked


@pytest.fixture(autouse=True)
def anew() -> None:
    processor._others.cache_clear()


def test_the_largest_cache_is_filled_several_times_with_memory_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, size in enumerate(("32K", "512K", "1024K")):
        (tmp_path / f"index{number}").mkdir()
        (tmp_path / f"index{number}" / "size").write_text(f"{size}\n")
    monkeypatch.setattr(processor, "_CACHES", tmp_path)
    forget_caches()
    assert processor._others().nbytes == 3 << 20 and processor._others().all()


def test_where_the_kernel_does_not_tell_a_usual_size_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "_CACHES", tmp_path)
    assert processor._others().nbytes == 96 << 20
    processor._others.cache_clear()


@pytest.mark.parametrize(("limit", "cores", "filled"), [(256, 2, 16), (1024, 4, 32), (8192, 2, 96)])
def test_all_workers_together_fill_an_eighth_of_the_memory_at_most(
    limit: int, cores: int, filled: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processor, "_largest", lambda: 32 << 20)
    monkeypatch.setattr(cgroups, "memory_limit", lambda: limit << 20)
    monkeypatch.setattr(processor, "_CORES", cores)
    forget_caches()
    assert processor._others().nbytes == processor.filling() == filled << 20
    processor._others.cache_clear()


def test_the_doctor_says_where_caches_are_not_emptied_wholly(monkeypatch: pytest.MonkeyPatch) -> None:
    check, _, is_needed = doctor._CHECKS["processor caches"]
    monkeypatch.setattr(processor, "_largest", lambda: 300 << 20)
    monkeypatch.setattr(processor, "_CORES", 2)
    assert not is_needed
    monkeypatch.setattr(cgroups, "memory_here", lambda: 64 << 30)
    assert check() == ""
    monkeypatch.setattr(cgroups, "memory_here", lambda: 256 << 20)
    assert check().startswith("not emptied wholly: a worker fills them with 16 MB and not with 900 MB")


def test_where_a_config_asks_for_it_caches_are_filled_before_each_decision_and_nobody_else_runs(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled, paused = list[bool](), list[int]()
    before = Child.pause
    monkeypatch.setattr(processor, "forget_caches", lambda: filled.append(True))
    monkeypatch.setattr(Child, "pause", lambda self: (paused.append(self.pid), before(self)))
    for clean in (False, True):
        found = play_locked(supervisor, [RIVAL, RIVAL], limits=replace(LIMITS, clean_caches=clean))
        assert all(seat.ending is Ending.PLAYED for seat in found.record.seats)
        assert (bool(filled), len(set(paused))) == (clean, 2 * clean)
