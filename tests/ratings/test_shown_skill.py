"""Skill against luck where a bot is explained: on the command line, on its page on the server, in the report."""

import json

import numpy as np
import pytest

from arena.cli.main import main
from arena.ratings.skill import skill_of
from arena.reports.evidence import Evidence
from arena.reports.pages.words import Words
from arena.reports.report import html, report
from arena.reports.tables import skill_text
from arena.tournament.archive.luck import pools_with_luck
from arena.tournament.session import Results
from helpers.server import server
from helpers.tournaments import run
from lab.luck_boards import PAIRS, board_certainty

NAGA = [{"game": "naga", "seats": 2}]
BOT = ("counting_bot", 1)


@pytest.fixture(scope="module")
def lucky(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run(tmp_path_factory.mktemp("lucky"), games=NAGA, deals=3, ratings={"luck": True})


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Results:
    return run(tmp_path_factory.mktemp("plain"), games=NAGA, deals=1)


def test_explain_tells_skill_from_luck(lucky: Results, plain: Results, capsys: pytest.CaptureFixture[str]) -> None:
    known = skill_of("naga", pools_with_luck(lucky.folder, lucky.manifest)["naga"], BOT)
    assert known is not None
    words = ["leaderboard", "small", "--explain", BOT[0], "--out", str(lucky.folder.parent)]
    assert main([*words, "--format", "json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert told["skill"]["skill"] == pytest.approx(known.skill) and told["skill"]["deals"] == 3
    assert main(words) == 0
    assert skill_text(known) in " ".join(capsys.readouterr().out.split())
    assert main(["leaderboard", "small", "--explain", BOT[0], "--out", str(plain.folder.parent), "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["skill"] is None


def test_the_page_of_a_bot_tells_skill_from_luck(lucky: Results, plain: Results) -> None:
    known = skill_of("naga", pools_with_luck(lucky.folder, lucky.manifest)["naga"], BOT)
    assert known is not None
    with server(lucky.folder.parent) as client:
        page = client.get(f"/bots/{BOT[0]}").text
        assert "Skill and luck" in page and f"{known.luck:+.1%}" in page
        assert client.get(f"/api/bots/{BOT[0]}").json()["pools"][0]["skill"]["skill"] == pytest.approx(known.skill)
    with server(plain.folder.parent) as client:
        assert "Skill and luck" not in client.get(f"/bots/{BOT[0]}").text


@pytest.mark.usefixtures("few_replays")
def test_the_report_has_a_section_where_luck_is_known(lucky: Results, plain: Results) -> None:
    for played, is_there in ((lucky, True), (plain, False)):
        page = html(report(played.folder, Words("en")), Words("en"))
        assert ("Skill and luck: Naga" in page) == is_there


def test_the_error_bars_of_a_report_are_those_of_the_board(lucky: Results) -> None:
    pool = Evidence(lucky.folder).pool("naga", "naga")
    widths = dict(zip(pool.bots, pool.bars.half_widths()))
    assert all(rating.high - rating.mu == pytest.approx(widths[rating.bot, rating.bot_version]) for rating in pool.ratings)


@pytest.mark.slow
def test_simulated_boards_hold_what_they_say() -> None:
    """Made-up duels in which the luck that is told is half of what decides."""
    stream = np.random.default_rng(2)
    shares, lucks = [], []
    for pair in PAIRS:
        cards = stream.normal(0, 1, (400, 2))
        wins = cards + stream.normal(0, 1, (400, 2)) + 0.3 * (pair[1] - pair[0]) > 0
        shares.append(np.stack([wins, ~wins], axis=-1).astype(float))
        lucks.append(0.28 * np.stack([cards, -cards], axis=-1))
    found = board_certainty("made up", shares, lucks)
    assert 0.93 <= found.covered_without <= 0.97 and found.found > 1.3
    assert found.promised == pytest.approx(found.found, rel=0.12)
