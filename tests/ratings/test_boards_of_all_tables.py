"""Boards without luck at every kind of table: more than two seats, teams, measured latency, and a bot that faults."""

import pytest

from arena.audit.results_audit import audit_results
from arena.ratings.models import BATCH_MODEL
from arena.results import parquet
from arena.tournament.session import Results
from helpers.paths import BAD_BOTS
from helpers.tournaments import GOOD_BOTS, run

SHORT = {"max_rounds": 1, "tick_limit": 60}
GAMES = [
    {"game": "yaniv", "seats": 2, "label": "duel", "options": {"max_rounds": 2, "turn_limit": 10}},
    {"game": "yaniv", "seats": 3, "options": {"max_rounds": 2, "turn_limit": 10}},
    {"game": "nertz", "seats": 6, "label": "teams", "options": {**SHORT, "teams": True}},
    {"game": "nertz", "seats": 2, "label": "measured", "options": {**SHORT, "latency": "measured"}},
]
RATED = {"duel", "yaniv", "teams", "measured"}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lucky(tmp_path_factory: pytest.TempPathFactory) -> Results:
    again = [{"path": str(GOOD_BOTS[0]), "name": f"again_{number}", "trusted": True} for number in range(3)]
    bots = [*GOOD_BOTS, *again, BAD_BOTS / "raises.py"]
    return run(
        tmp_path_factory.mktemp("lucky"), bots=bots, games=GAMES, deals=2, faults={"retire_after": 100},
        ratings={"luck": True, "measured": True},
    )  # fmt: skip


def test_all_of_them_are_rated_without_luck_and_verified(lucky: Results) -> None:
    assert lucky.manifest.luck_worth is not None and set(lucky.manifest.luck) == {"yaniv", "nertz"}
    assert {one.pool for one in lucky.ratings if one.model == BATCH_MODEL} >= RATED
    assert audit_results(lucky.folder, 1, lambda _: None).problems == []


def test_every_match_has_its_luck_and_ends_it_with_the_first_fault(lucky: Results) -> None:
    seen = set[str]()
    for record, luck in zip(parquet.read_matches(lucky.folder), parquet.read_luck(lucky.folder), strict=True):
        assert luck.match_id == record.match_id and len(luck.seats) == len(record.seats)
        faults = [seat.fault_decision for seat in record.seats if seat.fault_decision is not None]
        if faults and min(faults) < 0:
            assert luck.events == 0
        elif not faults:
            seen.add(record.pool)
            assert luck.events > 0
        if record.pool == "teams":
            assert all(luck.seats[seat] == luck.seats[seat + 1] for seat in (0, 2, 4))
    assert seen == RATED
