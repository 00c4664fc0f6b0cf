"""`python -m arena.audit.notes_process RESULTS MATCH_ID SEAT`: the notes of a seat, as JSON lines, in a process of their own.

The server starts it, with a limit of memory: whatever the bot does, the server goes on. It computes only what others leave.
"""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.audit.notes import NoStoredCode, Report, notes_of
from arena.errors import ArenaError, printable

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
    os.nice(_NICENESS)

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


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
