"""What a room says to people who are about to play: `page/play.json`. Every room can be played without it, too."""

import json
from functools import cache
from typing import Any

import msgspec

from arena import games

Texts = dict[str, str]
"""A text by language."""


class Variant(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A way to play a game that has a name."""

    key: str
    name: Texts
    about: Texts
    options: dict[str, Any]


class Hands(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How fast the hands of bots are in real time."""

    key: str
    name: Texts
    ms: list[int]
    """Milliseconds for each kind of move, in the order of the option."""


class RealTime(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a game is played in real time."""

    options: dict[str, Any]
    """The options that it takes."""
    delays: str
    """The option with the ticks that a seat's moves take: for each seat a list with a number for each kind of move."""
    hands: list[Hands]
    """The usual ones first."""

    def options_for(self, hands: str, tick_ms: int, people: list[bool]) -> dict[str, Any]:
        """The options of a table. `people`: by seat, whether a person plays, whose hands take their own time."""
        chosen = next((one for one in self.hands if one.key == hands), self.hands[0])
        ticks = [round(ms / tick_ms) for ms in chosen.ms]
        return self.options | {self.delays: [[0] * len(ticks) if is_person else ticks for is_person in people]}


class Offer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A game for people."""

    about: Texts
    """What kind of game it is, in one or two sentences."""
    minutes: list[int]
    """How long a match takes, from and to."""
    variants: list[Variant]
    """The usual one first."""
    real_time: RealTime | None = None


@cache
def offer(game: str) -> Offer:
    """What a room says; little, for a room without the file. Raises ConfigError for an unknown game."""
    file = games.load(game).folder / "page" / "play.json"
    if not file.exists():
        plain = Variant(key="standard", name={"en": "standard", "ja": "標準"}, about={"en": "", "ja": ""}, options={})
        return Offer(about={"en": "", "ja": ""}, minutes=[], variants=[plain])
    return msgspec.convert(json.loads(file.read_text("utf-8")), Offer)
