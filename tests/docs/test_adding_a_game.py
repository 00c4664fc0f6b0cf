"""The page on adding a game: its files are those of tests/rooms, and what it tells to do gives a game that is played."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from arena.engine.contract import ROLLOUT
from helpers.paths import DOCS
from helpers.poker_rooms import FOLDERS, write_metadata

PAGE = (DOCS / "adding-a-game.md").read_text()
NAMED = dict(re.findall(r"^`([\w./-]+)`:\n\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
"""The content of each file that the page shows, by path."""
COMMANDS = re.findall(r"^```bash\n(.*?)^```(?:\n\n```text\n(.*?)^```)?", PAGE, re.DOTALL | re.MULTILINE)
"""What is typed, and what is then printed, where the page shows that."""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_the_page_shows_the_room_that_is_tested() -> None:
    shown = {path.removeprefix("poker_rooms/kuhn/"): text for path, text in NAMED.items() if "/kuhn/" in path}
    written = {path.name: path.read_text() for path in FOLDERS["kuhn"].iterdir() if path.is_file()}
    assert shown == {name: text for name, text in written.items() if name != "playthrough.txt"}


def test_what_the_page_says_gives_a_room_that_keeps_the_laws_and_is_played(tmp_path: Path) -> None:
    for path, text in NAMED.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(tmp_path / "installed")]),
        "NUMBA_DISABLE_JIT": "1",  # that the compiler changes nothing is tested for all games
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
        "COLUMNS": "120",
    }
    for typed, printed in COMMANDS:
        said = ""
        for line in typed.splitlines():
            if line.startswith("pip install"):  # what it would do, without a network
                write_metadata(tmp_path, tmp_path / "installed")
                continue
            done = subprocess.run(line, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
            assert done.returncode == 0, (line, done.stdout, done.stderr)
            said = done.stdout
        if printed:
            assert doctest.OutputChecker().check_output(printed, said, FLAGS), (typed, said)
    assert (tmp_path / "poker_rooms/kuhn/playthrough.txt").read_text() == (FOLDERS["kuhn"] / "playthrough.txt").read_text()


@pytest.mark.parametrize("word", ROLLOUT)
def test_the_page_lists_every_function_of_a_rollout(word: str) -> None:
    assert re.search(rf"^\|.*`{word}`.* \|", PAGE, re.MULTILINE)
