"""Who sits with whom in each format: equally often, on the same deals, in every seat."""

import itertools
from collections import Counter, defaultdict

import msgspec
import pytest

from arena.errors import ConfigError
from arena.match.seeds import CHAIN_KEYS, key_of_link, newest_key
from arena.tournament.formats import round_robin
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.ladder.state import Leg
from arena.tournament.formats.plan import ALL, CYCLIC, Plan
from arena.tournament.formats.round_robin import RoundRobin, Sample, base_tables
from helpers.plans import plan


def formatted(format: Format, bots: int, seats: int, deals: int, rotations: str = CYCLIC) -> Plan:
    whole = plan(bots, entries=[(seats, deals)], rotations=rotations)
    return msgspec.structs.replace(
        whole,
        format=format,
        entries=tuple(msgspec.structs.replace(entry, game="yaniv") for entry in whole.entries),
        contestants=tuple(msgspec.structs.replace(bot, games=("yaniv",)) for bot in whole.contestants),
    )


def tables_by_deal(whole: Plan) -> dict[int, list[tuple[str, ...]]]:
    found = defaultdict(list)
    for setup in map(whole.setup, range(len(whole))):
        found[setup.deal].append(tuple(player.bot for player in setup.players))
    return found


@pytest.mark.parametrize(
    ("bots", "seats", "count"), [(7, 3, 1), (9, 4, 2), (12, 4, 3), (13, 5, 3), (16, 4, 2), (20, 3, 2), (40, 4, 8), (41, 6, 1)]
)
def test_a_sample_lets_every_pair_meet_equally_often_within_one(bots: int, seats: int, count: int) -> None:
    turned = [[(place + turn) % bots for place in base] for base in base_tables(bots, seats, count) for turn in range(bots)]
    met = Counter(pair for table in turned for pair in itertools.combinations(sorted(table), 2))
    counts = [met[pair] for pair in itertools.combinations(range(bots), 2)]
    assert max(counts) - min(counts) <= 1
    assert all(len(set(table)) == seats for table in turned)
    assert set(Counter(itertools.chain.from_iterable(turned)).values()) == {count * seats}


def test_a_sampled_round_robin_is_what_its_tables_say() -> None:
    whole = formatted(RoundRobin(sample=1), 12, 4, 3)
    assert len(whole) == 3 * 12 * 4
    tables = [frozenset(table) for of_deal in tables_by_deal(whole).values() for table in of_deal]
    met = Counter(pair for table in set(tables) for pair in itertools.combinations(sorted(table), 2))
    repeated = Counter(tables)
    meetings = Counter(pair for table in tables for pair in itertools.combinations(sorted(table), 2))
    assert set(repeated.values()) <= {4, 8} and len(met) == 12 * 11 // 2
    assert max(meetings.values()) - min(meetings.values()) <= 4  # one table, in four rotations
    sample = whole.tables[0]
    assert isinstance(sample, Sample)
    assert sample.meetings() == (min(meetings.values()) // 4, max(meetings.values()) // 4)


def test_a_sample_that_cannot_be_balanced_is_refused_with_one_that_can(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(round_robin, "STEPS", 2_000)  # most samples are even after some hundreds
    monkeypatch.setattr(round_robin, "base_tables", round_robin.base_tables.__wrapped__)
    with pytest.raises(
        ConfigError, match=r"6 bots at 3 seats cannot be balanced within one over 5 deals, .* twice; with deals: \d+ it can"
    ):
        len(formatted(RoundRobin(sample=1), 6, 3, 5))


@pytest.mark.parametrize(
    ("bots", "seats", "deals", "sample"), [(9, 2, 4, 1), (9, 2, 4, 2), (8, 3, 7, 1), (9, 3, 4, 2), (8, 4, 7, 1), (12, 4, 11, 2)]
)
def test_no_match_of_a_sample_is_there_twice(bots: int, seats: int, deals: int, sample: int) -> None:
    whole = formatted(RoundRobin(sample=sample), bots, seats, deals)
    assert isinstance(whole.tables[0], Sample)
    assert len({whole.setup(index).match_id for index in range(len(whole))}) == len(whole)


@pytest.mark.slow
def test_pairs_of_an_even_field_cannot_be_sampled() -> None:
    """Those who stand opposite would meet twice on one deal."""
    with pytest.raises(ConfigError, match=r"4 bots at 2 seats .* without playing a match twice; with deals: 1 it can"):
        len(formatted(RoundRobin(sample=1), 4, 2, 3))


def test_a_sample_of_all_tables_is_all_tables() -> None:
    assert formatted(RoundRobin(sample=5), 5, 3, 2).tables[0].per_deal == 10


@pytest.mark.parametrize("rotations", [CYCLIC, ALL])
def test_a_gauntlet_gives_all_candidates_the_same_deals_others_and_seats(rotations: str) -> None:
    whole = formatted(Gauntlet((1, 3)), 6, 3, 2, rotations)
    for tables in tables_by_deal(whole).values():
        met = {name: Counter() for name in ("bot1", "bot3")}
        for table in tables:
            (candidate,) = set(table) & met.keys()
            met[candidate][table.index(candidate), *(bot for bot in table if bot != candidate)] += 1
        assert met["bot1"] == met["bot3"] and set(met["bot1"].values()) == {1}
        assert len({seat for seat, *_ in met["bot1"]}) == 3
        assert {frozenset(others) for _, *others in met["bot1"]} == {
            frozenset(pair) for pair in itertools.combinations(("bot0", "bot2", "bot4", "bot5"), 2)
        }


@pytest.mark.parametrize(("seats", "rotations", "matches"), [(2, CYCLIC, 2), (4, CYCLIC, 8), (3, ALL, 6), (5, CYCLIC, 10)])
def test_a_comparison_exchanges_the_candidates_at_every_table(seats: int, rotations: str, matches: int) -> None:
    whole = formatted(Compare((2, 0), 0.05, 0.1), 6, seats, 40, rotations)
    fillings, distances = set(), set()
    for tables in tables_by_deal(whole).values():
        assert len(tables) == len(set(tables)) == matches
        swap = {"bot2": "bot0", "bot0": "bot2"}
        assert Counter(tables) == Counter(tuple(swap.get(bot, bot) for bot in table) for table in tables)
        for name in ("bot0", "bot2"):
            assert set(Counter(table.index(name) for table in tables).values()) == {matches // seats}
        fillings.add(frozenset(tables[0]))
        distances.add((tables[0].index("bot0") - tables[0].index("bot2")) % seats)
    if seats > 2:
        assert len(fillings) > 1 and (rotations == ALL or distances == set(range(1, seats)))


def test_too_few_bots_for_a_format_are_named() -> None:
    with pytest.raises(ConfigError, match=r"games\[0\]: yaniv: 3 seats need 2 bots .* beside a candidate, there are 1"):
        len(formatted(Gauntlet((0, 1)), 3, 3, 1))
    with pytest.raises(ConfigError, match="5 seats need 3 bots that play it beside the candidates, there are 2"):
        len(formatted(Compare((0, 1), 0.05, 0.1), 4, 5, 1))


def test_stages_of_a_ladder_are_a_plan() -> None:
    legs = (Leg(0, (0, 1, 2), 1.0, True, 10), Leg(1, (0, 1, 2, 3), 1.0, True, 10))
    whole = formatted(Ladder(legs), 4, 2, 3).add_stage([(0, (0, 1)), (0, (2, 0))]).add_stage([(0, (3, 1))])
    assert len(whole) == 3 * 2 * 3
    setups = [whole.setup(index) for index in range(len(whole))]
    assert [setup.deal for setup in setups] == [0, 0, 1, 1, 2, 2] * 2 + [3, 3, 4, 4, 5, 5]
    assert [player.bot for player in setups[0].players] == ["bot0", "bot1"]
    assert [player.bot for player in setups[-1].players] == ["bot1", "bot3"]
    assert len({setup.match_id for setup in setups}) == len(setups)
    assert isinstance(whole.format, Ladder)
    for stage in whole.format.stages:  # what a worker gets is enough
        part = whole.without_stages().with_stage(stage)
        assert part.setup(stage.first_index) == setups[stage.first_index]
    with pytest.raises(IndexError):
        whole.setup(len(whole))


def test_each_leg_has_a_key_that_those_before_it_do_not_tell() -> None:
    legs = (Leg(0, (0, 1), 1.0, True, 10), Leg(1, (0, 1), 1.0, True, 10))
    last = b"k" * 32
    one = msgspec.structs.replace(formatted(Ladder(legs[:1]), 2, 2, 1), key=newest_key(last, 1)).add_stage([(0, (0, 1))])
    two = msgspec.structs.replace(one, format=Ladder(legs, one.format.stages), key=newest_key(last, 2))  # type: ignore[union-attr]
    two = two.add_stage([(0, (0, 1))])
    assert two.setup(0) == one.setup(0) and two.commitment == one.commitment
    assert two.key_of(0) == one.key != two.key == two.key_of(2)
    assert key_of_link(two.key, len(legs), 0) == one.key
    assert newest_key(last, CHAIN_KEYS) == last
