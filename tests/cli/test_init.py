"""`arena init`: a folder in which a first tournament can be played, written whole or not at all."""

import errno
from pathlib import Path

import pytest

from arena.agent import read_bot
from arena.cli.main import main
from arena.tournament.config import read_config
from helpers.paths import CONFIGS, HOUSE_BOTS


def contents(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


@pytest.mark.parametrize("words", [[], ["archive"]])
def test_a_folder_has_all_configs_and_bots(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", *words]) == 0
    folder = tmp_path.joinpath(*words)
    assert {path.name for path in folder.iterdir()} == {"configs", "bots", "README.md"}
    assert {path.name for path in tmp_path.iterdir()} == set(words or ["configs", "bots", "README.md"])
    for name, source in (("configs", CONFIGS), ("bots", HOUSE_BOTS)):
        for path in source.rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert (folder / name / path.relative_to(source)).read_bytes() == path.read_bytes()
    assert not any("__pycache__" in path for path in contents(folder))
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == f"next: {'cd archive && ' if words else ''}arena tournament configs/duel.yaml"
    ours = {bot.name: bot.files.sha256 for bot in read_config(CONFIGS / "duel.yaml").bots}
    assert {bot.name: bot.files.sha256 for bot in read_config(folder / "configs" / "duel.yaml").bots} == ours
    assert read_config(folder / "configs" / "duel.yaml").bots[0].path.is_relative_to(folder)


@pytest.mark.parametrize("there", ["README.md", "configs", "bots"])
def test_what_is_there_is_never_changed(
    there: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / there).symlink_to("nowhere")  # a link, too: to write through it would change another folder
    assert main(["init", str(tmp_path)]) == 2
    assert capsys.readouterr().err == (
        f"arena: {tmp_path / there}: there already, so nothing was written; name another folder: arena init FOLDER\n"
    )
    assert contents(tmp_path) == {there}


@pytest.mark.parametrize(("words", "message"), [("a/b", "there is no folder a"), ("file", "file: is no folder")])
def test_a_place_where_no_folder_can_be_is_refused(
    words: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    assert main(["init", words]) == 2
    assert message in capsys.readouterr().err and contents(tmp_path) == {"file"}


@pytest.mark.parametrize("is_new", [True, False])
def test_nothing_is_half_written_when_the_disk_is_full(
    is_new: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written, write = [], Path.write_bytes

    def fills_up(path: Path, data: bytes) -> int:
        written.append(path)
        if len(written) == 5:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", fills_up)
    folder = tmp_path / "archive" if is_new else tmp_path
    assert main(["init", str(folder)]) == 2
    assert capsys.readouterr().err == f"arena: {folder}: cannot be written: No space left on device\n"
    assert len(written) == 5 and contents(tmp_path) == set()


def test_a_bot_of_the_folder_is_the_house_bot(tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / "archive")]) == 0
    copy = tmp_path / "archive" / "bots" / "champion.py"
    assert read_bot(copy).sha256 == read_bot(HOUSE_BOTS / "champion.py").sha256
    copy.write_text(copy.read_text() + "\n")  # it is theirs now, and can be changed
