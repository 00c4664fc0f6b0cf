"""What a bot's searches looked at, found by putting the bot before a decision again."""

from pathlib import Path

import pytest

from arena.audit.capsule import Capsule, pack, setup_of
from arena.audit.choices import TooLong, choices, house_files
from arena.records import DEFAULT_LIMITS, Clock
from arena.reports.pages.frames import StoredMatch
from arena.tournament.archive.finding import locate_match
from helpers.games_played import play_all_games

Played = tuple[Path, dict[str, StoredMatch]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return play_all_games(tmp_path_factory.mktemp("games"))


def decisions(match: StoredMatch, seat: int) -> list[int]:
    return [one.number for scene in match.scenes for one in scene.played if one.seat == seat]


def capsule(played: Played, game: str, seat: int, decision: int) -> Capsule:
    _, record, key = locate_match(played[0], played[1][game].record.match_id)
    setup = setup_of(record, key, Clock(60.0, 600.0, 60.0))
    return pack(played[1][game].game, record, setup, "games", seat, decision, limits=DEFAULT_LIMITS)


@pytest.mark.parametrize("game", ["naga", "hisatsu", "nanatoridori", "yaniv"])
def test_a_search_is_what_it_was_in_the_match(played: Played, game: str) -> None:
    match = played[1][game]
    files = house_files(match.record.seats[0].bot_sha256)
    assert files is not None
    searched = 0
    for decision in decisions(match, 0)[:6]:
        found = choices(match.game, capsule(played, game, 0, decision), files, 60.0)
        assert (found.now, found.differing, found.fault) == (found.played, 0, "")
        for search in found.searches:
            searched += 1
            assert search.simulations == 50 and search.best == found.played
            assert sum(option.visits for option in search.options) > 0
            assert sum(option.share for option in search.options) == pytest.approx(1.0, abs=0.01)
            assert [option.visits for option in search.options] == sorted((o.visits for o in search.options), reverse=True)
    assert searched


def test_a_bot_that_does_not_search_shows_nothing(played: Played) -> None:
    match = played[1]["naga"]
    files = house_files(match.record.seats[1].bot_sha256)
    assert files is not None
    found = choices(match.game, capsule(played, "naga", 1, decisions(match, 1)[0]), files, 60.0)
    assert found.searches == [] and found.now == found.played


def test_it_ends_when_its_time_is_over(played: Played) -> None:
    match = played[1]["naga"]
    files = house_files(match.record.seats[0].bot_sha256)
    assert files is not None
    with pytest.raises(TooLong):
        choices(match.game, capsule(played, "naga", 0, decisions(match, 0)[-1]), files, -1.0)


def test_only_house_bots_are_asked() -> None:
    assert house_files("0" * 64) is None
