"""Locked seats that are made ahead: they are taken, ended when nobody wants them, and no loss when they die."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.agent import BotFiles
from arena.games import load
from arena.match import play
from arena.match.sandbox import LockedSeat, Supervisor
from arena.match.single_match import agree
from arena.records import Ending
from helpers.locked_matches import CLOCK, LIMITS, supervising
from helpers.processes import runs, seats, survivors, until

SOURCE = b"""
from arena.agent import Agent

class First(Agent):
    def act(self, view):
        return 0
"""
BOT, OTHER = (BotFiles(name, {name: SOURCE}) for name in ("one.py", "other.py"))


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with supervising() as opened:
        yield opened


def played(supervisor: Supervisor, *bots: BotFiles) -> set[int]:
    """The process ids of the seats of a match in which all goes well; they have ended."""
    setup = agree("naga", ["one", "two"], seed=3, clock=CLOCK)
    opened = [LockedSeat(supervisor, bot, seed=number, params={}, limits=LIMITS) for bot, number in zip(bots, setup.bot_seeds)]
    try:
        record = play(load("naga"), setup, opened)
        assert [seat.ending for seat in record.seats] == [Ending.PLAYED] * 2, record.notes
        pids = {seat.pid for seat in opened}
    finally:
        for seat in opened:
            seat.close()
    assert not survivors(pids)
    return pids


def expect(supervisor: Supervisor, *bots: BotFiles) -> set[int]:
    """Expect seats of these bots; returns the process ids of all spare ones, once they are there and no others."""
    supervisor.expect([("naga", bot) for bot in bots], LIMITS)
    return set(until(lambda: len(found := set(filter(runs, seats(os.getpid())))) == len(bots) and found))


def test_seats_that_were_expected_are_taken(supervisor: Supervisor) -> None:
    spares = expect(supervisor, BOT, OTHER)
    assert played(supervisor, BOT, OTHER) == spares
    twice = expect(supervisor, BOT, BOT)
    assert not twice & spares and played(supervisor, BOT, BOT) == twice


def test_seats_that_nobody_expects_any_more_are_ended(supervisor: Supervisor) -> None:
    spares = expect(supervisor, BOT, BOT, OTHER)
    left = expect(supervisor, BOT)
    assert left < spares and not survivors(spares - left)
    supervisor.expect([], LIMITS)
    assert not survivors(left)


def test_a_spare_seat_that_was_killed_is_no_loss(supervisor: Supervisor) -> None:
    spares = expect(supervisor, BOT, OTHER)
    for pid in spares:
        os.kill(pid, signal.SIGKILL)
    assert not survivors(spares)
    assert not played(supervisor, BOT, OTHER) & spares


def test_spare_seats_end_with_their_template_and_with_the_zygote(supervisor: Supervisor) -> None:
    spares = expect(supervisor, BOT)
    os.kill(parent(*spares), signal.SIGKILL)
    assert not survivors(spares)
    others = expect(supervisor, OTHER)
    supervisor.renew()
    assert not survivors(others) and played(supervisor, BOT, OTHER)


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def test_seats_of_a_game_that_is_not_loaded_are_not_made_ahead(supervisor: Supervisor) -> None:
    assert supervisor.pid in (before := supervisor.pids)
    supervisor.expect([("no such game", BOT)], LIMITS)
    assert supervisor.pids == before and not seats(os.getpid())
