"""What a build has made is read as a stranger's files are: plain ones, of its own folder, so many and no larger."""

import os
from pathlib import Path

import pytest

from arena.agent.plain_files import BOT_BYTES, BOT_FILES
from arena.errors import BotError
from arena.match.sandbox.builds.inside import made


def test_files_and_folders_are_taken_with_all_that_is_in_them(tmp_path: Path) -> None:
    (tmp_path / "out" / "deep").mkdir(parents=True)
    for name in ("bot", "out/a", "out/deep/b", "other"):
        (tmp_path / name).write_text(name)
    assert made(tmp_path, ["bot", "out/"]) == {name: name.encode() for name in ("bot", "out/a", "out/deep/b")}
    assert made(tmp_path, ["./out/deep"]) == {"out/deep/b": b"out/deep/b"}


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda at: None, "build.makes: bot was not made"),
        (lambda at: at.symlink_to("/etc/passwd"), "build.makes: bot: a link;"),
        (lambda at: (at.mkdir(), (at / "in").symlink_to("/etc")), "build.makes: bot/in: a link;"),
        (os.mkfifo, "build.makes: bot: not a plain file"),
        (lambda at: (at.mkdir(), os.mkfifo(at / "in")), "build.makes: bot/in: not a plain file"),
        (Path.mkdir, "build.makes: bot is a folder without files"),
        (lambda at: (at.touch(), os.truncate(at, BOT_BYTES + 1)), "build.makes: 64.0 MiB of files; a bot may have 64 MiB"),
        (
            lambda at: (at.mkdir(), *((at / f"{number}").touch() for number in range(BOT_FILES + 1))),
            "build.makes: more than 1,000 files",
        ),
    ],
)
def test_what_a_build_makes_is_plain_files(make: object, said: str, tmp_path: Path) -> None:
    assert callable(make)
    make(tmp_path / "bot")
    with pytest.raises(BotError) as refused:
        made(tmp_path, ["bot"])
    assert str(refused.value).startswith(said) and str(tmp_path) not in str(refused.value)
