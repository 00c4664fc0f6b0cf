"""A small tournament of every game, for tests that want stored matches of all of them."""

from pathlib import Path
from typing import Any

from arena.reports.pages.frames import StoredMatch, stored_match
from arena.tournament.archive.finding import locate_match
from helpers.tournaments import run

GAMES: list[dict[str, Any]] = [
    {"game": "naga", "seats": 2, "options": {"series": "first_to:2"}},
    {"game": "hisatsu", "seats": 3},
    {"game": "nanatoridori", "seats": 3},
    {"game": "nertz", "seats": 2, "options": {"max_rounds": 2, "tick_limit": 60}},
    {"game": "yaniv", "seats": 3, "options": {"limit": 30}},
]
SEARCHER = "searcher"
BOTS = [
    {"path": "house:ismcts", "name": SEARCHER, "trusted": True, "params": {"iterations": 50}},
    {"path": "house:random_bot", "name": "one", "trusted": True},
    {"path": "house:random_bot", "name": "other", "trusted": True},
]


def play_all_games(folder: Path) -> tuple[Path, dict[str, StoredMatch]]:
    """The results folder, and of every game a match with the searching bot on seat 0."""
    results = run(folder, name="games", games=GAMES, bots=BOTS, deals=1, seed=5)
    out, found = folder / "out", dict[str, StoredMatch]()
    for record in results.records():
        if record.game not in found and record.seats[0].bot == SEARCHER:
            _, stored, key = locate_match(out, record.match_id)
            found[record.game] = stored_match(stored, key)
    return out, found
