"""Arguments that several tools take: what each may be, and what a model is told about it."""

import re
from typing import Annotated, Literal

import msgspec

Natural = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
"""A whole number that is not negative."""
Game = Annotated[str, msgspec.Meta(description="Name of the game, as `games` lists them.", max_length=80)]
Language = Annotated[Literal["en", "ja"], msgspec.Meta(description="The language of answers: English or Japanese.")]
STORED = re.compile("[0-9a-f]{4,24}")
"""The id of a stored match, or its first digits."""
StoredMatch = Annotated[
    str, msgspec.Meta(description="Id of a stored match, or its first digits.", pattern=rf"\A{STORED.pattern}\Z")
]
