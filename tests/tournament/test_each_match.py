"""Something is worked out for each of many stored matches: all of them once and in their order, in batches of bounded work."""

import pytest

from arena.tournament.workers import each_match as module
from arena.tournament.workers.each_match import BATCH_MATCHES
from helpers.records import make_record


@pytest.mark.parametrize(
    ("matches", "actions", "most", "sizes"),
    [(0, 5, 10, []), (5, 5, 10, [2, 2, 1]), (3, 50, 10, [1, 1, 1]), (BATCH_MATCHES + 1, 0, 10, [BATCH_MATCHES, 1])],
)
def test_a_batch_ends_where_its_work_is_enough(
    monkeypatch: pytest.MonkeyPatch, matches: int, actions: int, most: int, sizes: list[int]
) -> None:
    monkeypatch.setattr(module, "BATCH_ACTIONS", most)
    found = list(module._batches(make_record(number, actions=(0,) * actions) for number in range(matches)))
    assert [one.index for batch in found for one in batch] == list(range(matches))
    assert [len(batch) for batch in found] == sizes
