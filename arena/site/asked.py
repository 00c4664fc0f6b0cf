"""What a view is given: the results, the live boards, and what the address asks for."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from arena.site.library import Library
from arena.site.live.board import LiveBoards

Q = TypeVar("Q", bound=msgspec.Struct)


@dataclass(frozen=True)
class Asked(Generic[Q]):
    """One request for data."""

    library: Library
    boards: LiveBoards
    place: dict[str, str]
    """The named parts of the address."""
    query: Q
    """The parameters of the address, checked."""
    lang: str
    """The language of the reader."""
