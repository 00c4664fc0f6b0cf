"""`python -m arena.audit.notes_process RESULTS MATCH_ID SEAT`: the notes of a seat, as JSON lines, in a process of their own.

The hall starts it: whatever the bot does, the hall goes on. It computes only what others leave, and has a limit of memory.
"""

import contextlib
import os
import resource
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.audit.notes import NoStoredCode, Report, notes_of
from arena.errors import ArenaError, printable

MEMORY = 4 << 30
"""Bytes that this process, and each process of the bot, may fill; a bot's own limit is mostly lower."""
_NICENESS = 10


class Failed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """The last line where there is nothing to hear."""

    why: str
    has_no_code: bool = False
    """Whether the seat was not played by code that is stored here."""


Line = Report | Failed


def main(arguments: Sequence[str]) -> int:
    """Say what the bot of the seat says."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing else may look like an answer
    results, match_id, seat = arguments
    _take_little()

    def say(line: Line) -> None:
        answers.write(msgspec.json.encode(line) + b"\n")
        answers.flush()

    try:
        notes_of(Path(results), match_id, int(seat), hear=say)
    except NoStoredCode as error:
        say(Failed(why=str(error), has_no_code=True))
    except BrokenPipeError:  # nobody listens any more
        return 1
    except (ArenaError, OSError) as error:
        say(Failed(why=printable(str(error), 1000)))
    return 0


def _take_little() -> None:
    """Leave the machine to whatever else runs on it."""
    os.nice(_NICENESS)
    hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
    most = MEMORY if hard == resource.RLIM_INFINITY else min(MEMORY, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
