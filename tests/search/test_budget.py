"""A time budget ends where it should, by clocks that go in steps as well."""

from types import SimpleNamespace

import numpy as np
import pytest

from arena.search import budget
from arena.search.workspace import BEGAN, COUNTERS, DONE, NANOSECONDS, SIMULATIONS, Workspace

SIMULATION = 20_000  # nanoseconds


def spent(monkeypatch: pytest.MonkeyPatch, allowed: int, step: int, began: int) -> tuple[int, int]:
    """The nanoseconds that a search takes, and how often it reads a clock that goes in steps."""
    now, readings = began, 0

    def reading() -> int:
        nonlocal readings
        readings += 1
        return now // step * step

    monkeypatch.setattr(budget, "thread_nanoseconds", reading)
    settings = np.zeros(max(BEGAN, NANOSECONDS, SIMULATIONS) + 1, np.int64)
    settings[NANOSECONDS], settings[BEGAN] = allowed, began // step * step
    work: Workspace = SimpleNamespace(counters=np.zeros(COUNTERS, np.int64), settings=settings)  # type: ignore[assignment]
    while not budget.is_spent(1, work):
        now += SIMULATION
        work.counters[DONE] += 1
    return now - began, readings


@pytest.mark.parametrize("allowed", [500_000, 2_000_000, 20_000_000, 200_000_000])
@pytest.mark.parametrize("began", [0, 123_456, 999_999])
def test_a_time_budget_is_kept_to_a_step_of_the_clock(allowed: int, began: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for step in (1, budget.STEP):
        took, readings = spent(monkeypatch, allowed, step, began)
        assert abs(took - allowed) < step + 0.1 * allowed + SIMULATION
        assert readings < 300
