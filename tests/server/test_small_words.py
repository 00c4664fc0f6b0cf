"""Words of pages that depend on a value: one of a thing, long times, levels in the reader's language."""

import pytest
from starlette.testclient import TestClient

from arena.reports.pages.words import Words
from arena.server.assets import Assets
from arena.server.rendering import Templates
from helpers.live_tables import Sitting, Visitor


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
