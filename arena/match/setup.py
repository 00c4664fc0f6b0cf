"""What fixes a match before it is played."""

import msgspec

from arena.engine.options import OptionValue
from arena.match.faults import FaultPolicy
from arena.records import Clock


class Player(msgspec.Struct, frozen=True):
    """The identity of the bot at one seat."""

    bot: str
    sha256: str
    params: str = "{}"
    version: int = 1


class MatchSetup(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that fixes a match, except the bots' code. The plan computes it from the index of the match."""

    index: int
    match_id: str
    game: str
    pool: str
    options: dict[str, OptionValue]
    """All rule options with their values, defaults included."""
    deal: int
    rotation: int
    players: tuple[Player, ...]
    """The bots at the table, in seat order."""
    deal_seed: int
    bot_seeds: tuple[int, ...]
    fallback_seeds: tuple[int, ...]
    clock: Clock
    faults: FaultPolicy = FaultPolicy()
