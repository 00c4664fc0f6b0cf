"""What boards say of language models: the figures of a decision, in all forms of a board."""

from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from arena.reports.evidence import Evidence
from arena.reports.model_use import model_uses
from arena.reports.pages.words import Words
from arena.reports.printed import print_board
from arena.reports.report import html, report
from arena.reports.terminal import ConsolePage
from arena.results import parquet
from arena.results.schema import StoredCall
from helpers.stub_model import at_random, model_folder, serving
from helpers.tournaments import run


def call(decision: int, attempt: int, kind: str = "action", cost: float | None = None, match: str = "0" * 24) -> StoredCall:
    return StoredCall(
        seat=0, decision=decision, attempt=attempt, model="m", prompt_sha256="0" * 64, prompt_tokens=100, cached_tokens=60,
        completion_tokens=20, reasoning_tokens=5, finish_reason="stop", first_token_s=0.5, total_s=2.0, kind=kind, raw="",
        played="call" if kind == "action" else "", answer="0" * 64, index=0, match_id=match, pool="llm/naga", bot="model",
        bot_version=1, cost=cost,
    )  # fmt: skip


def test_figures_are_means_over_decisions() -> None:
    calls = [call(1, 0, "illegal"), call(1, 1, "empty"), call(1, 2), call(3, 0), call(5, 0), call(7, 0)]
    (one,) = model_uses(calls, "llm/naga")
    assert (one.decisions, one.legal, one.rethinks) == (4, 0.75, 0.5)
    assert (one.tokens, one.cached, one.seconds, one.cost) == (180.0, 0.6, 3.0, None)
    assert model_uses(calls, "naga") == ()
    (priced,) = model_uses([call(1, 0, cost=0.5), call(2, 0, cost=0.25)], "llm/naga")
    assert priced.cost == pytest.approx(0.375)
    (half,) = model_uses([call(1, 0, cost=0.5), call(2, 0)], "llm/naga")
    assert half.cost is None, "a sum without some calls would be too small"


def test_boards_and_reports_show_them(tmp_path: Path) -> None:
    others = [{"path": "house:random_bot", "trusted": True}, {"path": "house:naga_greedy", "trusted": True}]
    with serving(at_random) as stub:
        bot = model_folder(tmp_path, stub.address, legal="list")
        results = run(tmp_path, bots=[{"path": str(bot), "trusted": True}, *others], deals=1)
    text = StringIO()
    page = ConsolePage(Console(file=text, width=200))
    print_board(results.manifest, results.ratings, page, calls=results.calls())
    assert "legal at once" in text.getvalue() and "100.0%" in text.getvalue()
    uses = model_uses(parquet.read_calls(results.folder), "llm/naga")
    assert Evidence(results.folder).pool("llm/naga", "").models == uses
    for language, title in (("en", "Language models"), ("ja", "言語モデル")):
        page = html(report(results.folder, Words(language)), Words(language))
        assert title in page
        assert Words(language).pool("llm/naga") in page, "the pool by its name, not by its label"
    assert Words("en").pool("llm/naga") == "Naga, with language models"
