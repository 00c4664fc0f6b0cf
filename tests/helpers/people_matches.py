"""Matches as people's tables store them, played in this process by bots; no person has to type anything."""

from contextlib import ExitStack

import msgspec

from arena import games
from arena.agent.loading import find_bot
from arena.match import play
from arena.match.single_match import bot_seat, named
from arena.records import MatchRecord
from arena.results_folder import RESULTS
from arena.server.people.levels import level
from arena.server.people.store import PERSON, bot_as_player, person_as_player, sit_down

Sitter = str
"""A level's name, or a person's: `alice:expert` is alice, who plays like an expert."""


def people_match(game: str, *sitters: Sitter, seed: int | None = None) -> tuple[MatchRecord, bytes]:
    """A match of people and levels, in seat order, and the key of its deal."""
    chosen = [level(game, sitter.rpartition(":")[2]) for sitter in sitters]
    names = [sitter.partition(":")[0] for sitter in sitters]
    people = [":" in sitter for sitter in sitters]
    players = [
        person_as_player(name) if is_person else bot_as_player(name, find_bot(one.bot, RESULTS).files, one.params)
        for name, is_person, one in zip(names, people, chosen)
    ]
    setup, key = sit_down(game, players, seed=seed)
    with ExitStack() as opened:
        bots = [named(one.bot, RESULTS, one.params) for one in chosen]
        seats = [opened.enter_context(bot_seat(bot, own)) for bot, own in zip(bots, setup.bot_seeds)]
        record = play(games.load(game), setup, seats)
    rows = [
        msgspec.structs.replace(row, isolation=PERSON) if is_person else row for row, is_person in zip(record.seats, people)
    ]
    return msgspec.structs.replace(record, seats=tuple(rows)), key


def won(record: MatchRecord, seat: int) -> MatchRecord:
    """The match with another result: the seat came first, all others behind it."""
    rows = [msgspec.structs.replace(row, place=1 if place == seat else 2) for place, row in enumerate(record.seats)]
    return msgspec.structs.replace(record, seats=tuple(rows))
