"""The plan: a pure function from an index to a match (docs/formats.md, "Keys and seeds", "Match ids")."""

import itertools
import math
from collections import Counter

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.plan import ALL, CYCLIC, read_plan
from helpers.plans import plan


@given(
    bots=st.integers(2, 6),
    entries=st.lists(st.tuples(st.integers(2, 4), st.integers(1, 4)), min_size=1, max_size=3),
    rotations=st.sampled_from([CYCLIC, ALL]),
)
@settings(max_examples=30)
def test_every_table_plays_every_deal_in_every_rotation_once(bots: int, entries: list[tuple[int, int]], rotations: str) -> None:
    entries = [(min(seats, bots), deals) for seats, deals in entries]
    whole = plan(bots, entries=entries, rotations=rotations)
    setups = [whole.setup(index) for index in range(len(whole))]
    assert len({setup.match_id for setup in setups}) == len(setups)
    found = Counter((setup.pool, setup.deal, tuple(player.bot for player in setup.players)) for setup in setups)
    assert set(found.values()) == {1}
    expected = 0
    for number, (seats, deals) in enumerate(entries):
        orders = math.factorial(seats) if rotations == ALL else seats
        expected += math.comb(bots, seats) * deals * orders
        for table in itertools.combinations(range(bots), seats):
            names = {f"bot{place}" for place in table}
            of_table = [order for pool, _, order in found if pool == f"p{number}" and set(order) == names]
            assert len(of_table) == deals * orders
            for name in names:  # equally often in each seat
                assert set(Counter(order.index(name) for order in of_table).values()) == {deals * orders // seats}
    assert len(setups) == expected


@given(
    bots=st.integers(2, 6),
    entries=st.lists(st.tuples(st.integers(2, 4), st.integers(1, 4)), min_size=1, max_size=3),
    rotations=st.sampled_from([CYCLIC, ALL]),
    without=st.sets(st.integers(0, 5)),
    data=st.data(),
)
@settings(max_examples=60)
def test_matches_without_some_bots_are_counted_without_listing_them(
    bots: int, entries: list[tuple[int, int]], rotations: str, without: set[int], data: st.DataObject
) -> None:
    whole = plan(bots, entries=[(min(seats, bots), deals) for seats, deals in entries], rotations=rotations)
    first = data.draw(st.integers(0, len(whole)))
    listed = [index for index in range(first, len(whole)) if without.isdisjoint(whole.bots(index))]
    assert whole.count_without(without, first) == len(listed)


def test_rotations_and_tables_share_the_cards_and_deals_do_not() -> None:
    whole = plan(3, entries=[(2, 2)])
    seeds = {(setup.deal, setup.deal_seed) for setup in map(whole.setup, range(len(whole)))}
    assert len(seeds) == 2


def test_bots_and_fallback_have_streams_of_their_own() -> None:
    setups = [plan().setup(index) for index in range(len(plan()))]
    streams = [seed for setup in setups for seed in (*setup.bot_seeds, *setup.fallback_seeds)]
    assert len(set(streams)) == len(streams)


def test_deals_are_played_in_order_so_that_an_interrupted_run_is_even() -> None:
    whole = plan(4, entries=[(2, 5), (3, 2)])
    deals = [whole.setup(index).deal for index in range(len(whole))]
    assert deals == sorted(deals)


def test_the_same_seed_gives_the_same_plan_and_another_key_another() -> None:
    assert plan(seed=1).sha256 == plan(seed=1).sha256 != plan(seed=2).sha256
    assert plan(seed=1).setup(0) == plan(seed=1).setup(0)
    assert plan(seed=1).setup(0).match_id != plan(seed=2).setup(0).match_id
    secret = msgspec.structs.replace(plan(seed=None), key=b"k" * 32)
    assert secret.setup(0).match_id != plan(seed=None).setup(0).match_id
    assert "key" not in secret.document


def test_a_match_id_never_changes_silently() -> None:
    assert plan().setup(5).match_id == "31c1f807762b4011159ec841"
    assert f"{plan().setup(5).deal_seed:032x}" == "f65503fc8f465c20c02d99568bcc35e1"


def test_an_index_outside_the_plan_is_refused() -> None:
    for index in (-1, len(plan())):
        with pytest.raises(IndexError):
            plan().setup(index)


def test_ten_million_matches_need_no_list() -> None:
    huge = plan(100, entries=[(4, 1)])
    huge = msgspec.structs.replace(huge, entries=(msgspec.structs.replace(huge.entries[0], deals=1000),))
    assert len(huge) == math.comb(100, 4) * 4 * 1000
    assert huge.setup(len(huge) - 1).deal == 999


def test_limits_stand_in_a_plan_as_they_always_did() -> None:
    whole = plan(entries=[])
    assert whole.document["memory"] == whole.limits.memory == 1 and "limits" not in whole.document
    assert read_plan(whole.document, whole.key).limits == whole.limits
