"""The luck of stored matches: what of a log counts, and what it adds up to."""

import itertools
import random

import msgspec
import numpy as np
import pytest

from arena.engine.game import Game
from arena.games import load
from arena.match import MatchSetup, void
from arena.ratings.error_bars import FIRST_COEFFICIENT
from arena.ratings.match_luck import bounded, combined, course_of, estimate, estimates, luck_of, no_luck
from arena.ratings.rows import Collector
from arena.ratings.skill import shares_by_row, shares_of, skill_of, skills
from arena.records import LUCK_LIMIT, Ending, MatchRecord
from arena.results import parquet
from arena.tournament.archive.luck import match_luck
from arena.tournament.formats.plan import Plan, read_plan
from arena.tournament.workers.each_match import each_match
from helpers.paths import BAD_BOTS
from helpers.tournaments import GOOD_BOTS, run

Played = tuple[Plan, list[MatchRecord]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Naga, Nertz in teams and with measured latency, and Yaniv with a bot that raises."""
    short = {"max_rounds": 1, "tick_limit": 60}
    games = [
        {"game": "naga", "seats": 2},
        {"game": "yaniv", "seats": 3, "options": {"max_rounds": 2, "turn_limit": 10}},
        {"game": "nertz", "seats": 6, "label": "teams", "options": {**short, "teams": True}},
        {
            "game": "nertz",
            "seats": 2,
            "label": "measured",
            "options": {"latency": "measured", "max_rounds": 1, "tick_limit": 60},
        },
    ]
    again = [{"path": str(GOOD_BOTS[0]), "name": f"again_{number}", "trusted": True} for number in range(3)]
    bots = [*GOOD_BOTS, *again, BAD_BOTS / "raises.py"]
    results = run(tmp_path_factory.mktemp("played"), bots=bots, games=games, deals=1, faults={"retire_after": 100})
    plan = read_plan(results.manifest.config, bytes.fromhex(results.manifest.key or ""))
    return plan, list(parquet.read_matches(results.folder))


def of_pool(
    played: tuple[Plan, list[MatchRecord]], pool: str, *, with_fault: bool = False
) -> tuple[Game, MatchSetup, MatchRecord]:
    plan, records = played
    for record in records:
        faulty = any(seat.fault_decision is not None for seat in record.seats)
        if record.pool == pool and faulty == with_fault:
            return load(record.game), plan.setup(record.index), record
    raise LookupError(pool)


@pytest.mark.parametrize("pool", ["naga", "yaniv", "teams", "measured"])
def test_luck_is_what_the_course_adds_up_to(played, pool):
    game, setup, record = of_pool(played, pool)
    luck, course = luck_of(game, setup, record), course_of(game, record, setup.options, setup.deal_seed)
    assert luck.events == course.events > 1 and luck.match_id == record.match_id
    assert [seat.luck for seat in luck.seats] == pytest.approx(course.dealt.sum(0) + course.drawn.sum(0), abs=1e-6)
    assert [seat.dealt for seat in luck.seats] == pytest.approx(course.dealt.sum(axis=0), abs=1e-6)
    whole = course.values[0] + (course.dealt + course.drawn)[1:].sum(axis=0) + course.chosen.sum(axis=0)
    assert whole == pytest.approx(course.values[-1]) and len(course.values) == len(record.actions) + 1
    assert all(abs(seat.bounded) <= LUCK_LIMIT for seat in luck.seats)


def test_mates_share_their_luck(played):
    luck = luck_of(*of_pool(played, "teams"))
    assert luck.seats[0] == luck.seats[1] != luck.seats[2] == luck.seats[3]


def test_measured_latency_is_part_of_the_log(played):
    game, setup, record = of_pool(played, "measured")
    stream, actions, delays = random.Random(3), [], []
    states = game.deal(2, setup.options, setup.deal_seed)
    while not game.engine.is_terminal(states):
        actions.append(stream.choice(game.legal_list(states)))
        delays.append(stream.choice((0, 0, 2)))
        game.engine.advance(states, game.timed(actions[-1], delays[-1]))
    slow = msgspec.structs.replace(record, actions=tuple(actions), delays=tuple(delays))
    _, places = game.final(states, 2)
    course = course_of(game, slow, setup.options, setup.deal_seed)
    assert course.values[-1] == pytest.approx(shares_of(places, (0, 1))) and course.drawn.any()


def test_nothing_counts_from_the_first_fault_on(played):
    game, setup, record = of_pool(played, "yaniv", with_fault=True)
    at = min(seat.fault_decision for seat in record.seats if seat.fault_decision is not None)
    course = course_of(game, record, setup.options, setup.deal_seed)
    assert 0 < len(course.values) == at + 1 <= len(record.actions)
    cut = msgspec.structs.replace(record, actions=record.actions[:at])
    assert luck_of(game, setup, cut) == luck_of(game, setup, record)


def test_a_bot_that_never_started_and_a_void_match_have_no_luck(played):
    game, setup, record = of_pool(played, "naga")
    dead = msgspec.structs.replace(record.seats[0], ending=Ending.STARTUP, fault_decision=-1)
    never = msgspec.structs.replace(record, seats=(dead, *record.seats[1:]))
    for other in (never, void(game, setup, 1, "the host failed")):
        luck = luck_of(game, setup, other)
        assert luck == no_luck(other) and luck.events == 0 and luck.seats[0].luck == 0.0


def test_luck_goes_by_the_cards_and_not_by_who_sits_where(played):
    game, setup, record = of_pool(played, "yaniv")
    turned = msgspec.structs.replace(record, seats=record.seats[::-1], match_id="f" * 24)
    others = msgspec.structs.replace(setup, players=setup.players[::-1], bot_seeds=setup.bot_seeds[::-1], match_id="f" * 24)
    assert luck_of(game, others, turned).seats == luck_of(game, setup, record).seats


def test_of_bounded_sums_the_part_that_counts_shrinks_near_the_limit():
    sums = np.zeros((4, 2, 2))
    sums[0, 0] = 0.3, -0.3  # the deal
    sums[2, 1] = 0.4, -0.4  # a card: 0.7
    sums[2, 0] = -0.2, 0.2  # the next deal comes behind it
    sums[3, 1] = 0.1, -0.1
    found = 0.7 - 0.8 * 0.2
    found += (1.5 - found) * 0.1
    assert bounded(sums) == pytest.approx([found, -found])
    assert bounded(sums[:2]) == pytest.approx([0.3, -0.3])


@pytest.mark.slow
def test_many_matches_are_worked_out_in_their_order_in_any_number_of_processes(played):
    plan, records = played
    found = [list(each_match(match_luck, plan, records, workers)) for workers in (1, 2)]
    assert found[0] == found[1] and [luck.index for luck in found[0]] == [record.index for record in records]


def test_skill_and_luck_of_a_tournament(played):
    plan, records = played
    collected = {record.pool: Collector() for record in records}
    for record, luck in zip(records, each_match(match_luck, plan, records, 1)):
        collected[record.pool].add(record, luck)
    for pool in ("naga", "yaniv", "teams"):
        rows = skills(pool, collected[pool].rows())
        assert rows == sorted(rows, key=lambda row: -row.skill)
        assert sum(row.beaten * row.matches for row in rows) == pytest.approx(sum(row.matches for row in rows) / 2)
        if pool != "teams":  # what a position is worth to three teams does not add up to the last digit
            assert sum(row.luck * row.matches for row in rows) == pytest.approx(0.0, abs=1e-3)  # six decimals each
        assert all(row.skill == pytest.approx(row.beaten - FIRST_COEFFICIENT * row.luck) for row in rows)  # of one deal
        alone = [skill_of(pool, collected[pool].rows(), (row.bot, row.bot_version)) for row in rows]
        assert repr(alone) == repr(rows)  # in which intervals of one deal are nan
    assert skill_of("naga", collected["naga"].rows(), ("nobody", 1)) is None


def test_without_any_luck_skill_is_what_a_bot_beat(played):
    collector = Collector()
    for record in played[1]:
        if record.pool == "naga":
            collector.add(record, no_luck(record))
    assert all(row.skill == pytest.approx(row.beaten) and row.luck == 0.0 for row in skills("naga", collector.rows()))


def test_shares_of_all_rows_are_those_of_each_match(played):
    collector = Collector()
    for record in (records := [record for record in played[1] if record.pool in ("teams", "yaniv")]):
        collector.add(record)
    by_match = [shares_of([seat.place for seat in record.seats], [seat.unit for seat in record.seats]) for record in records]
    assert shares_by_row(collector.rows()) == pytest.approx(np.concatenate(by_match))


def test_shares_of_rivals():
    assert shares_of([1, 2, 2, 4], [0, 1, 2, 3]) == pytest.approx([1.0, 0.5, 0.5, 0.0])


def test_an_estimate_is_named_by_what_decides_its_numbers(monkeypatch):
    from arena.ratings import match_luck

    game = load("yaniv")
    told = estimate(game)
    reached = match_luck._reached(game.package)
    assert {name.rpartition(".")[2] for name in reached} >= {"chance", "rollout", "estimates", "memory"}
    assert "arena.games.yaniv.text" not in reached
    assert estimates(["yaniv", "naga"])["yaniv"] == told != estimates(["naga"])["naga"]
    assert combined(["naga", "yaniv"]) == combined(["yaniv", "naga", "naga"]) != combined(["naga"])
    monkeypatch.setattr(match_luck, "METHOD", match_luck.METHOD + 1)
    match_luck._estimate.cache_clear()
    assert estimate(game) != told
    match_luck._estimate.cache_clear()


def test_bounded_sums_never_pass_the_limit_and_are_0_on_average_exactly():
    """All ways in which ten events of luck, each as likely good as bad, can follow each other."""
    for size in (0.25, 0.6):
        ways = np.array(list(itertools.product([size, -size], repeat=10)))
        found = np.array([bounded(np.stack([way, 0 * way], axis=1)[:, :, None])[0] for way in ways])
        assert found.mean() == pytest.approx(0.0, abs=1e-12) and np.abs(found).max() <= LUCK_LIMIT
        near = np.abs(np.cumsum(ways, axis=1)).max(axis=1) <= LUCK_LIMIT - 1.0
        assert (found[near] == ways[near].sum(axis=1)).all() and np.corrcoef(found, ways.sum(axis=1))[0, 1] > 0.8
