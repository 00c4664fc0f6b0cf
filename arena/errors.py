"""The exceptions for mistakes of users (shown as a message, with exit code 2 and no traceback), and texts for messages."""

import difflib
import traceback
from collections.abc import Iterable

SHOWN = 40  # characters of a value that cannot be read
NOTE_CHARACTERS = 2000  # kept of what a bot says: a fault's reason, its output


class ArenaError(Exception):
    """A mistake of the person at the keyboard: the message says what is wrong, where, and what would be right."""


class ConfigError(ArenaError):
    """A tournament config, an option or a command line that cannot be carried out."""


class PositionError(ArenaError):
    """A position, an action text or a trace that breaks the notation or the rules; names the key."""


class BotError(ArenaError):
    """A bot file that cannot be loaded; names the file and the reason."""


class StoreError(ArenaError):
    """Stored results that are missing, damaged, locked or of another plan."""


class NotStored(StoreError):
    """A match that the stored results do not have."""


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown word: `did you mean "x"?` if a known word is similar, else all known words."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return f'did you mean "{close[0]}"?' if close else f"known: {', '.join(names)}"


def printable(text: str, limit: int = NOTE_CHARACTERS) -> str:
    r"""An untrusted text made safe to store and to print: cut to `limit` characters, every control character escaped.

    >>> printable("a\x1b[2J")
    'a\\x1b[2J'
    """
    safe = "".join(
        letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode()
        for letter in text[:limit]
    )
    return safe + (" ..." if len(text) > limit else "")


def short_trace() -> str:
    """The last lines of the traceback of the exception being handled: enough to find the line in the bot's file."""
    return "\n".join(traceback.format_exc(limit=-3).strip().splitlines()[-_TRACE_LINES:])


_TRACE_LINES = 6
