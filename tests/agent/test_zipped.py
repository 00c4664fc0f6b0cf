"""Zips of strangers: what is a bot's folder is unpacked, and all else is refused before a byte of it lies anywhere else."""

import io
import stat
import warnings
import zipfile
from pathlib import Path

import pytest

from arena.agent import BotFiles
from arena.agent import zipped as module
from arena.agent.zipped import unzip, zipped
from arena.errors import BotError


def made(path: Path, *entries: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # of names that come twice
        for name, content in entries:
            archive.writestr(name, content)
    return path


def link() -> zipfile.ZipInfo:
    found = zipfile.ZipInfo("bot/secret")
    found.external_attr = (stat.S_IFLNK | 0o777) << 16
    return found


def test_a_folder_comes_back_as_it_was_packed(tmp_path: Path) -> None:
    files = {"__init__.py": b"import os\n", "lib/deck.py": b"X = 1\n"}
    path = tmp_path / "bot.zip"
    path.write_bytes(zipped(BotFiles("__init__.py", files)))
    unzip(path, tmp_path / "out")
    found = {str(one.relative_to(tmp_path / "out")): one.read_bytes() for one in (tmp_path / "out").rglob("*") if one.is_file()}
    assert found == files


def test_one_folder_around_everything_and_hidden_files_are_taken_away(tmp_path: Path) -> None:
    path = made(
        tmp_path / "bot.zip", ("bot/__init__.py", b"1"), ("bot/.git/config", b"2"), ("bot/__pycache__/x.pyc", b"3"),
        ("__MACOSX/bot/x", b"4"), ("bot\\lib\\a.py", b"5"),
    )  # fmt: skip
    unzip(path, tmp_path / "out")
    found = {str(one.relative_to(tmp_path / "out")) for one in (tmp_path / "out").rglob("*") if one.is_file()}
    assert found == {"__init__.py", "lib/a.py"}


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ([("../outside.py", b"")], "leads out"),
        ([("bot/../../outside.py", b"")], "leads out"),
        ([("/etc/outside.py", b"")], "leads out"),
        ([("C:\\outside.py", b"")], "leads out"),
        ([(link(), b"/etc/passwd")], "a link"),
        ([("bot/a.py", b"1"), ("bot/a.py", b"2")], "twice"),
        ([("bot/a", b"1"), ("bot/a/b.py", b"2")], "a file and a folder"),
        ([("/".join("d" * 40) + "/a.py", b"")], "folders in each other"),
        ([("x" * 300, b"")], "no name"),
        ([("bomb.bin", bytes(8 << 20))], "times larger"),
    ],
)  # fmt: skip
def test_what_is_no_folder_of_a_bot_is_refused(tmp_path: Path, entries: list[tuple[str, bytes]], why: str) -> None:
    inner = tmp_path / "in" / "out"
    with pytest.raises(BotError, match=why):
        unzip(made(tmp_path / "bot.zip", *entries), inner)
    assert not list((tmp_path).rglob("outside.py"))


def test_a_zip_is_counted_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BOT_BYTES", 1000)
    monkeypatch.setattr(module, "MOST_ENTRIES", 3)
    with pytest.raises(BotError, match="more than 0 MiB"):
        unzip(made(tmp_path / "a.zip", ("a", b"x" * 600), ("b", b"y" * 600)), tmp_path / "a")
    with pytest.raises(BotError, match="4 entries"):
        unzip(made(tmp_path / "b.zip", *((f"{number}.py", b"") for number in range(4))), tmp_path / "b")


def test_a_password_and_damage_are_told_apart(tmp_path: Path) -> None:
    content = bytearray(made(tmp_path / "a.zip", ("a.py", b"x")).read_bytes())
    for head, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        content[content.index(head) + place] |= 1
    (tmp_path / "a.zip").write_bytes(content)
    with pytest.raises(BotError, match="encrypted"):
        unzip(tmp_path / "a.zip", tmp_path / "out")
    for broken in (b"PK\x03\x04" + bytes(40), io.BytesIO(content).read()[:-10], b"PK\x05\x06"):
        (tmp_path / "b.zip").write_bytes(broken)
        with pytest.raises(BotError, match="damaged"):
            unzip(tmp_path / "b.zip", tmp_path / "out")
