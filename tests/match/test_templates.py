"""The template of a bot: what its seats get from it, and what happens to a bot that hurts its own."""

import os
import signal
from collections.abc import Iterator

import pytest

from arena.agent import BotFiles
from arena.games import load
from arena.match import HostTrouble, play
from arena.match.sandbox import LockedSeat, Supervisor, pressure
from arena.match.sandbox import supervisor as keeper_module
from arena.match.single_match import agree
from arena.records import Ending
from helpers.locked_matches import CLOCK, LIMITS, supervising
from helpers.processes import survivors

SAYS = """
import random
import numpy as np
from arena.agent import Agent

class Says(Agent):
    seats = 0

    def act(self, view):
        if not Says.seats:
            print("first", random.random(), np.random.random(), id(None) > 0)
        Says.seats += 1
        return 0
"""
NEVER_COMPILED = "x = " + "-" * 200_000 + "1\n"


@pytest.fixture(scope="module")
def supervisor() -> Iterator[Supervisor]:
    with supervising() as opened:
        yield opened


def bot(source: str, name: str = "bot.py") -> BotFiles:
    return BotFiles(name, {name: source.encode()})


def played(supervisor: Supervisor, *bots: BotFiles, seed: int = 3) -> tuple[list[Ending], list[str]]:
    setup = agree("naga", ["one", "two"], seed=seed, clock=CLOCK)
    seats = [LockedSeat(supervisor, bot, seed=number, params={}, limits=LIMITS) for bot, number in zip(bots, setup.bot_seeds)]
    try:
        record = play(load("naga"), setup, seats)
    finally:
        for seat in seats:
            seat.close()
    return [seat.ending for seat in record.seats], [seat.output for seat in seats]


def test_seats_of_one_bot_share_a_template_and_nothing_else(supervisor: Supervisor) -> None:
    before = len(supervisor.pids)
    endings, outputs = played(supervisor, bot(SAYS), bot(SAYS))
    again, same = played(supervisor, bot(SAYS), bot(SAYS))
    _, other = played(supervisor, bot(SAYS), bot(SAYS), seed=4)
    assert endings == again == [Ending.PLAYED] * 2 and len(supervisor.pids) == before + 1
    assert outputs == same and all(output.count("first") == 1 for output in outputs)  # each seat is new, and repeatable
    assert len({*outputs, *other}) == 4  # and has random numbers of its own


def test_a_bot_that_cannot_be_compiled_is_to_blame_for_it(supervisor: Supervisor) -> None:
    """Python's compiler may end the whole process, or say why it does not compile."""
    for source in (NEVER_COMPILED, "def act(:\n", "x = '\0'\n"):
        endings, _ = played(supervisor, bot(SAYS), bot(source))
        assert endings == [Ending.PLAYED, Ending.STARTUP]


def test_a_lost_template_is_a_host_fault_and_the_bot_plays_on_without(supervisor: Supervisor) -> None:
    fresh = bot(SAYS + "# lost\n")
    zygote = supervisor.pid
    played(supervisor, fresh, fresh)
    template = supervisor.pids[-1]
    os.kill(template, signal.SIGKILL)
    assert not survivors({template})
    with pytest.raises(HostTrouble):
        played(supervisor, fresh, fresh)
    assert played(supervisor, fresh, fresh)[0] == [Ending.PLAYED] * 2
    assert supervisor.pid == zygote and template not in supervisor.pids


@pytest.mark.parametrize(("most", "has_memory"), [("TEMPLATES", True), ("FEW_TEMPLATES", False)])
def test_only_the_templates_used_last_are_kept(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch, most: str, has_memory: bool
) -> None:
    monkeypatch.setattr(keeper_module, most, 2)
    monkeypatch.setattr(pressure, "has_memory", lambda: has_memory)
    bots = [bot(SAYS + f"# {number}\n") for number in range(4)]
    for rival in bots:
        assert played(supervisor, bots[0], rival)[0] == [Ending.PLAYED] * 2
    first, *_ = supervisor.pids
    assert first == supervisor.pid and len(supervisor.pids) <= 1 + 2 + 1  # those of a table are never ended during its match
    played(supervisor, bots[0], bots[0])
    ended = list(supervisor.pids[1:])
    supervisor.renew()
    assert not survivors(set(ended))
