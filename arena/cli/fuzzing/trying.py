"""One input is tried: the command runs in this process, and how it ended is judged."""

import contextlib
import io
import os
import shutil
import sys
import traceback
from pathlib import Path

import msgspec

from arena.cli.fuzzing.inputs import Base, Input, make_input
from arena.cli.main import main
from arena.cli.shared.exit_codes import OPEN, USER_ERROR

_SHOWN = 600  # characters of what a command said


class Finding(msgspec.Struct, frozen=True):
    """An input that a command did not take as it should."""

    number: int
    """The number of the input: with the seed it is made again."""
    kind: str
    words: list[str]
    trouble: str
    """What went wrong, in a few words; the same trouble is told once."""
    said: str
    """The traceback, or the end of what the command printed."""


def try_input(base: Base, seed: str, number: int, folder: Path) -> tuple[str, Finding | None]:
    """Try one input in a folder that is made for it. Returns its kind, and a finding if something was wrong."""
    folder.mkdir()
    before = Path.cwd()
    os.chdir(folder)
    try:
        made = make_input(base, seed, number)
        return made.kind, _run(made, number)
    finally:
        os.chdir(before)
        shutil.rmtree(folder, ignore_errors=True)


def _run(made: Input, number: int) -> Finding | None:
    out, err, stdin = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(made.words)
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, {last.name}"
        return Finding(number, made.kind, made.words, f"{type(error).__name__} in {where}", traceback.format_exc()[-4000:])
    finally:
        sys.stdin = stdin
    trouble = _trouble(code, out.getvalue(), err.getvalue())
    return (
        None
        if trouble is None
        else Finding(number, made.kind, made.words, trouble, (out.getvalue() + err.getvalue())[-_SHOWN:])
    )


def _trouble(code: int, out: str, err: str) -> str | None:
    """What is wrong with the end of a command; None if nothing is."""
    if not 0 <= code <= OPEN:
        return f"exit code {code}"
    if "Traceback (most recent call last)" in out + err:
        return "a traceback was printed"
    if code == USER_ERROR and not err.strip():
        return "refused without a message"
    if not (out + err).replace("\n", "").isprintable():
        return "what was printed is not printable"
    return None
