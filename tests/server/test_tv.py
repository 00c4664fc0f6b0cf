"""What is worth watching: an upset, a close end, a table of the best; while a tournament is played, of its last matches."""

from pathlib import Path

from arena.records import Ending
from arena.server.views.tv import interest
from helpers.records import make_record, make_seat, numbered
from helpers.results import write_results
from helpers.server import Played, server


def test_an_upset_and_a_close_end_are_more_interesting_than_a_walkover() -> None:
    plain = interest([30.0, 20.0], [1, 2], [50.0, 10.0])
    upset = interest([20.0, 30.0], [1, 2], [50.0, 10.0])
    close = interest([30.0, 20.0], [1, 2], [50.0, 50.0])
    best = interest([45.0, 44.0], [1, 2], [50.0, 10.0])
    assert plain and upset and close and best
    assert (upset[1], close[1], best[1]) == ("upset", "close", "top")
    assert min(upset[0], close[0], best[0]) > plain[0]
    assert interest([30.0, 20.0], [1, 1], [5.0, 5.0]) is None


def test_the_last_matches_of_what_is_played_come_first_and_no_faults(tmp_path: Path) -> None:
    write_results(tmp_path, [make_record()] * 6, "alice", "bob")
    with server(tmp_path) as client:
        found = client.get("/api/tv").json()
        assert not found["live"] and {one["tournament"] for one in found["matches"]} == {"cup"}
        played = Played(tmp_path, "now")
        fault = make_record(seats=(make_seat("alice", 1), make_seat("bob", 2, ending=Ending.CRASH, fault_decision=0)))
        upset = make_record(seats=(make_seat("bob", 1), make_seat("alice", 2)))
        records = numbered([make_record(), make_record(), make_record(), upset, fault])
        played.store(*records)
        found = client.get("/api/tv").json()
        assert found["live"] and found["matches"][0]["match_id"] == records[3].match_id
        assert records[4].match_id not in {one["match_id"] for one in found["matches"]} and len(found["matches"]) == 4
        assert found["matches"][0]["bots"] == ["bob", "alice"]
        played.end()
