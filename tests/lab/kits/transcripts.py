"""The transcripts of the kits: what the hall sends to one seat in a short match of every game, line by line."""

from arena import games
from arena.match import play
from arena.match.single_match import agree
from arena.records import Clock
from helpers.command_bots import SHORT_MATCHES
from helpers.wire_recorder import Recorder

DECISIONS = 12
"""The most decisions of a transcript: enough for every kind of action, and a file of some ten thousand bytes."""
_SEED = 0x1234
_PARAMS = {
    "depth": 3,
    "weights": [0.5, -2.5e-3],
    "text": 'a "quote", a \\, a tab\t, caf\u00e9, \u65e5\u672c\u8a9e, \U0001f0a1',
    "none": None,
}
"""Values of every kind, as they may come from a config: a reader must take them all."""


def transcripts() -> dict[str, str]:
    """The text of each transcript, by its path in the folder of the kits."""
    own = [name for name in games.names() if games.package(name).startswith("arena.")]
    return {f"transcripts/{name}.jsonl": transcript(name) for name in own}


def transcript(name: str) -> str:
    """A match of a game: the first DECISIONS decisions of seat 0, then its end."""
    game = games.load(name)
    seats = [Recorder(_SEED + seat, _PARAMS) for seat in range(game.seats[0])]
    play(game, agree(name, ["x"] * len(seats), seed=2, options=SHORT_MATCHES.get(name), clock=Clock(1.0, 10.0)), seats)
    start, *acts, end = seats[0].lines
    return b"".join([start, *acts[:DECISIONS], end]).decode()
