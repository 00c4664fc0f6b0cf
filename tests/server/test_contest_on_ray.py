"""The ladder of a contest on a Ray cluster, where `--address` says so: the same driver, the same promises."""

from pathlib import Path

import pytest

from arena.audit.results_audit import audit_results
from arena.results.journal import Journal
from arena.results.manifest import read_manifest
from helpers.contests import submit, write_contest
from helpers.processes import command, until
from helpers.ray_nodes import RayNodes
from helpers.serving import served
from helpers.tournaments import journalled


@pytest.mark.slow
def test_a_contest_plays_on_a_cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = tmp_path / "out"
    contest, folder = write_contest(tmp_path), results / "class"
    submit(results, "alice")
    with RayNodes() as nodes:
        head = nodes.add("head")
        for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_USAGE_STATS_ENABLED"):
            monkeypatch.setenv(name, nodes.environment[name])
        with served(results, "--contest", contest, "--address", nodes.address):
            until(lambda: journalled(folder) > 20)
            assert any("ray::" in command(pid) for pid in head.pids)
    assert read_manifest(folder).finished and audit_results(folder, 1, lambda _: None).problems == []
    with Journal(folder, is_read_only=True) as journal:
        assert any(seat.bot == "alice" for record in journal.records() for seat in record.seats)
