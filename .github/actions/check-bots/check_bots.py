"""Checks the bots that a pull request adds or changes: `check_bots.py`, in a step of GitHub Actions where arena is installed.

Reads the variables BOTS (patterns of paths), GAMES, GITHUB_WORKSPACE (the merge of the pull request, checked out with two
commits) and GITHUB_STEP_SUMMARY, and writes RUNNER_TEMP/arena-bots.json. Exit code 0: all may enter, 1: not all, 2: a mistake.

Nothing that the pull request names is printed: the runner would take lines that begin with `::` as commands.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from verdicts import LONGEST_TEXT, MOST_BOTS, Verdict, markdown, written

PATIENCE = 900
"""Seconds for a bot: the first one has its games compiled."""
KEPT = ("PATH", "HOME", "LANG", "TMPDIR", "ARENA_CACHE_DIR", "ARENA_TOOLCHAINS")
"""The variables that a check knows: no token of the runner is among them."""


def main() -> int:
    """Check all, and write what was found."""
    if len(sys.argv) > 1:
        return examine(sys.argv[1], sys.argv[2:])
    workspace, temporary = Path(os.environ["GITHUB_WORKSPACE"]), Path(os.environ["RUNNER_TEMP"])
    patterns, games = os.environ.get("BOTS", "").split(), os.environ.get("GAMES", "").split()
    try:
        bots = bots_of(changed(workspace), patterns)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    found = [checked(workspace, bot, games, temporary) for bot in bots[:MOST_BOTS]]
    (temporary / "arena-bots.json").write_bytes(written(found))
    left = f"\nThese are the first {MOST_BOTS} of {len(bots)} bots.\n" if len(bots) > MOST_BOTS else ""
    with Path(os.environ.get("GITHUB_STEP_SUMMARY") or os.devnull).open("a", encoding="utf-8") as summary:
        summary.write(f"## Bots of this pull request\n\n{markdown(found)}{left}")
    entered = sum(verdict.code == 0 for verdict in found)
    print(f"{len(bots)} bots were added or changed; {entered} of the {len(found)} that were checked may enter")
    return 0 if entered == len(bots) else 1


def changed(workspace: Path) -> list[str]:
    """The paths that a pull request adds or changes. Raises ValueError where its merge was not checked out."""
    git = ["git", "-c", f"safe.directory={workspace}", "-C", str(workspace)]
    for parent in ("HEAD^1", "HEAD^2"):
        if subprocess.run(
            [*git, "rev-parse", "--verify", "--quiet", f"{parent}^{{commit}}"], capture_output=True, check=False
        ).returncode:
            raise ValueError("check out the merge of the pull request with both parents: actions/checkout with fetch-depth: 2")
    options = ("--no-ext-diff", "--no-renames", "--name-only", "--diff-filter=d", "-z")
    names = subprocess.run([*git, "diff", *options, "HEAD^1", "HEAD", "--"], capture_output=True, check=True).stdout
    return [os.fsdecode(name) for name in names.split(b"\0") if name]


def bots_of(paths: Iterable[str], patterns: Sequence[str]) -> list[str]:
    """The files and folders that are bots and that these paths are in, in order.

    >>> bots_of(["bots/a.py", "bots/b/net.py", "bots/b/x/y", "README.md"], ["bots/*"])
    ['bots/a.py', 'bots/b']
    """
    wanted = [pattern.strip("/").split("/") for pattern in patterns]
    found = {}
    for path in paths:
        parts = path.split("/")
        for pattern in wanted:
            head = parts[: len(pattern)]
            if len(head) == len(pattern) and all(map(fnmatchcase, head, pattern)):
                found["/".join(head)] = None
    return sorted(found)


def checked(workspace: Path, bot: str, games: Sequence[str], temporary: Path) -> Verdict:
    """What is found of one bot, by a process of its own."""
    place = workspace / bot
    if any(part.is_symlink() for part in (place, *place.parents) if part != workspace and workspace in part.parents):
        return Verdict(bot, 1, "a link is no bot: hand in the files")
    known = {name: os.environ[name] for name in KEPT if name in os.environ}
    command = [sys.executable, "-I", __file__, str(place), *games]
    try:
        done = subprocess.run(command, cwd=temporary, env=known, capture_output=True, timeout=PATIENCE, check=False)
        code, text = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        return Verdict(bot, 2, f"the check took longer than {PATIENCE} seconds")
    except ValueError:
        return Verdict(bot, 2, "the check failed; this is no fault of the bot")
    return Verdict(bot, code, text)


def examine(bot: str, games: Sequence[str]) -> int:
    """Check one bot, and print code and text as JSON. No language model is asked: its bot is refused."""
    from arena.cli.shared.checking import checked
    from arena.errors import ArenaError
    from arena.reports.checks import bot_check_text

    try:
        found, _ = checked(bot, list(games), results=Path("leaderboards"))
    except ArenaError as error:
        print(json.dumps([2, str(error)[:LONGEST_TEXT]]))
        return 0
    print(json.dumps([0 if found.may_enter else 1, bot_check_text(found)[:LONGEST_TEXT]]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
