"""The messages of the arena wire protocol 1. Written from protocol.schema.json: do not change it."""

from typing import Any, Literal, NotRequired, TypedDict

Action = str | int  # the text of a legal action, or its index in `legal`


class Clock(TypedDict):
    """A seat's CPU seconds: `move` for each decision, `bank` for all slow ones of a match together, `start` to get ready."""

    move: float
    bank: float
    start: NotRequired[float]


class Start(TypedDict):
    """The first message to the bot: the match that it plays now. The bot answers with Ready."""

    type: Literal["start"]
    id: int
    protocol: int
    game: str
    options: dict[str, Any]
    seats: int
    seat: int
    seed: str
    clock: Clock
    params: dict[str, Any]


# One of `events`: [seat, action].
Event = tuple[int, str]


class Act(TypedDict):
    """A message to the bot that asks for a decision. The bot answers with Choice."""

    type: Literal["act"]
    id: int
    position: dict[str, Any]
    legal: list[str]
    events: list[Event]
    clock: Clock


class End(TypedDict):
    """The last message to the bot: the match is over. The bot does not answer; the end of the input follows."""

    type: Literal["end"]
    id: int
    places: list[int]
    scores: list[float]


class Ready(TypedDict):
    """The bot's answer to Start: it is ready to play."""

    id: int
    ok: bool


# What the bot notes about the decision, for its author alone: [text, number or null], at most 1 KB in all.
Note = tuple[str, float | None]


class Choice(TypedDict):
    """The bot's answer to Act: its action."""

    id: int
    action: Action
    notes: NotRequired[list[Note]]


Request = Start | Act | End
