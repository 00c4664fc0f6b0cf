"""Zips from people who mean harm: nothing is written outside of the folder, and nothing that was not counted is kept."""

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.agent import zipped
from arena.agent.plain_files import BOT_BYTES, DEEPEST
from arena.agent.zipped import MOST_ENTRIES, unzip
from arena.errors import BotError

CODE = b"games = ()\n"
LINK, DEVICE, PIPE = 0o120777, 0o020666, 0o010666


def made(*entries: tuple[str, bytes], mode: int = 0, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip with these entries; `mode`: the kind of file that the last one says it is."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as archive:
        for number, (name, content) in enumerate(entries, 1):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = method
            entry.external_attr = (mode if number == len(entries) else 0) << 16
            archive.writestr(entry, content)
    return target.getvalue()


def patched(content: bytes, offset: int, value: bytes) -> bytes:
    """A zip whose first local header and first central entry have other bytes at an offset of the second."""
    central = content.index(b"PK\x01\x02")
    return content[: central + offset] + value + content[central + offset + len(value) :]


def overlapping() -> bytes:
    """A bomb whose entries all share one file: each name leads to the same packed bytes."""
    one = made(("a.py", b"\0" * 900_000))
    central, end = one.index(b"PK\x01\x02"), one.index(b"PK\x05\x06")
    entry = one[central:end]
    entries = b"".join(entry[:46] + f"{number:04}".encode() + entry[50:] for number in range(200))
    return one[:central] + entries + one[end : end + 8] + struct.pack("<HHLLH", 200, 200, len(entries), central, 0)


def ending(count: int, size: int, place: int, before: bytes = b"") -> bytes:
    """The end of a zip that says how many files it has, how long their list is and where."""
    return before + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, size, place, 0)


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "up": (lambda: made(("../evil.py", CODE)), "leads out"),
    "up within": (lambda: made(("bot/../../evil.py", CODE)), "leads out"),
    "absolute": (lambda: made(("/tmp/evil.py", CODE)), "leads out"),
    "backslash": (lambda: made(("..\\evil.py", CODE)), "leads out"),
    "drive": (lambda: made(("C:/evil.py", CODE)), "leads out"),
    "only dots": (lambda: made(("..", CODE)), "leads out"),
    "line break": (lambda: made(("a\nb.py", CODE)), "no name"),
    "terminal": (lambda: made(("a\x1b[2J.py", CODE)), "no name"),
    "long name": (lambda: made(("a" * 300 + ".py", CODE)), "no name"),
    "long path": (lambda: made(("/".join(["a" * 150] * 8) + ".py", CODE)), "no name"),
    "deep": (lambda: made(("/".join("a" * (DEEPEST + 5)), CODE)), "folders in each other"),
    "link": (lambda: made(("bot.py", b"/etc/passwd"), mode=LINK), "a link"),
    "link and file": (lambda: made(("a.py", CODE), ("a", b"/etc"), mode=LINK), "a link"),
    "device": (lambda: made(("bot.py", b""), mode=DEVICE), "special file"),
    "pipe": (lambda: made(("bot.py", b""), mode=PIPE), "special file"),
    "a list of a million": (lambda: ending(1, 46 << 20, 0, (b"PK\1\2" + bytes(42)) * (1 << 20)), "list of files has"),
    "a list before the zip": (lambda: ending(1, 50, 1 << 31, made(("a.py", CODE)).partition(b"PK\5\6")[0]), "damaged"),
    "a place beyond 4 GiB": (lambda: patched(made(("bot.py", CODE)), 42, b"\xff\xff\xff\xff"), "damaged"),
    "another name within": (lambda: patched(made(("bot.py", CODE)), 46, b"c"), "damaged"),
    "a name that is cut": (lambda: patched(made(("bot.py", CODE)), 47, b"\0"), "leads out"),
    "half a letter": (lambda: patched(patched(made(("bot.py", CODE)), 46, b"\xed"), 8, b"\0\x08"), "damaged"),
    "many": (lambda: made(*((f"{number}.py", b"") for number in range(MOST_ENTRIES + 1))), "entries"),
    "bomb": (lambda: made(("bot.py", b"\0" * (BOT_BYTES + 1))), "larger"),
    "ratio": (lambda: made(("bot.py", b"\0" * (4 << 20))), "times larger"),
    "together": (lambda: made(*((f"{n}.py", bytes(1 << 20)) for n in range(1 + (BOT_BYTES >> 20)))), "MiB of files"),
    "overlapping": (overlapping, "damaged|MiB|Overlapped"),
    "twice": (lambda: made(("a/b.py", CODE), ("a//b.py", CODE)), "twice"),
    "file and folder": (lambda: made(("x/a", CODE), ("x/a/b.py", CODE), ("y", CODE)), "a file and a folder"),
    "lzma": (lambda: made(("bot.py", CODE), method=zipfile.ZIP_LZMA), "plain zip"),
    "encrypted": (lambda: patched(made(("bot.py", CODE)), 8, b"\1\0"), "encrypted|damaged"),
    "wrong sum": (lambda: patched(made(("bot.py", CODE)), 16, b"\0\0\0\0"), "damaged"),
    "wrong place": (lambda: patched(made(("bot.py", CODE)), 42, b"\xff\xff\xff\x0f"), "damaged"),
    "cut off": (lambda: made(("bot.py", CODE * 100))[:-30], "damaged"),
    "only a head": (lambda: b"PK\x03\x04", "damaged"),
    "noise": (lambda: b"PK\x03\x04" + bytes(range(256)) * 20, "damaged"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_hostile_zip_is_refused_in_words(name: str, tmp_path: Path) -> None:
    make, why = REFUSED[name]
    sent, folder = tmp_path / "sent.zip", tmp_path / "deep" / "folder"
    sent.write_bytes(make())
    folder.mkdir(parents=True)
    with pytest.raises(BotError, match=why) as refused:
        unzip(sent, folder)
    assert "\x1b" not in str(refused.value) and "\n" not in str(refused.value)
    assert str(tmp_path) not in str(refused.value)
    assert {path for path in tmp_path.rglob("*") if not path.is_relative_to(folder)} == {sent, folder.parent}
    assert not [path for path in tmp_path.rglob("*") if path.is_symlink()]
    assert sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) <= BOT_BYTES


def test_what_says_that_it_is_small_is_counted_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The size in the zip is what its maker wrote there."""
    monkeypatch.setattr(zipped, "BOT_BYTES", 1000)
    content = patched(made(("bot.py", b"x" * 5000)), 24, struct.pack("<L", 10))
    (tmp_path / "sent.zip").write_bytes(content)
    with pytest.raises(BotError):
        unzip(tmp_path / "sent.zip", tmp_path / "folder")
    assert not (tmp_path / "folder").exists()
