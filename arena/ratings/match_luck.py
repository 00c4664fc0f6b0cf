"""The luck of one finished match, from its log: its sums, and how chance and choices led from position to position.

By which estimate of what positions are worth luck is worked out is named and hashed here alone. It has to be fixed before the
matches are played: fitted to them, it could make a result look as certain as one likes.
"""

import ast
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.engine import rng
from arena.engine.chance import DEALT, DRAWN, SAMPLES, STATES
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.errors import StoreError
from arena.match import MatchSetup
from arena.records import LUCK_LIMIT, MatchLuck, MatchRecord, SeatLuck, canonical_json

METHOD = 3
"""Rises when the luck of a match is worked out in another way from the same estimate."""


class Estimate(msgspec.Struct, frozen=True):
    """What luck is worked out by in one game."""

    name: str
    """`value` of the game's chance.py, which rests on its `evaluate`, or `network` where it has one for luck."""
    sha256: str
    """Covers all that decides the numbers: the game's modules that chance.py reaches, its network, version, and the method."""


def estimate(game: Game) -> Estimate:
    """The estimate for a game whose game has a chance.py."""
    return _estimate(game.name)


def estimates(names: Iterable[str]) -> dict[str, Estimate]:
    """The estimates for those of the games that have luck, by game."""
    return {name: _estimate(name) for name in dict.fromkeys(names) if games.has_luck(name)}


def combined(names: Iterable[str]) -> str:
    """One hash over the estimates for those of the games that have luck; empty if none has."""
    found = {game: each.sha256 for game, each in sorted(estimates(names).items())}
    return hashlib.sha256(canonical_json(found).encode()).hexdigest() if found else ""


@cache
def _estimate(name: str) -> Estimate:
    game = games.load(name)
    digest = hashlib.sha256(canonical_json([METHOD, SAMPLES, LUCK_LIMIT, game.version]).encode())
    for module, path in sorted(_reached(game.package).items()):
        digest.update(module.encode() + b"\0" + path.read_bytes() + b"\0")
    nets = games.luck_nets(game)
    if nets.nets:
        digest.update(nets.sha256.encode())
    return Estimate("network" if nets.nets else "value", digest.hexdigest())


def _reached(package: str) -> dict[str, Path]:
    """The modules of a game that its chance.py imports, directly or not, and itself."""
    found: dict[str, Path] = {}
    left = [f"{package}.chance"]
    while left:
        name = left.pop()
        spec = find_spec(name)
        if name in found or spec is None or spec.origin is None:
            continue
        found[name] = Path(spec.origin)
        for node in ast.walk(ast.parse(found[name].read_bytes())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(f"{package}."):
                left.append(str(node.module))
    return found


DIGITS = 6
"""Decimals of a stored sum: another machine's arithmetic may differ in the last ones of a float."""
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class LuckCourse:
    """A match as chance and choices took it. Moment 0 is after the first deal, moment i + 1 after action i of the log."""

    values: Numbers
    """[moments, seats]: what the match was then worth to each seat, as a share of its rivals beaten."""
    dealt: Numbers
    """[moments, seats]: what the deal of a round gave, where one came with the action."""
    drawn: Numbers
    """[moments, seats]: what other chance events gave that came with the action."""
    events: int
    """How many chance events were looked at."""

    @property
    def chosen(self) -> Numbers:
        """[moments, seats]: how far the action moved the value beside the luck that came with it; 0 at moment 0."""
        moved = np.diff(self.values, axis=0, prepend=self.values[:1])
        moved[1:] -= self.dealt[1:] + self.drawn[1:]
        moved[0] = 0.0
        return moved


def luck_of(game: Game, setup: MatchSetup, record: MatchRecord) -> MatchLuck:
    """The luck of a stored match, whose log was checked. `setup`: the match that the plan has at its index."""
    seats = len(record.seats)
    sums, events = _corrections(game, record, setup.options, setup.deal_seed, np.zeros((0, seats)))
    whole, dealt, stopped = sums.sum(axis=(0, 1)), sums[:, DEALT].sum(axis=0), bounded(sums)
    rows = tuple(
        SeatLuck(luck=_rounded(whole[seat]), dealt=_rounded(dealt[seat]), bounded=_rounded(stopped[seat]))
        for seat in range(seats)
    )
    return MatchLuck(index=record.index, match_id=record.match_id, events=events, seats=rows)


def course_of(game: Game, record: MatchRecord, options: dict[str, OptionValue], deal_seed: int) -> LuckCourse:
    """Return how a stored match went, up to the first fault of a bot. `options`: all, resolved. Its log was checked."""
    moments = 1 + _looked_at(record)
    values = np.zeros((max(moments, 1), len(record.seats)))
    found, events = _corrections(game, record, options, deal_seed, values)
    return LuckCourse(values[:moments], found[:moments, DEALT], found[:moments, DRAWN], events)


def no_luck(record: MatchRecord) -> MatchLuck:
    """The luck of a match of a game whose game does not say what chance decides."""
    nothing = SeatLuck(luck=0.0, dealt=0.0, bounded=0.0)
    return MatchLuck(index=record.index, match_id=record.match_id, events=0, seats=(nothing,) * len(record.seats))


def _corrections(
    game: Game, record: MatchRecord, options: dict[str, OptionValue], deal_seed: int, values: Numbers
) -> tuple[Numbers, int]:
    """[moments, kinds, seats] of a match, and the number of its chance events.

    Chance is looked at up to the first fault: a bot that forfeits has its place from that, and not from the cards. It must not
    matter how the match went on, or a bot could choose to fault whenever its luck was bad.
    """
    seats, actions = len(record.seats), game.timed_log(record.actions, record.delays)
    out = np.zeros((len(actions) + 1, 2, seats))
    luck = games.ready_luck(game)
    try:
        events = luck.corrections(
            np.zeros(STATES, game.rules.STATE), seats, game.options_vector(options), rng.seed_words(deal_seed),
            rng.seed_words(stream_seed(deal_seed)), np.array(actions, np.int64), _looked_at(record), games.luck_numbers(game),
            out, values,
        )  # fmt: skip
    except IndexError:
        raise StoreError(f"match {record.match_id}: damaged: its log is not one of {game.name}") from None
    return out, int(events)


def stream_seed(deal_seed: int) -> int:
    """128 bits from which is drawn what could have come in a deal: the same at all its tables and in all rotations.

    They derive from the deal's secret, but tell as little about its cards as a hash does, so the sample is independent.
    """
    return rng.derive(deal_seed.to_bytes(rng.SEED_BITS // 8), "luck")


def _looked_at(record: MatchRecord) -> int:
    """Return how many actions of the log come before a bot's first fault; -1: one failed to start, or the match is void."""
    if record.is_void:
        return -1
    faults = [seat.fault_decision for seat in record.seats if seat.fault_decision is not None]
    return min([len(record.actions), *faults])


def bounded(sums: Numbers) -> Numbers:
    """[seats]: the sums of a match that never pass LUCK_LIMIT. `sums`: [moments, kinds, seats].

    What is left of the way to LUCK_LIMIT, if less than 1, is the part of the next correction that counts. It is known before
    the event, so the mean still is 0; that of a sum that is cut would not be.
    """
    in_order = sums[:, [DRAWN, DEALT]].reshape(-1, sums.shape[2])
    running = np.cumsum(in_order, axis=0)
    found: Numbers = running[-1].copy()
    for seat in np.flatnonzero(np.abs(running).max(axis=0) > LUCK_LIMIT - 1.0):
        total = 0.0
        for correction in in_order[:, seat].tolist():
            total += correction * min(1.0, LUCK_LIMIT - abs(total))
        found[seat] = total
    return found


def _rounded(number: float) -> float:
    return round(float(number), DIGITS) + 0.0
