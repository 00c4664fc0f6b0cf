"""One match, from the deal to its record: the set-up, the referee, and the seats that it talks to, one kind locked in."""

from arena.match.referee import play
from arena.match.seat import (
    BACKSTOP_FACTOR,
    BACKSTOP_SECONDS,
    MATCH_FACTOR,
    NOBODY,
    SLEEP_SECONDS,
    Answer,
    Fault,
    HostTrouble,
    Seat,
    Spent,
    Starved,
    TakeBack,
    seconds_of_match,
)
from arena.match.setup import MatchSetup, Player, void

__all__ = [
    "BACKSTOP_FACTOR", "BACKSTOP_SECONDS", "MATCH_FACTOR", "NOBODY", "SLEEP_SECONDS", "Answer", "Fault", "HostTrouble",
    "MatchSetup", "Player", "Seat", "Spent", "Starved", "TakeBack", "play", "seconds_of_match", "void",
]  # fmt: skip
