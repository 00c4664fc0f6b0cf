"""Notes: what a bot says about its own decisions, for its author to read in the replay of a match."""

import math
from typing import Any

import msgspec

NOTE_BYTES = 1024
"""How much a bot may note at one decision: the UTF-8 of its texts, and for each number eight bytes."""
_NUMBER_BYTES = 8


class Note(msgspec.Struct, frozen=True, array_like=True):
    """One note: a text, and a number that the text names."""

    text: str
    value: float | None = None


class Notes(msgspec.Struct, array_like=True):
    """The notes of one decision. Whatever a bot says, nothing is raised: a note must not cost it a match."""

    taken: list[Note] = []
    is_cut: bool = False
    """Whether there was more than fits: the rest is left out."""
    is_odd: bool = False
    """Whether something was no note, and is left out: no text, or a number that is none."""
    _bytes: int = 0

    def add(self, text: object, value: object = None) -> None:
        """Take a note, as far as it fits."""
        if self.is_cut:
            return
        if not isinstance(text, str):
            self.is_odd = True
            return
        number = _finite(value)
        self.is_odd |= number is None and value is not None
        written = str.encode(text, "utf-8", "backslashreplace")
        left = NOTE_BYTES - self._bytes - (0 if number is None else _NUMBER_BYTES)
        if len(written) > left:
            self.is_cut = True
            if number is not None:  # a name that is cut would be another one
                return
            written = written[:left]
        self._bytes = NOTE_BYTES - left + len(written)
        if written or number is not None:
            self.taken.append(Note(written.decode("utf-8", "ignore"), number))


def checked(said: Notes) -> Notes:
    """Notes that came from a bot's own process, taken anew."""
    found = Notes(is_odd=said.is_odd)
    for note in said.taken:
        found.add(note.text, note.value)
    found.is_cut |= said.is_cut
    return found


def read_notes(body: bytes | msgspec.Raw) -> Notes:
    """The notes in the JSON of a command bot: a list of `[text, number or null]`; a text alone will do too. Empty: none."""
    found = Notes()
    if not bytes(body):
        return found
    try:
        said = msgspec.json.decode(body)
    except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError):
        said = None
    for one in said if isinstance(said, list) else [None]:
        pair: list[Any] = one if isinstance(one, list) else [one]
        if 1 <= len(pair) <= 2:
            found.add(*pair)
        else:
            found.is_odd = True
    return found


def _finite(value: object) -> float | None:
    """A number as Python's own, such as a number of numpy's; None: it is none, or not finite."""
    if value is None or isinstance(value, str | bytes | bytearray):
        return None
    try:
        number = float(value)  # type: ignore[arg-type]
    except Exception:  # whatever a bot's object does
        return None
    return number if math.isfinite(number) else None
