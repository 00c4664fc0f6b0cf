"""What fixes a match of people before it is played, such that it can be replayed from what is stored of it."""

import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from arena import games
from arena.agent import BotFiles
from arena.engine.options import OptionValue
from arena.match import MatchSetup, Player
from arena.match.seeds import key_from_seed, match_seeds, new_key
from arena.match.single_match import UNHURRIED
from arena.names import MATCH_ID_DIGITS
from arena.records import canonical_json
from arena.results.people import PEOPLE

NO_FILES = "0" * 64
"""The content hash that a record has for a person, who has no files."""


def person(name: str) -> Player:
    """A person at the table, as the match is stored."""
    return Player(name, NO_FILES)


def bot(name: str, files: BotFiles, params: Mapping[str, Any]) -> Player:
    """A bot at the table, as the match is stored: its files and parameters say which one it is, whatever it is called."""
    return Player(name, files.sha256, canonical_json(params))


def sit_down(
    game: str,
    players: Sequence[Player],
    *,
    seed: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    deal: tuple[bytes, int] | None = None,
    pool: str = PEOPLE,
) -> tuple[MatchSetup, bytes]:
    """The set-up of a match at a table with people, and the key of its deal, with which it is kept.

    `players`: in seat order, see `person` and `bot`; `seed`: fixes the cards, None for cards that nobody can foretell. Every
    match has an id of its own, also with the same seed. `deal`: the key and the number of a deal that is to be dealt again;
    `pool`: how the name of the pool begins, see store.people. Raises ConfigError for a number of seats or options that the
    game does not allow.
    """
    room = games.load(game)
    room.check_seats(len(players))
    resolved = room.read_options(options or {}, len(players), (Path(),))
    key, number = deal or (new_key() if seed is None else key_from_seed(seed), 0)
    match_id = secrets.token_hex(MATCH_ID_DIGITS // 2)
    seeds = match_seeds(key, match_id, game, len(players), canonical_json(resolved), number)
    setup = MatchSetup(
        index=0, match_id=match_id, game=game, pool=f"{pool}/{game}", options=resolved, deal=number, rotation=0,
        players=tuple(players), deal_seed=seeds.deal, bot_seeds=seeds.bots, fallback_seeds=seeds.fallbacks, clock=UNHURRIED,
    )  # fmt: skip
    return setup, key
