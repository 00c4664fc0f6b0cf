"""Matches that are played again: which, by whom something was done otherwise, what the board says, and what is rated then."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from arena.cli.main import main
from arena.match.sandbox import PROCESS
from arena.tournament.repeats import MOST, SHARE, choose
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Results, Settings
from helpers.locked_matches import RIVAL
from helpers.plans import plan

pytestmark = pytest.mark.usefixtures("one_zygote")
ENTROPY = "import os\n\n\ndef number(bot):\n    return int.from_bytes(os.urandom(8), 'big')\n"
OWN_RNG = "def number(bot):\n    return bot.rng.getrandbits(32)\n"
BODY = """
from arena.agent import Agent

class Some(Agent):
    def act(self, view):
        return view.legal[number(self) % len(view.legal)]
"""


def run(folder: Path, **changes: Any) -> Results:
    (folder / "restless.py").write_text(ENTROPY + BODY)
    (folder / "random.py").write_text(OWN_RNG + BODY)
    bots = ["restless.py", "random.py", {"path": str(RIVAL), "trusted": True}]
    config = {"name": "cup", "seed": 7, "games": [{"game": "naga", "seats": 2}], "bots": bots, "deals": 3, **changes}
    (folder / "cup.yaml").write_text(yaml.safe_dump(config))
    return run_tournament(folder / "cup.yaml", Settings(out=folder / "out", backend=LOCAL, workers=1))


def test_a_bot_that_acts_by_entropy_is_named_and_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = {bot.name: bot for bot in run(tmp_path).manifest.bots}
    assert found["restless"].deviated == found["restless"].repeated > 0
    assert found["random"].repeated > 0 and not found["random"].deviated
    assert not found[RIVAL.stem].repeated  # it is trusted
    out = ["--out", str(tmp_path / "out")]
    assert main(["leaderboard", "cup", *out]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "acted otherwise" in text and f"restless ({found['restless'].deviated} of" in text and "not rated" not in text
    before = (tmp_path / "out" / "cup" / "manifest.json").read_text()
    again = run(tmp_path).manifest  # nothing is left to play, nor to play again
    assert {bot.name: bot for bot in again.bots} == found and json.loads(before)["results_sha256"] == again.results_sha256


def test_a_bot_that_remembers_a_hand_is_named(tmp_path: Path) -> None:
    """Without a lock it has a file for that; the first seating of a deal is played again when it has seen all of them."""
    memory = tmp_path / "memory"
    memory.mkdir()
    (tmp_path / "remembering.py").write_text(f"""
import hashlib
from pathlib import Path
from arena.agent import Agent

class Remembering(Agent):
    def act(self, view):
        note = Path({str(memory)!r}, hashlib.sha256(str(view).encode()).hexdigest())
        knows = note.exists()
        note.touch()
        return view.legal[-1 if knows else 0]
""")
    config = {"name": "cup", "seed": 7, "games": [{"game": "naga", "seats": 2}], "deals": 2}
    config["bots"] = ["remembering.py", {"path": str(RIVAL), "trusted": True}]
    (tmp_path / "cup.yaml").write_text(yaml.safe_dump(config))
    settings = Settings(out=tmp_path / "out", backend=LOCAL, workers=1, unsafe_trust_bots=True, isolation=PROCESS)
    (found, _) = run_tournament(tmp_path / "cup.yaml", settings).manifest.bots
    assert found.deviated == found.repeated == 1


def test_its_matches_are_rated_unless_the_config_says_no(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = run(tmp_path, ratings={"repeatable": True})
    assert {rating.bot for rating in results.ratings} == {"random", RIVAL.stem}
    assert all(rating.matches == 6 for rating in results.ratings)
    out = ["--out", str(tmp_path / "out")]
    assert main(["leaderboard", "cup", *out]) == 0
    assert "and not rated: restless" in " ".join(capsys.readouterr().out.split())
    assert main(["verify-results", "cup", *out]) == 0
    assert main(["rerate", "cup", *out]) == 0
    assert "restless" not in capsys.readouterr().out.replace("not rated: restless", "")
    assert main(["report", "cup", *out]) == 0


def test_the_choice_is_small_and_does_not_depend_on_the_order_of_arrival(tmp_path: Path) -> None:
    (record, *_) = run(tmp_path, deals=1).records()
    bots = {(seat.bot, seat.bot_version) for seat in record.seats}
    hashes = {seat.bot_sha256 for seat in record.seats}
    records = [
        msgspec.structs.replace(record, index=index, match_id=f"{index:024x}", rotation=index % 2) for index in range(6 * SHARE)
    ]
    for count, expected in ((2, 1), (2 * SHARE, 3), (6 * SHARE, MOST)):
        chosen = choose(plan(2), records[:count], bots, hashes)
        assert len(chosen) == expected and all(match.rotation == 0 for match in chosen.values())
        assert list(choose(plan(2), records[:count][::-1], bots, hashes)) == list(chosen)
    assert not choose(plan(2), records, bots, set()) and not choose(plan(2), records, set(), hashes)
