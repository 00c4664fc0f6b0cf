"""The headline does not depend on the order of matches, seats or bots, and says where the field stands."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from arena.errors import ConfigError
from arena.ratings.beliefs import believe
from arena.ratings.models import BATCH_MODEL, MODEL, STORED
from arena.ratings.order import in_order, largest_shift, largest_shifts
from arena.ratings.patterns import patterns_of
from arena.ratings.rows import Collector, PoolRows
from arena.ratings.running import RunningRatings
from arena.ratings.settings import (
    Anchor,
    RatingSettings,
    Weights,
    check_names,
    checked_settings,
    headline_first,
    headline_model,
    settings_of,
)
from arena.ratings.standings import Standings, rated_pool
from arena.ratings.trueskill_batch import NEWTON_SWEEPS, State, solve
from arena.records import MatchRecord
from helpers.records import make_record, make_seat

BOTS = [f"bot_{number}" for number in range(5)]
SETTINGS = RatingSettings()


@st.composite
def tournaments(draw: Any) -> list[MatchRecord]:
    """A few matches of two to four bots, with ties, and with teams of two at tables of four now and then."""
    records = []
    for index in range(draw(st.integers(1, 12))):
        bots = draw(st.permutations(BOTS))[: draw(st.integers(2, 4))]
        has_teams = len(bots) == 4 and draw(st.booleans())
        units = [0, 1, 0, 1] if has_teams else list(range(len(bots)))
        scores = {unit: draw(st.integers(0, 2)) for unit in set(units)}
        seats = tuple(
            make_seat(bot, 1 + sum(scores[other] > scores[unit] for other in units), unit=unit)
            for bot, unit in zip(bots, units)
        )
        records.append(make_record(index, seats, deal=index // 2))
    return records


def collected(records: list[MatchRecord]) -> PoolRows:
    collector = Collector()
    for record in records:
        collector.add(record)
    return collector.rows()


def by_bot(records: list[MatchRecord], model: str = BATCH_MODEL) -> dict[Any, tuple[float, float]]:
    rows = collected(records)
    found = believe(model, rows, SETTINGS)
    return {bot: (mu, sigma) for bot, mu, sigma in zip(rows.bots_by_number, found.mu.tolist(), found.sigma.tolist())}


@settings(max_examples=60)
@given(tournaments(), st.randoms(use_true_random=False))
def test_no_order_changes_the_headline_in_any_digit(records: list[MatchRecord], stream: random.Random) -> None:
    """Neither of matches, nor of seats at a table, nor of the bots as they are listed: the very same numbers."""
    others = [
        replace(one, seats=tuple(stream.sample(one.seats, len(one.seats)))) for one in stream.sample(records, len(records))
    ]
    assert by_bot(others) == by_bot(records)


@settings(max_examples=30)
@given(tournaments())
def test_the_mean_of_the_field_is_where_the_prior_has_it(records: list[MatchRecord]) -> None:
    """.. and after few matches with many ties the sweeps come to an end, too."""
    found = list(by_bot(records).values())
    assert np.isfinite(found).all() and np.mean([mu for mu, _ in found]) == pytest.approx(SETTINGS.mu, abs=1e-12)
    rows = collected(records)
    patterns = patterns_of(rows)
    assert solve(patterns, patterns.counts, State.new(patterns, SETTINGS), SETTINGS) < NEWTON_SWEEPS / 2


def test_the_same_results_are_one_pattern_that_counts() -> None:
    win, turned = [make_seat("a", 1), make_seat("b", 2)], [make_seat("b", 2), make_seat("a", 1)]
    rows = collected(
        [make_record(0, tuple(win)), make_record(1, tuple(turned)), make_record(2, (turned[1], make_seat("c", 1)))]
    )
    found = patterns_of(rows)
    assert found.counts.tolist() == [1.0, 2.0] or found.counts.tolist() == [2.0, 1.0]
    assert len(set(found.of_match[:2].tolist())) == 1 and found.of_match[2] != found.of_match[0]


def league(count: int, seed: int = 3) -> list[MatchRecord]:
    stream = random.Random(seed)
    records = []
    for index in range(count):
        bots = stream.sample(BOTS, 2)
        better = stream.random() < 0.5 + 0.12 * (BOTS.index(bots[1]) - BOTS.index(bots[0]))
        records.append(
            make_record(index, tuple(make_seat(b, p) for b, p in zip(bots, (1, 2) if better else (2, 1))), deal=index // 4)
        )
    return records


def test_the_online_ranks_do_depend_on_the_order_and_the_shift_is_told() -> None:
    rows = collected(league(60))
    shifts = [largest_shift(rows, SETTINGS, np.random.default_rng(seed)) for seed in range(5)]
    assert max(shifts) >= 1
    found = largest_shifts({"naga": rows}, SETTINGS, "plan", orders=20)
    assert found == largest_shifts({"naga": rows}, SETTINGS, "plan", orders=20) and found.orders == 20
    assert largest_shifts({"naga": rows}, SETTINGS, "plan", orders=0).ranks == {"naga": 0}
    assert largest_shifts({"naga": rows}, SETTINGS, "plan", most=59).ranks == {}


def test_another_order_has_the_same_matches() -> None:
    rows = collected(league(20))
    order = np.random.default_rng(1).permutation(20)
    other = in_order(rows, order)
    for place, match in enumerate(order.tolist()):
        one, two = slice(*other.starts[place : place + 2]), slice(*rows.starts[match : match + 2])
        assert (other.bots[one].tolist(), other.places[one].tolist()) == (rows.bots[two].tolist(), rows.places[two].tolist())
        assert other.deals[place] == rows.deals[match]


def test_an_anchor_stays_at_its_value_and_all_others_keep_their_distance() -> None:
    rows = collected(league(80))
    free = rated_pool(BATCH_MODEL, "naga", rows, SETTINGS)
    anchored = rated_pool(BATCH_MODEL, "naga", rows, RatingSettings(anchor=Anchor("bot_2", 30.0)))
    place = rows.bots_by_number.index(("bot_2", 1))
    assert anchored.beliefs.mu[place] == 30.0
    assert np.ptp(anchored.beliefs.mu - free.beliefs.mu) == pytest.approx(0.0, abs=1e-9)
    by_name = {rating.bot: rating for rating in anchored.ratings()}
    assert (by_name["bot_2"].low, by_name["bot_2"].high) == (30.0, 30.0)
    assert by_name["bot_0"].low < by_name["bot_0"].mu < by_name["bot_0"].high
    assert [one.rank for one in anchored.ratings()] == [one.rank for one in free.ratings()]


def test_where_the_anchor_does_not_play_the_mean_is_fixed() -> None:
    rows = collected(league(20))
    free, anchored = (believe(BATCH_MODEL, rows, one) for one in (SETTINGS, RatingSettings(anchor=Anchor("elsewhere"))))
    assert anchored.mu.tolist() == free.mu.tolist()


def test_the_headline_is_the_order_free_model_unless_the_settings_say_otherwise() -> None:
    for chosen, model in ((RatingSettings(), BATCH_MODEL), (RatingSettings(headline="online"), MODEL)):
        standings = Standings(chosen)
        for record in league(10):
            standings.add(record)
        assert {rating.model for rating in standings.ratings()} == {model} and chosen.headline_model == model


def test_what_was_stored_before_there_was_a_choice_is_ranked_online() -> None:
    assert settings_of({"mu": 25.0}).headline == "online" and settings_of(None).overall_rule == "mean-mu"
    assert settings_of({"headline": "batch"}).overall_rule == "standardized"
    assert headline_model({}) == headline_model({"ratings": {"headline": ["x"]}}) == MODEL
    assert headline_model({"ratings": {"headline": "batch"}}) == BATCH_MODEL


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"headline": "offline"},
            r"ratings\.headline: one of batch, online, openskill, plackett-luce, through-time, not 'offline'",
        ),
        ({"overall": "mean"}, r"ratings\.overall: one of standardized, mean-rank, mean-mu"),
        ({"headline": "online", "anchor": Anchor("a")}, r"ratings\.anchor: only with headline: batch"),
        ({"anchor": Anchor("a", float("nan"))}, r"ratings\.anchor\.mu: a number"),
        ({"weights": Weights(games={"naga": -1.0})}, r"ratings\.weights\.games\.naga: from 0"),
        ({"overall": "mean-mu", "weights": Weights(games={"naga": 2.0})}, r"ratings\.weights: not with overall: mean-mu"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        checked_settings(RatingSettings(**changes))


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        (RatingSettings(anchor=Anchor("alise")), r"ratings\.anchor\.bot: no bot 'alise' .* did you mean \"alice\"\?"),
        (RatingSettings(weights=Weights(games={"naag": 1.0})), r"ratings\.weights\.games: no game 'naag'"),
        (RatingSettings(weights=Weights(pools={"duel": 1.0})), r"ratings\.weights\.pools: no pool 'duel'"),
    ],
)
def test_names_that_a_config_does_not_have_are_refused(chosen: RatingSettings, words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        check_names(chosen, ["alice", "bob"], ["naga"], ["naga"])


def test_a_running_board_goes_on_from_its_last_look_to_the_numbers_of_the_board() -> None:
    records = league(300)
    field = {"naga": [(bot, 1) for bot in BOTS]}
    running = RunningRatings(SETTINGS, field, models=(BATCH_MODEL,))
    for number, record in enumerate(random.Random(5).sample(records, len(records)), 1):
        running.add(record)
        if number % 60 == 0:
            running.ratings()
    standings = Standings(SETTINGS, field)
    for record in records:
        standings.add(record)
    expected = {one.bot: one for one in standings.ratings() if one.pool == "naga"}
    found = {one.bot: one for one in running.ratings() if one.pool == "naga"}
    for bot, rating in expected.items():
        assert (found[bot].mu, found[bot].sigma) == pytest.approx((rating.mu, rating.sigma), abs=1e-5)
        assert (found[bot].rank, found[bot].matches) == (rating.rank, rating.matches)


def test_all_models_are_stored_the_headline_first() -> None:
    assert headline_first(RatingSettings()) == (BATCH_MODEL, MODEL)
    assert headline_first(RatingSettings(headline="online")) == STORED
    assert headline_first(RatingSettings(headline="plackett-luce")) == ("plackett-luce", *STORED)
