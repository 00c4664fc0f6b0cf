"""The online ratings beside the order-free headline: a column where there is room; every board says how far its ranks move."""

import re
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.cli.main import main
from arena.ratings.models import MODEL
from arena.reports.pages.words import Words
from arena.reports.report import html, report
from arena.results import parquet
from arena.results.manifest import OrderShifts, read_manifest, write_manifest
from helpers.records import make_record, make_seat
from helpers.results import write_results
from helpers.server import server

BOTS = ("naga_planner", "naga_greedy", "random_bot")
BOTH, MOVED = "online: the rating as it was played, match after match", "orders of the same matches its ranks move by at most"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament whose online ranks depend on the order of play, ranked by all matches at once."""
    folder = tmp_path_factory.mktemp("results")
    pairs = [(BOTS[number % 3], BOTS[(number + 1 + number // 3 % 2) % 3]) for number in range(36)]
    write_results(folder, [make_record(seats=(make_seat(one, 1), make_seat(other, 2))) for one, other in pairs], *BOTS)
    ranked_by(folder, "batch")
    return folder


def ranked_by(out: Path, headline: str) -> None:
    manifest = read_manifest(out / "cup")
    config = {"ratings": {"headline": headline, "rank_by": None}, "entries": [{"game": "naga", "pool": "naga"}]}
    write_manifest(out / "cup", replace(manifest, config=config, order_shifts=OrderShifts(20, {"naga": 2})))


def printed(
    out: Path, capsys: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch, width: int, *words: str, verb: str = "leaderboard"
) -> tuple[list[str], str]:  # fmt: skip
    """The headers of the table that a terminal of a width is shown, and all that is said, in one line."""
    patch.setenv("COLUMNS", str(width))
    assert main([verb, "cup", *words, "--out", str(out)]) == 0
    text = capsys.readouterr().out
    header = next(line for line in text.replace("|", " ").splitlines() if line.split()[:2] == ["rank", "bot"])
    return header.split(), " ".join(text.split())


@pytest.mark.parametrize("width", [70, 80, 100, 120, 200])
def test_the_online_ratings_have_a_column_and_a_line_that_says_what_they_are(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    header, text = printed(out, capsys, monkeypatch, width)
    assert "online" in header and f"{BOTH}; in 20 other {MOVED}: naga 2" in text


@pytest.mark.parametrize("width", [42, 60])
def test_where_the_column_has_no_room_the_line_does_not_speak_of_it_as_if_it_were_there(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    header, text = printed(out, capsys, monkeypatch, width)
    assert "online" not in header and f"a wider terminal has a column {BOTH}; in 20 other {MOVED}: naga 2" in text


def test_markdown_has_room_for_all(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    header, text = printed(out, capsys, monkeypatch, 60, "--format", "md")
    assert "online" in header and f" {BOTH}; in 20 other" in text and "a wider terminal" not in text


def test_rerate_measures_other_orders_anew_and_says_so_on_its_board(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text = printed(out, capsys, monkeypatch, 120, "--shuffles", "7", verb="rerate")
    assert re.search(rf"{BOTH}; in 7 other {MOVED}: naga [12]\b", text)
    _, without = printed(out, capsys, monkeypatch, 120, verb="rerate")
    assert BOTH in without and MOVED not in without
    assert read_manifest(out / "cup").order_shifts == OrderShifts(20, {"naga": 2}), "rerate writes nothing"


def test_a_board_by_online_ratings_says_the_same_of_its_own_ranks(
    out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked_by(out, "online")
    header, text = printed(out, capsys, monkeypatch, 120)
    page = html(report(out / "cup", Words("en")), Words("en"))
    ranked_by(out, "batch")
    assert "online" not in header and f"this rating depends on the order of play; in 20 other {MOVED}: naga 2" in text
    assert "In 20 other orders of the same matches a rank by online ratings moves by at most 2." in page


def test_the_report_and_the_server_have_both_too(out: Path) -> None:
    page = html(report(out / "cup", Words("en")), Words("en"))
    both = "In 20 other orders of the same matches a rank by online ratings moves by at most 2."
    assert f"Online is the rating as it was played, match after match. {both}" in page
    online = {one.bot: one.rating for one in parquet.read_ratings(out / "cup") if (one.model, one.pool) == (MODEL, "naga")}
    with server(out) as client:
        found = client.get("/api/t/cup").json()
        text = client.get("/t/cup?lang=en").text
    assert {row["bot"]: row["online"] for row in found["board"]} == pytest.approx(online, abs=1e-4)
    assert found["counting"] == {"overall": "standardized", "ranked_by": "low", "has_online": True, "orders": 20, "shift": 2}
    assert "Online is the rating as it was played, match after match." in text
    assert both in text
