"""A table of locked seats for tests: a hostile bot against an honest rival."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.agent import read_bot
from arena.agent.view import View
from arena.games import load
from arena.match import play
from arena.match.sandbox import CommandSeat, LockedSeat, LockError, Supervisor
from arena.match.single_match import agree
from arena.records import Clock, Limits, MatchRecord
from helpers.paths import TEST_BOTS

RIVAL = TEST_BOTS / "counting_bot.py"
CLOCK = Clock(move=0.5, bank=0.2, start=5.0)
LIMITS = Limits(memory=192 << 20)
SECRET = "parameter-of-the-rival"


@contextmanager
def supervising(games: Iterable[str] = ("naga",), **how: Any) -> Iterator[Supervisor]:
    """A supervisor with its zygote; where bots cannot be locked in, the test is skipped."""
    with Supervisor(games, **how) as opened:
        try:
            _ = opened.level
        except LockError as error:
            pytest.skip(f"bots cannot be locked in here: {error}")
        yield opened


def first_view(*, seat: int, clock: Clock = CLOCK) -> View:
    """The first decision of a match of Naga, as a seat sees it."""
    game = load("naga")
    states = game.deal(2, game.resolve_options({}, 2), 1)
    return game.view(game, game.observed(states, seat), seat, codes=game.legal_list(states), events=list, clock=clock)


@dataclass
class Played:
    """What came of a match."""

    record: MatchRecord
    outputs: list[str]
    """What each bot printed."""


def play_locked(supervisor: Supervisor, bots: list[Path], params: list[dict[str, Any]] | None = None, **changes: Any) -> Played:
    """One match in seat order, of Naga unless `game` names another one; command bots have their own kind of seat."""
    game = changes.pop("game", "naga")
    setup = agree(game, [bot.stem for bot in bots], seed=changes.pop("seed", 3), clock=changes.pop("clock", CLOCK))
    seat_type = changes.pop("seat_type", LockedSeat)
    arguments = {"limits": LIMITS, **changes}
    files = [read_bot(bot) for bot in bots]
    seats = [
        (seat_type if bot.command is None else CommandSeat)(supervisor, bot, seed=seed, params=given, **arguments)
        for bot, seed, given in zip(files, setup.bot_seeds, params or [{}] * len(bots))
    ]
    try:
        record = play(load(game), setup, seats)
    finally:
        for seat in seats:
            seat.close()
    return Played(record, [seat.output for seat in seats])
