"""Every topic of `python -m lab` ends well at a small size, and prints JSON."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from helpers.paths import ROOT, TESTS
from lab import server
from lab.__main__ import app

TOPICS = sorted(command.callback.__name__ for command in app.registered_commands if command.callback)
SMALL = {
    "episodes": ["--seconds", "0.1", "--rival", "random"],
    "exact": ["--positions", "1", "--game", "yaniv", "--bot", "house:random_bot"],
    "headline": ["--field", "leavers", "--runs", "2"],
    "luck": ["--game", "naga", "--matches", "100", "--workers", "1"],
    "races": ["--slots", "200"],
    "ratings": ["--field", "leavers", "--runs", "2"],
    "rows": ["--matches", "50"],
}


def said(*words: str) -> object:
    found = CliRunner().invoke(app, words, catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


@pytest.mark.slow
@pytest.mark.parametrize("topic", SMALL)
def test_a_topic_ends_well_at_a_small_size(topic: str) -> None:
    assert said(topic, *SMALL[topic])


@pytest.mark.slow
def test_the_server_is_measured_at_a_small_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "TURNS", 1)
    found = said("server", "--sockets", "10", "--seconds", "2")
    assert found["sockets"]["sockets"] == 10 and found["sockets"]["messages"] >= 10
    assert all(page["outside"] == 0 and page["kb"] > 0 for page in found["pages"]) and len(found["pages"]) > 8
    assert all(one["actions"] >= 10 and one["p95_ms"] >= one["p50_ms"] > 0 for one in found["answers"]) and found["answers"]
    assert len(found["pace"]["without"]) == len(found["pace"]["watched"])


def test_the_laboratory_is_run_as_contributing_says() -> None:
    environment = {**os.environ, "PYTHONPATH": "tests"}
    found = subprocess.run(
        [sys.executable, "-m", "lab", "--help"], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert all(topic in found.stdout for topic in TOPICS) and (TESTS / "lab").is_dir()
    assert "PYTHONPATH=tests .venv/bin/python -m lab TOPIC" in (ROOT / "CONTRIBUTING.md").read_text()


@pytest.mark.parametrize("words", [["rows", "--matches", "0"], ["exact", "--positions", "0"], ["server", "--sockets", "0"]])
def test_a_size_that_is_none_is_refused(words: list[str]) -> None:
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 2 and "Invalid value" in found.output
