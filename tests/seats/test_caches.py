"""Forgetting what was played takes more memory than the caches of the machine hold."""

from pathlib import Path

import pytest

from arena.seats.sandbox import caches, forget_caches


@pytest.fixture(autouse=True)
def anew() -> None:
    caches._others.cache_clear()


def test_the_largest_cache_is_filled_several_times_with_memory_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, size in enumerate(("32K", "512K", "1024K")):
        (tmp_path / f"index{number}").mkdir()
        (tmp_path / f"index{number}" / "size").write_text(f"{size}\n")
    monkeypatch.setattr(caches, "_CACHES", tmp_path)
    forget_caches()
    assert caches._others().nbytes == 3 << 20 and caches._others().all()


def test_where_the_kernel_does_not_tell_a_usual_size_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caches, "_CACHES", tmp_path)
    assert caches._others().nbytes == 96 << 20
    caches._others.cache_clear()
