"""Bots of all games repeat what they did when they are put before their decisions again; matches of people, too."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena import games
from arena.audit.notes import notes_of
from arena.reports.pages.frames import StoredMatch
from arena.server.people.store import keep
from helpers.games_played import play_all_games
from helpers.one_zygote import one_zygote
from helpers.people_matches import people_match

Played = tuple[Path, dict[str, StoredMatch]]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Played]:
    with one_zygote(games.names()):
        yield play_all_games(tmp_path_factory.mktemp("games"))


@pytest.mark.parametrize("game", games.names())
def test_bots_repeat_themselves(played: Played, game: str) -> None:
    out, matches = played
    record = matches[game].record
    for seat in (0, 1):
        found = notes_of(out, record.match_id, seat)
        own = [one.number for scene in matches[game].scenes for one in scene.played if one.seat == seat]
        assert found.decisions == len(own) and 0 < found.asked <= len(own)
        assert found.said == [] and not found.ended.fault and not found.ended.is_timed


def test_a_bot_at_a_table_with_people_repeats_itself(played: Played) -> None:
    out, _ = played
    record, key = people_match("yaniv", "aya:club", "club")
    keep(out, record, key)
    found = notes_of(out, record.match_id, 1)
    assert found.asked > 5 and found.said == [] and not found.ended.fault
