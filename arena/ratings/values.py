"""Which estimate of what positions are worth the luck of matches is worked out by: named and hashed here alone.

It has to be fixed before the matches are played. Fitted to them, it could make a result look as certain as one likes.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

from arena import games
from arena.engine.chance import SAMPLES
from arena.engine.room import Game
from arena.records import LUCK_LIMIT, canonical_json

METHOD = 2
"""Rises when the luck of a match is worked out in another way from the same estimate."""


class Estimate(msgspec.Struct, frozen=True):
    """What luck is worked out by in one game."""

    name: str
    """`value` of the room's chance.py, which rests on its `evaluate`, or `network` where it has one for luck."""
    sha256: str
    """Covers all that decides the numbers: the room's modules that chance.py reaches, its network, version, and the method."""


def estimate(game: Game) -> Estimate:
    """The estimate for a game whose room has a chance.py."""
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
    """The modules of a room that its chance.py imports, directly or not, and itself."""
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
