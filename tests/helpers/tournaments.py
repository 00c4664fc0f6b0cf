"""Small tournaments: a config, a run in this process or in one of its own, and what must be true of the results."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from arena.audit.results_audit import audit_results
from arena.errors import StoreError
from arena.results.journal import Journal
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Observer, Progress, Results, Settings
from helpers.paths import TEST_BOTS

GOOD_BOTS = [TEST_BOTS / "counting_bot.py", TEST_BOTS / "set_bot.py", TEST_BOTS / "folder_bot"]


def write_config(folder: Path, bots: Sequence[Any] = GOOD_BOTS, **changes: Any) -> Path:
    """The config of a small league; `bots` given as paths are trusted, others are entries as they stand in a config."""
    config = {
        "name": "small",
        "seed": 7,
        "games": [{"game": "naga", "seats": 2}],
        "bots": [{"path": str(bot), "trusted": True} if isinstance(bot, Path) else bot for bot in bots],
        "deals": 10,
        "ratings": {"luck": False},  # else Naga's boards go without luck, which few tests are about
        **changes,
    }
    path = folder / "small.yaml"
    path.write_text(yaml.safe_dump(config))
    return path


def run(folder: Path, out: str = "out", *, workers: int = 1, backend: str = LOCAL, **changes: Any) -> Results:
    """Play the small league, changed by `changes`, in folder/out."""
    folder.mkdir(exist_ok=True)
    return run_tournament(write_config(folder, **changes), Settings(out=folder / out, backend=backend, workers=workers))


def arena(*arguments: object, **options: Any) -> "subprocess.Popen[str]":
    """`arena ARGUMENTS` in a process of its own."""
    command = [sys.executable, "-P", "-m", "arena", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def ended(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    """The exit code, the output and the errors of a process, once it has ended."""
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def journalled(folder: Path) -> int:
    """Matches in the journal of a run that may be going on."""
    if not (folder / "journal.sqlite").exists():
        return 0
    try:
        with Journal(folder, is_read_only=True) as journal:
            return sum(1 for _ in journal.indices())
    except StoreError:  # it is just being made
        return 0


def assert_same(results: Results, calm: Results) -> None:
    """Every match once, and as in the calm run."""
    assert [record.index for record in results.records()] == list(range(results.manifest.matches))
    assert results.manifest.results_sha256 == calm.manifest.results_sha256
    assert results.manifest.reproducible_sha256 == calm.manifest.reproducible_sha256
    assert results.ratings == calm.ratings
    assert audit_results(results.folder, 1, lambda _: None).problems == []


class Stops(Observer):
    """Ctrl-C, once, after so many matches."""

    def __init__(self, after: int) -> None:
        self.after = after

    def progress(self, progress: Progress) -> None:
        if progress.played_now >= self.after:
            self.after = 10**9
            raise KeyboardInterrupt
