"""What fixes a match before it is played, and the record that is made of what the referee found."""

import time
from collections.abc import Sequence
from statistics import median

import msgspec

from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.errors import printable
from arena.match.faults import FaultPolicy
from arena.records import CallRecord, Clock, Ending, FaultRecord, MatchRecord, SeatRecord, canonical_json


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


def void(game: Game, setup: MatchSetup, attempts: int, reason: str) -> MatchRecord:
    """The record of a match that the host could not finish: it is stored and reported, but not rated."""
    units = game.units(len(setup.players), setup.options)
    rows = tuple(
        seat_record(player, unit, 0, 0.0, Ending.HOST, None, "none", [], 0, reproducible=False)
        for player, unit in zip(setup.players, units)
    )
    return match_record(game, setup, rows, (), attempts, (f"host: {printable(reason)}",))


def seat_record(
    player: Player, unit: int, place: int, score: float, ending: Ending, fault: int | None, isolation: str,
    cpu_seconds: list[float], decisions: int, *, wall: float = 0.0, reproducible: bool = True, is_asking: bool = False,
) -> SeatRecord:  # fmt: skip
    """The row of one seat. `cpu_seconds`: of each decision that the bot answered; `wall`: of all together.

    `is_asking`: the bot asks something outside itself; then the row is not reproducible either.
    """
    milliseconds = [1000 * seconds for seconds in cpu_seconds] or [0.0]
    return SeatRecord(
        bot=player.bot, bot_version=player.version, bot_sha256=player.sha256, params=player.params, unit=unit,
        place=place, score=score, ending=ending, fault_decision=fault, decisions=decisions, isolation=isolation,
        reproducible=reproducible and not is_asking, asks_outside=is_asking, cpu_ms_total=sum(milliseconds),
        cpu_ms_p50=median(milliseconds), cpu_ms_max=max(milliseconds), wall_ms_total=1000 * wall,
    )  # fmt: skip


def match_record(
    game: Game, setup: MatchSetup, rows: tuple[SeatRecord, ...], actions: Sequence[int], attempts: int, notes: Sequence[str],
    delays: Sequence[int] = (), faults: Sequence[FaultRecord] = (), calls: Sequence[CallRecord] = (),
) -> MatchRecord:  # fmt: skip
    """The record of a match, with the rows of its seats."""
    return MatchRecord(
        index=setup.index, match_id=setup.match_id, game=setup.game, pool=setup.pool,
        options=canonical_json(setup.options), rules_version=game.version, deal=setup.deal, rotation=setup.rotation,
        seats=rows, actions=tuple(actions), delays=tuple(delays), attempts=attempts, notes=tuple(notes),
        faults=tuple(faults), calls=tuple(calls), ended=int(time.time()),
    )  # fmt: skip
