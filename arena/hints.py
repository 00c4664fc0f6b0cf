"""What the author of a bot should know of a lock, or of missing packages, when the bot fails because of them."""

import re
from collections.abc import Iterable

from arena.errors import without_output

_PACKAGES = (
    "a locked bot has Python's standard library, numpy and arena, and no other package, such as torch: keep weights in its "
    "folder as arrays of numpy, and import modules that lie there by `from .NAME import ...`"
)
_FILES = (
    "a locked bot sees no files but its own, finds them by `Path(__file__).parent / NAME`, and opens none once it is ready: "
    "read files and import modules when its module is loaded or in `start`"
)
_PROCESSES = "a locked bot has no sockets, no threads and no other processes; so there is no event loop of asyncio either"
_HINTS = (
    (re.compile(r"No module named '"), _PACKAGES),
    (re.compile(r"FileNotFoundError|unable to open database file|\[Errno (13|38)\] .*: b?['\"]"), _FILES),
    (re.compile(r"can't start new thread|\[Errno (1|13|38)\]"), _PROCESSES),
)


def hints(reasons: Iterable[str]) -> list[str]:
    """A sentence for each kind of such failure that one of the reasons tells of: a fault's, or that of a refusal.

    >>> hints(["bot.py: line 2: ModuleNotFoundError: No module named 'torch'", "used 3 s of CPU time"])[0][:60]
    "a locked bot has Python's standard library, numpy and arena,"
    """
    return list(dict.fromkeys(hint for reason in reasons if (hint := _hint(reason)) is not None))


def _hint(reason: str) -> str | None:
    """Return what fits the last line of a traceback, or the only line; a bot may print what it likes."""
    error = without_output(reason).rstrip().rpartition("\n")[2]
    return next((hint for pattern, hint in _HINTS if pattern.search(error)), None)
