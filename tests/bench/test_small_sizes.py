"""Topics whose size can be chosen end well at the smallest sizes, for people and for programs."""

import json
import os

import pytest

from arena.bench import hall
from arena.cli.main import main
from helpers.one_zygote import one_zygote

SMALL = {
    "scale": ["--matches", "200", "--backend", "local"],
    "rows": ["--matches", "50"],
    "fuzz": ["--minutes", "0.02", "--seed", "small", "--workers", "1"],
    "channels": ["--trials", "1", "--game", "naga"],
    "env": ["--game", "naga", "--seconds", "0.01"],
    "exact": ["--positions", "1", "--game", "yaniv", "--bot", "house:random_bot"],
}


FORMS = [(topic, form) for topic in SMALL for form in ("table", "json") if topic != "scale"]
"""Of the longest topic, which measures whole tournaments, made-up figures show the table (tests/cli/test_forms.py)."""
if "ARENA_TEST_ALL" in os.environ:
    FORMS.append(("scale", "json"))


@pytest.mark.slow
@pytest.mark.parametrize("topic, form", FORMS)
def test_a_topic_ends_well_at_a_small_size(topic: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    with one_zygote(["naga"]):
        assert main(["bench", topic, *SMALL[topic], "--format", form]) in (0, 1)
    said = capsys.readouterr()
    assert said.out.strip() and "Traceback" not in said.err
    if form == "json":
        assert json.loads(said.out)


@pytest.mark.slow
def test_the_hall_is_measured_at_a_small_size(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hall, "TURNS", 1)
    monkeypatch.setattr(hall, "SLOTS", 200)
    assert main(["bench", "hall", "--sockets", "10", "--seconds", "2", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["sockets"]["sockets"] == 10 and found["sockets"]["messages"] >= 10
    assert all(page["outside"] == 0 and page["kb"] > 0 for page in found["pages"]) and len(found["pages"]) > 8
    assert all(one["actions"] >= 10 and one["p95_ms"] >= one["p50_ms"] > 0 for one in found["answers"]) and found["answers"]
    assert found["races"]["slots"] >= 200 and found["races"]["ticks_held"] == 0
    assert len(found["pace"]["without"]) == len(found["pace"]["watched"])


def test_a_size_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["scale", "--matches", "0"],
        ["rows", "--matches", "-1"],
        ["fuzz", "--minutes", "0"],
        ["exact", "--positions", "0"],
        ["hall", "--sockets", "0"],
        ["hall", "--seconds", "nan"],
        ["env", "--seconds", "nan"],
    ):
        assert main(["bench", *words]) == 2, words
        assert capsys.readouterr().err
