"""The frames of a match as one block of a page that has no server: JSON, deflated, in base64 (`arena.inflated` reads it)."""

import base64
import zlib

import msgspec

from arena.reports.pages.frames import PAGE, Frame, Header, Opinion, StoredMatch, frames, header, opinion

MOST_FRAMES = 2_000  # of all eyes together: more would find no room, and take seconds to make
_LETTERS = 4 / 3  # that base64 makes of a byte


class View(msgspec.Struct, frozen=True, kw_only=True):
    """What one pair of eyes sees of the match."""

    header: Header
    pages: dict[int, list[Frame]]
    """The pages that are here, by number."""


class Packed(msgspec.Struct, frozen=True, kw_only=True):
    """A match as the page holds it."""

    views: list[View]
    """All cards open first, then the seats, unless they found no room."""
    opinion: Opinion


def packed(match: StoredMatch, room: int) -> str:
    """The match in about `room` letters at most: if need be without the seats' eyes, and then without pages from its middle.

    Raises StoreError for a damaged log.
    """
    seats: list[int | None] = list(range(len(match.record.seats)))
    worth = opinion(match)
    if len(worth.values) * (1 + len(seats)) <= MOST_FRAMES:
        pages = list(range(-(-len(worth.values) // PAGE)))
        whole = _block([_view(match, eyes, pages) for eyes in [None, *seats]], worth)
        if len(whole) <= room:
            return whole
    return _block([_shortened(match, worth, room)], worth)


def _block(views: list[View], worth: Opinion) -> str:
    content = msgspec.json.encode(Packed(views=views, opinion=worth))
    return base64.b64encode(zlib.compress(content, 9)).decode()


def _view(match: StoredMatch, eyes: int | None, pages: list[int]) -> View:
    return View(header=header(match, eyes), pages={page: frames(match, eyes, page).frames for page in pages})


def _shortened(match: StoredMatch, worth: Opinion, room: int) -> View:
    """All cards open, in as many pages as find room: the beginning, the end, where seats lost it, then from the front."""
    last = (len(worth.values) - 1) // PAGE
    wanted = [0, last, *(frame // PAGE for frame in worth.lost if frame is not None), *range(last)]
    found: dict[int, list[Frame]] = {}
    for page in dict.fromkeys(wanted):
        made = frames(match, None, page).frames
        room -= int(_LETTERS * len(zlib.compress(msgspec.json.encode(made))))
        if found and room < 0:
            break
        found[page] = made
    return View(header=header(match, None), pages=dict(sorted(found.items())))
