"""What a tool answers, and how it says that something cannot be done."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from arena.errors import ArenaError

MOST_BYTES = 48 << 10
"""UTF-8 bytes of an answer: some ten thousand tokens."""
PAGE_BYTES = 32 << 10
"""UTF-8 bytes of a page of a long text."""
_CUT = "\n... cut here: {left:,} of {whole:,} bytes are left out; ask for a part of it"


@dataclass(frozen=True)
class Answer:
    """The answer to a call of a tool."""

    text: str
    """For the model."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """A few of its facts for programs: JSON values by name."""
    is_error: bool = False


class Refused(ArenaError):
    """A call that is not carried out; nothing has changed. Its text says why, and what would be right."""


def bounded(text: str) -> str:
    """A text of at most about MOST_BYTES, cut behind a line."""
    whole = text.encode("utf-8", "replace")
    if len(whole) <= MOST_BYTES:
        return text
    kept = whole[:MOST_BYTES].decode("utf-8", "ignore")
    kept = kept[: kept.rfind("\n")] if "\n" in kept else kept
    return kept + _CUT.format(left=len(whole) - len(kept.encode()), whole=len(whole))


def page_of(text: str, page: int) -> str:
    """A page of a text, from 0, of whole lines; its end says how many there are. Raises Refused for one that there is not."""
    pages: list[list[str]] = [[]]
    room = PAGE_BYTES
    for line in text.splitlines():
        size = len(line.encode("utf-8", "replace")) + 1
        if size > room and pages[-1]:
            pages.append([])
            room = PAGE_BYTES
        pages[-1].append(line)
        room -= size
    if page >= len(pages):
        raise Refused(f"page: from 0 to {len(pages) - 1}, not {page}")
    found = "\n".join(pages[page])
    return found if len(pages) == 1 else f"{found}\n(page {page}, from 0 to {len(pages) - 1})"
