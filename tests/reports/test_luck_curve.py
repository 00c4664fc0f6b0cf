"""The curve of a match in the replay player: what the cards and what the players did, frame by frame, and nothing else."""

from itertools import pairwise

import numpy as np
import pytest
from msgspec.structs import replace

from arena.games import names
from arena.ratings.match_luck import course_of
from arena.reports.pages.frames import StoredMatch, luck_curve
from helpers.games_played import play_all_games

ROUNDING = 2e-4  # of a value and of what moved it: four decimals each


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, StoredMatch]:
    return play_all_games(tmp_path_factory.mktemp("games"))[1]


@pytest.mark.parametrize("game", names())
def test_each_frame_is_where_cards_and_choices_moved_the_frame_before(matches: dict[str, StoredMatch], game: str) -> None:
    match = matches[game]
    found, scenes = luck_curve(match), match.scenes
    assert len(found.values) == len(found.cards) == len(found.chosen) == len(scenes)
    for (before, after), cards, chosen in zip(pairwise(found.values), found.cards[1:], found.chosen[1:]):
        assert np.array(before) + cards + chosen == pytest.approx(np.array(after), abs=ROUNDING)
    for scene, chosen in zip(scenes, found.chosen):
        assert scene.played or not any(chosen), "a new deal is no choice"


@pytest.mark.parametrize("game", names())
def test_all_frames_together_have_the_luck_of_the_match(matches: dict[str, StoredMatch], game: str) -> None:
    match = matches[game]
    found, course = luck_curve(match), course_of(match.game, match.record, match.options, match.deal_seed)
    whole = (course.dealt + course.drawn).sum(axis=0)
    assert np.sum(found.cards, axis=0) == pytest.approx(whole, abs=ROUNDING * len(found.cards))
    assert found.rivals == [len(match.record.seats) - 1] * len(match.record.seats)


def test_it_ends_with_the_first_fault(matches: dict[str, StoredMatch]) -> None:
    match = matches["yaniv"]
    faulty = replace(match.record.seats[1], fault_decision=7)
    cut = StoredMatch(
        match.game,
        replace(match.record, seats=(match.record.seats[0], faulty, *match.record.seats[2:])),
        match.options,
        match.deal_seed,
    )
    found = luck_curve(cut)
    assert [scene.number for scene in match.scenes[: len(found.values)]][-1] == 7
    assert found.values == luck_curve(match).values[: len(found.values)]
