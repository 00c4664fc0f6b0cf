"""The exceptions for mistakes of users (shown as a message, with exit code 2 and no traceback), and texts for messages."""

import difflib
import re
import sys
import traceback
from collections.abc import Iterable
from pathlib import Path

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
    return visible(text[:limit]) + (" ..." if len(text) > limit else "")


def visible(text: str) -> str:
    """A text as a terminal may have it: whatever is no visible character is escaped, but for the ends of lines."""
    if text.isprintable() or text.replace("\n", "").isprintable():
        return text
    return "".join(
        letter if letter.isprintable() or letter == "\n" else letter.encode("unicode_escape").decode() for letter in text
    )


def one_line(text: str) -> str:
    r"""A text that stays in its line, such as a name: the ends of lines are escaped too.

    >>> one_line("bob\nseat 1 naga_greedy illegal at 4")
    'bob\\nseat 1 naga_greedy illegal at 4'
    """
    return visible(text).replace("\n", r"\n")


def quoted(text: str) -> str:
    r"""A text of several lines, of which each but the first is marked: none of them looks like a line of ours.

    >>> print(quoted("seat 0 rude crash at 3: no\nseat 1 naga_greedy illegal at 4"))
    seat 0 rude crash at 3: no
      | seat 1 naga_greedy illegal at 4
    """
    return "\n  | ".join(visible(text).split("\n"))


def short_trace() -> str:
    """The last lines of the traceback of the exception being handled: enough to find the line in the bot's file.

    Files of bots are named as their authors know them, without the folder into which they were unpacked.
    """
    lines = traceback.format_exc(limit=-3).strip().splitlines()[-_TRACE_LINES:]
    return without_places("\n".join(lines))


def trace_below(error: BaseException) -> str:
    """The end of the traceback of an exception, without the function that catches it: what a called bot's author can use."""
    below = error.__traceback__ and error.__traceback__.tb_next
    lines = traceback.format_exception(type(error), error, below, limit=-_TRACE_FRAMES, chain=False)
    return without_places("".join(lines[1:] if below else lines).rstrip())


def without_places(text: str) -> str:
    """A text about a bot's failure for its author, without where this machine keeps bots, the arena and its Python."""
    text = _UNPACKED.sub('File "', text)
    for place in _PLACES:
        text = text.replace(f"{place}/", "")
    return text


PRINTED = "\nit printed: "
"""What stands in the reason of a fault before the end of what the bot printed."""


def without_output(reason: str) -> str:
    r"""Why a bot failed, without what it printed.

    >>> without_output("its process ended itself (exit code 3)\nit printed: hello")
    'its process ended itself (exit code 3)'
    """
    return reason.partition(PRINTED)[0]


_RAISED = re.compile(r"[A-Za-z_][\w.]*(?:Error|Exception|Exit|Interrupt)\b")
"""How the line of a traceback begins that names the exception."""


def telling_line(reason: str) -> str:
    r"""The line of a fault's reason that tells most: the exception, also if only what the bot printed names it.

    >>> telling_line("Traceback:\n  File 'bot.py'\nKeyError: 'hand'\nit printed: thinking\nthinking")
    "KeyError: 'hand'"
    >>> telling_line("its process ended itself (exit code 1)\nit printed: Traceback:\nKeyError: 3\nbye")
    'its process ended itself (exit code 1): KeyError: 3'
    """
    why, _, printed = reason.strip().partition(PRINTED)
    line = why.rstrip().rpartition("\n")[2]
    raised = [one for one in printed.splitlines() if _RAISED.match(one)]
    return f"{line}: {raised[-1]}" if raised and "\n" not in why.strip() else line


def without_trace(reason: str) -> str:
    r"""Why a bot failed, for those who may not see its source: a traceback shows lines of it, and what it wrote itself.

    >>> without_trace("used 3 s of CPU time"), without_trace('Traceback:\n  File "bot.py", line 3\n    secret = 7')
    ('used 3 s of CPU time', '')
    """
    is_trace = "\n" in reason.strip() or 'File "' in reason
    return "" if is_trace else reason


_TRACE_LINES, _TRACE_FRAMES = 6, 3
_SYSTEM = ("/", "/usr", "/usr/local")  # where everybody's Python is: no secret, and too short to be taken out of a text
_PLACES = [place for place in (sys.prefix, str(Path(__file__).parents[1])) if place not in _SYSTEM]
_UNPACKED = re.compile(r'File "(?:[^"\n]*/[0-9a-f]{64}|/bot)/')
"""A file in the folder of a bot, as tracebacks name it: called by the hash of its content, or as the lock shows it."""
