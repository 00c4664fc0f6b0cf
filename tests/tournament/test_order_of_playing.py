"""In which order matches are played: those that share cards come far from each other, and the results are the same."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.workers import worker as worker_module
from arena.tournament.workers.backend import Failure
from arena.tournament.workers.driver import SPREAD_MATCHES, spread
from arena.tournament.workers.worker import Cards, Job, Worker, apart, cards_of
from helpers.plans import plan


@given(first=st.integers(0, 10**9), count=st.integers(0, 2_000))
def test_every_match_is_played_once(first: int, count: int) -> None:
    assert sorted(spread(first, first + count)) == list(range(first, first + count))


def test_ten_million_matches_need_no_list() -> None:
    matches = spread(0, 10_000_000)
    assert max(next(matches) for _ in range(100)) < SPREAD_MATCHES


@given(count=st.integers(10, 600), deals=st.integers(2, 60))
def test_a_deal_and_the_next_seating_of_a_table_come_again_much_later(count: int, deals: int) -> None:
    order = {index: place for place, index in enumerate(spread(0, count * deals))}
    assert all(abs(order[index] - order[index + 1]) >= len(order) // 5 for index in range(len(order) - 1))
    for deal in range(deals):
        places = sorted(order[index] for index in range(deal * count, (deal + 1) * count))
        assert all(later - place >= deals // 3 for place, later in itertools.pairwise(places))


@pytest.mark.parametrize("bots,entries", [(2, [(2, 6)]), (3, [(2, 4)]), (4, [(2, 3), (3, 3)]), (6, [(2, 2)])])
def test_no_bot_sees_the_same_cards_twice_in_a_row(bots: int, entries: list[tuple[int, int]]) -> None:
    played = plan(bots, entries=entries)
    order = list(spread(0, len(played)))
    for size in (7, len(played)):
        last = None
        for first in range(0, len(order), size):
            for index in apart(played, order[first : first + size], last):
                cards = cards_of(played, index)
                assert last is None or not last.come_again_in(cards)
                last = cards


def test_where_there_is_nothing_else_all_matches_are_played_all_the_same() -> None:
    one_deal = plan(2, entries=[(2, 1)])
    assert sorted(apart(one_deal, range(len(one_deal)))) == list(range(len(one_deal)))


def test_the_caches_forget_what_was_played_before_a_bot_sees_the_same_cards_again(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Cards] = []
    forgotten = []
    played = plan(4, entries=[(2, 3)])

    def play(_: Worker, index: int, _kills: object) -> Failure:
        cards = cards_of(played, index)
        assert not any(cards.come_again_in(other) for other in seen)
        seen.append(cards)
        return Failure("not played")

    def forget() -> None:
        forgotten.append(len(seen))
        seen.clear()

    monkeypatch.setattr(Worker, "play_match", play)
    monkeypatch.setattr(Worker, "_expect", lambda *_: None)
    monkeypatch.setattr(worker_module, "forget_caches", forget)
    worker = Job(played, {}).worker()
    order = list(spread(0, len(played)))
    for first in range(0, len(order), 5):
        worker.play(order[first : first + 5])
    worker.close()
    assert forgotten and len(order) > 2 * len(forgotten)
