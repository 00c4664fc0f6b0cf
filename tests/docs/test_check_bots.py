"""The action that checks the bots of a pull request: which they are, what it says of them, and what hostile ones get."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.disk import set_mode
from helpers.command_bots import PLAY
from helpers.paths import HOUSE_BOTS, ROOT

ACTION = ROOT / ".github" / "actions" / "check-bots"
SCRIPT = ACTION / "check_bots.py"
EVIL = "import pathlib\npathlib.Path({mark!r}).write_text(__name__)\n"
"""A module that nobody is to import outside of the lock."""


@dataclass(frozen=True)
class Checked:
    """What the step has done."""

    code: int
    log: str
    summary: str
    bots: list[dict[str, object]]


class PullRequest:
    """A repository in which the merge of a pull request is checked out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "workspace"
        self.temporary = folder / "temporary"
        for path in (self.folder, self.temporary):
            path.mkdir()
        self._git("init", "--quiet", "--initial-branch=main")
        self.write("README.md", "bots\n")
        self.write("bots/old.py", "old = 1\n")
        self._commit()
        self._git("checkout", "--quiet", "-b", "theirs")

    def write(self, path: str, text: str) -> None:
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def merge(self) -> None:
        """What GitHub checks out: the merge of their branch into ours, where something was added meanwhile."""
        self._commit()
        self._git("checkout", "--quiet", "main")
        self.write("bots/ours.py", "ours = 1\n")
        self._commit()
        self._git("merge", "--quiet", "--no-ff", "-m", "merge", "theirs")

    def check(self, bots: str = "bots/*", games: str = "naga", **variables: str) -> Checked:
        """Run the script of the action as its step does. `variables`: what the job's environment has besides."""
        summary = self.temporary / "summary.md"
        env = {
            **os.environ, "BOTS": bots, "GAMES": games, "GITHUB_WORKSPACE": str(self.folder),
            "RUNNER_TEMP": str(self.temporary), "GITHUB_STEP_SUMMARY": str(summary), "SECRET": "s3cret", **variables,
        }  # fmt: skip
        command = [sys.executable, "-I", str(SCRIPT)]
        done = subprocess.run(command, cwd=self.temporary, env=env, capture_output=True, text=True, timeout=600, check=False)
        file = self.temporary / "arena-bots.json"
        found = json.loads(file.read_bytes())["bots"] if file.exists() else []
        return Checked(done.returncode, done.stdout + done.stderr, summary.read_text() if summary.exists() else "", found)

    def _commit(self) -> None:
        self._git("add", "--all")
        self._git("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "--quiet", "--allow-empty", "-m", "x")

    def _git(self, *words: str) -> None:
        identity = {"GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@x", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@x"}
        env = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
        subprocess.run(["git", *words], cwd=self.folder, env=env, check=True, capture_output=True)


@pytest.fixture
def pull(tmp_path: Path) -> PullRequest:
    return PullRequest(tmp_path)


def test_a_pull_request_without_bots_has_nothing_to_say(pull: PullRequest) -> None:
    pull.write("README.md", "more\n")
    pull.merge()
    found = pull.check()
    assert (found.code, found.bots) == (0, []) and "No bot was added or changed" in found.summary


def test_without_the_merge_it_says_what_to_check_out(pull: PullRequest) -> None:
    pull.write("bots/new.py", "x = 1\n")
    found = pull.check()
    assert (
        found.code == 2
        and found.log == "check out the merge of the pull request with both parents: actions/checkout with fetch-depth: 2\n"
    )


def test_links_are_no_bots_and_nothing_behind_them_is_read(pull: PullRequest, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("secret = 1\n")
    (pull.folder / "bots" / "link.py").symlink_to(tmp_path / "outside.py")
    (pull.folder / "more").symlink_to(tmp_path)
    pull.merge()
    found = pull.check("bots/*\nmore")
    assert found.code == 1
    assert [(bot["path"], bot["code"], bot["text"]) for bot in found.bots] == [
        ("bots/link.py", 1, "a link is no bot: hand in the files"), ("more", 1, "a link is no bot: hand in the files"),
    ]  # fmt: skip


@pytest.mark.slow
def test_what_was_added_or_changed_is_checked_and_nothing_else(pull: PullRequest) -> None:
    good = (HOUSE_BOTS / "naga_greedy.py").read_text()
    pull.write("bots/good.py", good)
    pull.write("bots/folder/__init__.py", good)
    pull.write("bots/folder/net/weights.txt", "1\n")
    pull.write("bots/old.py", "import no_such_module\n")
    pull.write("other/bot.py", good)
    pull.merge()
    found = pull.check()
    assert [(bot["path"], bot["code"]) for bot in found.bots] == [("bots/folder", 0), ("bots/good.py", 0), ("bots/old.py", 1)]
    assert found.code == 1 and found.log == "3 bots were added or changed; 2 of the 3 that were checked may enter\n"
    assert "| `bots/good.py` | may enter |" in found.summary and "| `bots/old.py` | may not enter |" in found.summary
    assert "ModuleNotFoundError" in found.summary and "ours" not in found.summary


SETTINGS = 'name = "made"\ncommand = ["python3", "bot.py"]\n[build]\ncommand = ["mycc"]\nmakes = ["bot.py"]\n'


@pytest.mark.slow
def test_a_bot_that_comes_as_source_is_built_by_the_toolchains_that_the_job_names(pull: PullRequest, tmp_path: Path) -> None:
    compiler = tmp_path / "tools" / "bin" / "mycc"
    compiler.parent.mkdir(parents=True)
    compiler.write_text("#!/bin/sh\ncp play.x bot.py\n")
    set_mode(compiler, 0o755)
    pull.write("bots/made/bot.toml", SETTINGS)
    pull.write("bots/made/play.x", f"{PLAY}# {tmp_path}\n")
    pull.merge()
    (bot,) = pull.check().bots
    assert bot["code"] == 1 and "no mycc on the machine that builds" in str(bot["text"])
    (bot,) = pull.check(ARENA_TOOLCHAINS=str(tmp_path / "tools")).bots
    assert bot["code"] == 0, bot["text"]


@pytest.mark.slow
def test_a_hostile_pull_request_runs_nothing_outside_of_the_lock(pull: PullRequest, tmp_path: Path) -> None:
    mark = tmp_path / "it-was-here"
    for module in (
        "json",
        "arena/__init__",
        "sitecustomize",
        "usercustomize",
        "venv",
        "pip",
        "numpy/__init__",
        "verdicts",
        "bots/json",
    ):
        pull.write(f"{module}.py", EVIL.format(mark=str(mark)))
    pull.write(".gitattributes", "* diff=evil filter=evil\n")
    pull.write("bots/evil.py", f"import os\nprint(os.environ.get('SECRET'))\n{EVIL.format(mark=str(mark))}")
    pull.write("bots/`x` | <img src=x> @all\n::error::.py", "x = 1\n")
    pull.write("bots/asks/bot.toml", '[model]\nbase_url = "http://127.0.0.1:9/v1"\nname = "x"\nkey_variable = "SECRET"\n')
    pull.merge()
    found = pull.check()
    assert found.code == 1 and not mark.exists() and all(bot["code"] == 1 for bot in found.bots) and len(found.bots) == 4
    assert "::" not in found.log and "s3cret" not in json.dumps(found.bots) + found.summary
    outside = re.sub(r"^```text\n.*?^```$", "", found.summary, flags=re.DOTALL | re.MULTILINE)
    assert "<img" not in outside and "@" not in outside and "::" not in outside
