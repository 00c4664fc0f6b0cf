"""Tournaments ranked by each of the other models, and rated again by them: board, history, audit and page agree."""

import pytest

from arena.audit.results_audit import audit_results
from arena.cli.main import main
from arena.ratings.models import MODELS, STORED
from arena.reports.pages.words import Words
from arena.reports.report import html, report
from arena.results import parquet
from helpers.tournaments import GOOD_BOTS, run

OTHERS = [name for name in MODELS if name not in STORED]


@pytest.fixture(params=OTHERS)
def model(request: pytest.FixtureRequest) -> str:
    package = MODELS[request.param].package
    if package is not None:
        pytest.importorskip(package)
    return str(request.param)


@pytest.mark.usefixtures("few_replays")
def test_a_board_is_ranked_stored_audited_and_shown_by_it(model: str, tmp_path, capsys) -> None:
    played = run(tmp_path, bots=GOOD_BOTS, deals=4, ratings={"headline": MODELS[model].headline})
    stored = parquet.read_ratings(played.folder)
    assert {one.model for one in stored} == {model, *STORED} and stored[0].model == model
    assert audit_results(played.folder, 1, lambda _: None).problems == []
    out = ["--out", str(played.folder.parent)]
    assert main(["leaderboard", "small", *out]) == 0
    board = capsys.readouterr().out
    best = min((one for one in stored if one.model == model), key=lambda one: one.rank or 99)
    assert f"{best.rating:.2f}" in board and f"ratings by {model}: {MODELS[model].title}" in " ".join(board.split())
    assert main(["leaderboard", "small", "--history", best.bot, *out]) == 0
    assert main(["leaderboard", "small", "--explain", best.bot, *out]) == 0
    for language in ("en", "ja"):
        words = Words(language)
        page = html(report(played.folder, words), words)
        assert words.known[f"model_{model.replace('-', '_')}"].replace("'", "&#39;") in page


def test_a_board_is_rated_again_by_it(model: str, tmp_path, capsys) -> None:
    played = run(tmp_path, bots=GOOD_BOTS, deals=2)
    before = sorted(path.name for path in played.folder.iterdir())
    assert main(["rerate", "small", "--model", model, "--out", str(played.folder.parent)]) == 0
    assert f"small, rated again by {model}: " in capsys.readouterr().out
    assert sorted(path.name for path in played.folder.iterdir()) == before
    assert main(["leaderboard", "small", "--model", model, "--out", str(played.folder.parent)]) == 2
    assert f"arena rerate small --model {model} rates by it" in capsys.readouterr().err
