"""All seeds of a match, each derived from one secret key: cards, bots' generators, fallbacks, the table's own stream.

How deals are seeded is decided here alone. A tournament has one key; its SHA-256 is published before the first match (the
commitment), the key itself when the tournament is over. So nobody can choose the deals, and everybody can check them.

- *Cards* derive from the game, the number of seats, the options and the deal's number. Tables and rotations share them.
- *Bots* and *fallbacks* have a seed per match and seat.
- *Random streams* choose who sits at a table, where the format draws lots.

A tournament that goes on after its end (a ladder) has a chain of keys, one per run, each the SHA-256 of the next (L. Lamport,
"Password authentication with insecure communication", CACM 24, 1981): a published key tells those before it and none behind it.
"""

import functools
import hashlib
import secrets
from collections.abc import Sequence
from typing import NamedTuple

from arena.engine import rng
from arena.names import MATCH_ID_DIGITS

KEY_BYTES = 32
CHAIN_KEYS = 1_000  # of one chain, if nothing else is said
LONG_CHAIN_KEYS = 100_000  # of the chain of a ladder that never stops: a tenth of a second is needed to make it
_OPTIONS_DIGITS = 16  # hexadecimal, of the hash of the options


class MatchSeeds(NamedTuple):
    """What is random in a match: 128-bit seeds."""

    deal: int
    bots: tuple[int, ...]
    """Seeds of the bots' own generators, by seat."""
    fallbacks: tuple[int, ...]
    """Seeds of the fallbacks that choose after a fault, by seat."""


def match_seeds(key: bytes, match_id: str, game: str, seats: int, options: str, deal: int) -> MatchSeeds:
    """The seeds of a tournament's match. `key`: see `key_of_link` for a ladder's. `options`: canonical JSON."""
    return MatchSeeds(
        deal_seed(key, game, seats, options, deal),
        _by_seat(key, seats, "bot", match_id),
        _by_seat(key, seats, "fallback", match_id),
    )


def deal_seed(key: bytes, game: str, seats: int, options: str, deal: int) -> int:
    """The 128-bit seed of a deal's cards, which all its tables and rotations share. `options`: canonical JSON.

    A key that is as long as a seed stands for one deal alone: see `key_of_cards`.
    """
    if len(key) == rng.SEED_BITS // 8:
        return int.from_bytes(key)
    options_hash = hashlib.sha256(options.encode()).hexdigest()[:_OPTIONS_DIGITS]
    return rng.derive(key, "deal", game, seats, options_hash, deal)


def table_stream(key: bytes, game: str, seats: int, options: str, deal: int) -> int:
    """128 random bits that choose who sits at a table of a deal. `options`: canonical JSON."""
    return rng.derive(key, "table", game, seats, options, deal)


def single_match_seeds(key: bytes, seats: int, *path: object) -> MatchSeeds:
    """The seeds of a match outside any tournament. `path`: which of the matches with this key."""
    return MatchSeeds(
        rng.derive(key, "deal", *path), _by_seat(key, seats, "bot", *path), _by_seat(key, seats, "fallback", *path)
    )


def single_match_id(key: bytes, *path: object) -> str:
    """The id of a match outside any tournament: 24 hex digits."""
    return f"{rng.derive(key, 'match', *path):032x}"[:MATCH_ID_DIGITS]


def repeatable_id(key: bytes, game: str, options: str, names: Sequence[str]) -> str:
    """Stands for the id of a match from which the seeds of its bots derive, where the same key and players give the same match.

    `options`: canonical JSON; `names`: of the players, in seat order.
    """
    return single_match_id(key, "again", game, options, *names)


def played_id(key: bytes, names: Sequence[str], actions: Sequence[int], delays: Sequence[int]) -> str:
    """The id of a repeatable match that is over: it follows from the cards, the players and all that was played."""
    return single_match_id(key, list(names), list(actions), list(delays))


def table_seed(seed: int) -> int:
    """The 128-bit seed of a learning program's table with the public seed `seed`: all its episodes follow from it."""
    return rng.derive(key_from_seed(seed), "table")


def new_key() -> bytes:
    """A secret key for a tournament that nobody can foretell."""
    return secrets.token_bytes(KEY_BYTES)


def key_of_cards(deal: int) -> bytes:
    """The key of a match that was dealt from a 128-bit seed of its own, as the episodes of learning programs are."""
    return deal.to_bytes(rng.SEED_BITS // 8)


def key_from_seed(seed: int) -> bytes:
    """The key of a reproducible run with the public seed `seed`."""
    return hashlib.sha256(f"arena seed {seed}".encode()).digest()


def training_key() -> bytes:
    """The public key of all deals that language models train on: no tournament's seed leads to one of them."""
    return hashlib.sha256(b"arena training").digest()


def seed_of_part(key: bytes, *path: object) -> int:
    """A public seed (63 bits, as JSON readers like them) for one of several tournaments that belong together."""
    return rng.derive(key, *path) >> (rng.SEED_BITS - 63)


def commitment(key: bytes) -> str:
    """The SHA-256 of the key, in hex: published first, it proves at the end that the deals were not chosen."""
    return hashlib.sha256(key).hexdigest()


@functools.lru_cache(maxsize=16)
def key_of_link(newest: bytes, links: int, number: int) -> bytes:
    """The key of link `number` of a chain of keys, from the newest of its `links` keys."""
    return _hashed(newest, links - 1 - number)


def newest_key(last: bytes, links: int, most: int = CHAIN_KEYS) -> bytes:
    """The key of the newest of `links` links, from `last`: the key of the last one of the `most` that the chain can have."""
    return _hashed(last, most - links)


def _by_seat(key: bytes, seats: int, *path: object) -> tuple[int, ...]:
    return tuple(rng.derive(key, *path, seat) for seat in range(seats))


def _hashed(key: bytes, times: int) -> bytes:
    for _ in range(times):
        key = hashlib.sha256(key).digest()
    return key
