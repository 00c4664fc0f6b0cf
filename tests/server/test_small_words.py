"""Words of pages that depend on a value: one of a thing, long times, levels in the reader's language."""

from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.records import Ending
from arena.reports.pages.words import Words
from arena.server.assets import Assets
from arena.server.blocks import refusal
from arena.server.rendering import Templates
from arena.tournament.check_report import GameCheck, failed_in, failures
from helpers.live_tables import Sitting, Visitor


def make_game_check(**changes: Any) -> GameCheck:
    values: dict[str, Any] = {
        "game": "naga", "seats": (2,), "variants": 1, "matches": 6, "decisions": 60, "cpu_ms_p50": 0.1, "cpu_ms_p99": 0.2,
        "cpu_ms_max": 0.3, "wall_ms_max": 0.4, "endings": {}, "is_deterministic": True,
        "is_complete": True, "wait_seconds": 0.0, "end_faults": 0,
    }  # fmt: skip
    return GameCheck(**values | changes)


@pytest.mark.parametrize(
    ("key", "n", "said"),
    [("source_files", 1, "1 file"), ("source_files", 2, "2 files"), ("matches_count", "1", "1 match"), ("rank_n", 1, "rank 1")],
)
def test_one_of_a_thing_is_no_plural(key: str, n: object, said: str) -> None:
    assert Words("en")(key, n=n) == said
    assert Words("ja")("source_files", n=1) == "1 ファイル"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(89, "89 s"), (300, "5 min"), (6 * 3600, "6.0 h"), (47.9 * 3600, "47.9 h"), (1602.8 * 3600, "67 days")],
)
def test_a_long_time_is_said_in_days(seconds: float, said: str) -> None:
    macro = Templates(Assets())._templates.get_template("parts.html.jinja").module
    assert macro.seconds(seconds, Words("en")).strip() == said  # type: ignore[attr-defined]


def test_what_a_check_counts_is_said_in_the_language_of_the_reader() -> None:
    endings = {Ending.PLAYED: 3, Ending.CRASH: 2, Ending.TIMEOUT: 1}
    check = make_game_check(endings=endings)
    (reason,), failed = failures([check]), failed_in(check)
    assert failed is not None and failed_in(make_game_check(endings={Ending.PLAYED: 6})) is None
    english, japanese = (refusal(reason, [failed], Words(language)) for language in ("en", "ja"))
    assert english == "Naga: crashed 2, too slow 1 in 6 matches" and japanese == "ナーガ：6試合中、異常終了 2, 時間切れ 1"
    assert refusal("it plays chess: crash 2 in a row", [failed], Words("ja")) == "it plays chess: crash 2 in a row"


def test_levels_at_a_table_have_their_names_in_the_language_of_the_reader(server: Sitting, aya: Visitor) -> None:
    table = aya.open("yaniv", name="Aya", seats="3", opponent="level:club")
    client: TestClient = aya.client
    found = client.get(f"/api/tables/{table.id}").json()
    assert [(place["name"], place["level"]) for place in found["places"]] == [
        ("Aya", None),
        ("club", "club"),
        ("club-2", "club"),
    ]
    assert "クラブ, クラブ-2" in client.get("/play?lang=ja").text and "club, club-2" in client.get("/play?lang=en").text
    client.post(f"/tables/{table.id}/leave")


def test_no_opponent_is_offered_under_one_name_twice(aya: Visitor) -> None:
    names = [one["name"] for one in aya.client.get("/api/play/naga").json()["rivals"]]
    assert len(names) == len(set(names)) and "champion" in names
