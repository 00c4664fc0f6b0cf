"""A config that names house bots as `house:NAME` is the same tournament as one that gives their paths."""

from pathlib import Path

import pytest

from arena.cli.main import main
from arena.results import parquet
from helpers.paths import HOUSE_BOTS
from helpers.tournaments import assert_same, run

NAMES = ("naga_planner", "naga_greedy", "random_bot")
BY_PATH = [{"path": str(HOUSE_BOTS / f"{name}.py"), "trusted": name != "random_bot"} for name in NAMES]
BY_NAME = [{"path": f"house:{name}", "trusted": name != "random_bot"} for name in NAMES]  # the random bot is locked in


@pytest.mark.usefixtures("one_zygote")
def test_results_are_the_same_and_may_be_resumed_by_the_other_config(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    by_path = run(tmp_path / "paths", bots=BY_PATH, deals=2)
    by_name = run(tmp_path / "names", bots=BY_NAME, deals=2)
    assert by_name.manifest.plan_sha256 == by_path.manifest.plan_sha256
    assert_same(by_name, by_path)
    again = run(tmp_path / "paths", bots=BY_NAME, deals=2)
    assert again.manifest == by_path.manifest
    out = str(tmp_path / "names" / "out")
    assert main(["verify-results", "small", "--out", out]) == 0
    assert main(["archive", "--out", out]) == 0
    record = next(parquet.read_matches(by_name.folder))
    words = ["capsule", record.match_id, "0", "--run", "--decision", "1", "--to", str(tmp_path / "capsule.json"), "--out", out]
    assert main(words) == 0
    assert "small" in capsys.readouterr().out
