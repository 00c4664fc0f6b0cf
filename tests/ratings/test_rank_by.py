"""What a board ranks by: one number with its uncertainty, and two others for who asks."""

import pytest
from msgspec.structs import replace

from arena.errors import ConfigError
from arena.ratings.models import BATCH_MODEL, MODEL
from arena.ratings.settings import RANKED_BY, RatingSettings, checked_settings, ranked_by, settings_of
from arena.ratings.standings import Standings
from arena.records import Rating
from helpers.records import make_record, make_seat
from lab.headline import orders

NAMES = ("lucky", "steady", "weak", "weaker", "idle")


def board(settings: RatingSettings, model: str = BATCH_MODEL, names: tuple[str, ...] = NAMES) -> dict[str, Rating]:
    """`lucky` won its only deal, against the best of the others by far; `idle` never played."""
    standings = Standings(settings, {"naga": [(name, 1) for name in names]})
    for index in range(81):
        better, worse = ("lucky", "steady") if index == 80 else ("steady", names[2 + index % 2])
        if index % 9 == 0:
            better, worse = worse, better
        standings.add(make_record(index, (make_seat(better, 1), make_seat(worse, 2)), pool="naga", deal=index))
    return {one.bot: one for one in standings.ratings((model,)) if one.pool == "naga"}


def test_boards_rank_by_the_lower_end_of_the_interval() -> None:
    found = board(RatingSettings(), names=NAMES[:4])
    assert all(one.rating == one.low for one in found.values())
    assert found["lucky"].mu > found["steady"].mu and found["steady"].rank == 1, "one deal shows little for certain"


def test_mu_and_mu_less_three_sigma_are_there_for_who_asks() -> None:
    by_mu, by_sigma = (board(RatingSettings(rank_by=rule)) for rule in ("mu", "three-sigma"))
    assert by_mu["lucky"].rank == 1 and all(one.rating == one.mu for one in by_mu.values())
    assert by_sigma["steady"].rank == 1
    assert all(one.rating == pytest.approx(one.mu - 3 * one.sigma) for one in by_sigma.values())


@pytest.mark.parametrize("rule", RANKED_BY)
def test_who_has_not_played_is_the_last(rule: str) -> None:
    found = board(RatingSettings(rank_by=rule))
    assert found["idle"].rank == found["idle"].rank_high == 5
    assert rule != "mu" or found["idle"].rating > found["weak"].rating, "though it may be better"


def test_nobody_is_less_sure_of_a_bot_because_another_one_will_come() -> None:
    known, expecting = board(RatingSettings(), names=NAMES[:4]), board(RatingSettings())
    for name, one in known.items():
        assert (expecting[name].low, expecting[name].high) == pytest.approx((one.low, one.high), abs=1e-6)


def test_ratings_in_the_order_of_play_stay_mu_less_three_sigma() -> None:
    beside, alone = board(RatingSettings(rank_by="mu"), MODEL), board(RatingSettings(headline="online"), MODEL)
    assert beside == alone and all(one.rating == one.mu - 3 * one.sigma for one in alone.values())


def test_a_board_of_before_keeps_its_ranks() -> None:
    assert ranked_by({"ratings": {"headline": "batch"}}) == settings_of({"headline": "batch"}).rank_by == "three-sigma"
    assert ranked_by({"ratings": {"headline": "batch", "rank_by": None}}) == "low"


def test_another_number_is_refused_with_what_there_is() -> None:
    with pytest.raises(ConfigError, match=r"ratings\.rank_by: one of low, mu, three-sigma, not 'sigma'"):
        checked_settings(replace(RatingSettings(), rank_by="sigma"))


def test_what_decided_for_the_lower_end() -> None:
    """A small form of `python -m lab headline`: between the other two in both kinds of mistakes."""
    found = {one.by: one for one in orders(60, "newcomer of 2 deals, 2 seats")}
    low, mu, sigma = found["low end"], found["mu"], found["mu - 3 sigma"]
    assert (sigma.lifted or 0) <= (low.lifted or 0) < (mu.lifted or 0)
    assert sigma.right < low.right < mu.right and (mu.held_back or 0) < (low.held_back or 0) < (sigma.held_back or 0)
