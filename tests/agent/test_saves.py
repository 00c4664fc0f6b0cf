"""When a bot counts as saved, whatever its editor does: writes in steps, puts a new file in place, breaks it, deletes it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from arena.agent.saves import ABSENCE, REST, Saved, Saves


class Clock:
    """Stands still until it is turned."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def source(name: str) -> str:
    return f"from arena.agent import Agent\n\nclass {name}(Agent):\n    pass\n"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    path = tmp_path / "first.py"
    path.write_text(source("One"))
    return path


def rested(saves: Saves, clock: Clock, seconds: float = REST) -> Saved | None:
    """What was saved, after the files have rested."""
    early = saves.look()
    clock.now += seconds
    return saves.look() or early


@pytest.fixture
def watched(bot: Path, clock: Clock) -> Saves:
    """What watches a bot that it has told of already."""
    saves = Saves(bot, clock)
    assert rested(saves, clock) is not None
    return saves


def test_what_is_there_at_first_is_told_once(bot: Path, clock: Clock) -> None:
    saves = Saves(bot, clock)
    found = rested(saves, clock)
    assert found is not None and found.files is not None and found.files.files == {"first.py": bot.read_bytes()}
    assert rested(saves, clock) is None


def test_a_file_is_read_when_it_has_rested(bot: Path, watched: Saves, clock: Clock) -> None:
    for step in range(1, 4):
        bot.write_text(source("Two") + "#" * step)
        assert watched.look() is None
        clock.now += REST / 2
        assert watched.look() is None
    found = rested(watched, clock)
    assert found is not None and found.files is not None and found.files.files["first.py"].endswith(b"###")


def test_the_same_content_is_nothing_new(bot: Path, watched: Saves, clock: Clock) -> None:
    bot.write_text(source("One"))
    assert rested(watched, clock) is None


def test_a_new_file_in_the_place_of_the_old_one_is_a_save(bot: Path, watched: Saves, clock: Clock) -> None:
    beside = bot.with_name(".first.py.new")
    beside.write_text(source("Two"))
    beside.replace(bot)
    found = rested(watched, clock)
    assert found is not None and found.files is not None and b"Two" in found.files.files["first.py"]


def test_what_is_no_python_is_told_with_its_line_and_what_comes_back_is_new(bot: Path, watched: Saves, clock: Clock) -> None:
    bot.write_text(source("One") + "    def act(self, view:\n")
    found = rested(watched, clock)
    assert found is not None and found.files is None
    assert f"{bot}: line 5: syntax error" in found.trouble and "\n" not in found.trouble
    bot.write_text(source("One"))
    again = rested(watched, clock)
    assert again is not None and again.files is not None


def test_a_file_that_is_gone_for_a_moment_is_not_told_of(bot: Path, watched: Saves, clock: Clock) -> None:
    content = bot.read_text()
    bot.unlink()
    assert rested(watched, clock) is None
    bot.write_text(content)
    assert rested(watched, clock) is None


def test_a_file_that_stays_away_is_told_of_once(bot: Path, watched: Saves, clock: Clock) -> None:
    bot.unlink()
    found = rested(watched, clock, ABSENCE)
    assert found is not None and found.files is None and "not there" in found.trouble
    assert rested(watched, clock, ABSENCE) is None
    bot.write_text(source("One"))
    again = rested(watched, clock)
    assert again is not None and again.files is not None


def of_module(folder: Path) -> None:
    (folder / "model.py").write_text("A = 2\n")


def of_new_file(folder: Path) -> None:
    (folder / "data").mkdir()
    (folder / "data" / "weights.bin").write_bytes(b"12")


@pytest.mark.parametrize("change", [of_module, of_new_file])
def test_any_file_of_a_folder_counts(tmp_path: Path, clock: Clock, change: Callable[[Path], None]) -> None:
    folder = tmp_path / "larger"
    folder.mkdir()
    (folder / "__init__.py").write_text(source("Larger"))
    (folder / "model.py").write_text("A = 1\n")
    saves = Saves(folder, clock)
    assert rested(saves, clock) is not None
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "model.pyc").write_bytes(b"compiled")
    (folder / ".model.py.swp").write_bytes(b"an editor's")
    assert rested(saves, clock) is None
    change(folder)
    assert rested(saves, clock) is not None
