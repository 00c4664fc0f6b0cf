"""Every hostile command bot: the refusal itself, the ending in the row, and that the rival's match was scored."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.match.sandbox import LOCKED, NAMESPACE, LockError, Supervisor, held
from arena.records import Clock, Ending, Limits
from arena.tournament.workers.ray.watchdog import descendants
from helpers.command_bots import HOSTILE, hostile, is_attack
from helpers.locked_matches import RIVAL, play_locked
from helpers.processes import survivors

ATTACKS = sorted(path for path in HOSTILE.iterdir() if path.suffix in (".py", ".js") and is_attack(path))
LIMITS = Limits(memory=128 << 20)
HURRIED = Clock(move=0.1, bank=0.05, start=5.0)  # for bots whose time runs out
PATIENT = Clock(move=5.0, bank=5.0, start=5.0)  # for all others, on slow machines too


@pytest.fixture(scope="module", params=[NAMESPACE, pytest.param(LOCKED, marks=pytest.mark.slow)])
def supervisor(request: pytest.FixtureRequest) -> Iterator[Supervisor]:
    with Supervisor(["naga"], level=request.param) as opened:
        try:
            level = opened.level
        except LockError as error:
            pytest.skip(f"bots cannot be locked in here: {error}")
        if level != request.param:
            pytest.skip(f"no more than {level} here: {opened.reason}")
        zygote = opened.pid
        yield opened
        after = play_locked(opened, [RIVAL, RIVAL], seed=4)  # the zygote of all these attacks is unhurt
        assert opened.pid == zygote and [seat.ending for seat in after.record.seats] == [Ending.PLAYED] * 2


def expected(path: Path) -> tuple[str, Ending]:
    """What the first line of a hostile bot says must happen."""
    line = path.read_text().splitlines()[0]
    if "Expected: refused; the bot plays on: played, no blame." in line:
        return "refused", Ending.PLAYED
    found = re.search(r"Expected: (\w+); blame: bot\.", line)
    assert found, f"{path.name} does not say what must happen"
    return "fatal", Ending(found[1])


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda path: path.stem)
def test_a_hostile_command_bot_gets_nothing_and_the_rival_is_scored(
    attack: Path, supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if attack.suffix == ".js" and shutil.which("node") is None:
        pytest.skip("no Node.js here")
    kind, ending = expected(attack)
    if kind == "fatal" and ending is not Ending.MEMORY and (supervisor.level == LOCKED or "ARENA_TEST_AS_USER" in os.environ):
        pytest.skip("the same at every level and for every user")
    zygote = supervisor.pid
    clock = HURRIED if ending is Ending.TIMEOUT else PATIENT
    if ending is Ending.TIMEOUT and attack.stem != "sleeps":  # for that one as in every match
        monkeypatch.setattr(held, "SLEEP_SECONDS", 1.0)
    if ending is Ending.MEMORY:
        clock = Clock(move=20.0, bank=0.0, start=5.0)  # until it has filled it
    played = play_locked(supervisor, [RIVAL, hostile(attack, tmp_path)], limits=LIMITS, clock=clock)
    rival, seat = played.record.seats
    output = played.outputs[1]
    if attack.stem == "starts_threads" and seat.ending is Ending.PLAYED:
        kind, ending = "refused", Ending.PLAYED
    assert (seat.ending, rival.ending) == (ending, Ending.PLAYED), played.record.notes
    assert seat.isolation == supervisor.level
    if kind == "refused":
        assert "REFUSED" in output and "GOT" not in output, output
        assert not re.search("ImportError|TypeError|NameError|ConnectionRefused", output), output  # not by accident
    else:
        assert seat.fault_decision is not None and seat.fault_decision >= 5
        assert (rival.place, seat.place) == (1, 2)
        (fault,) = played.record.faults
        assert fault.ending is ending and "\x1b" not in fault.reason
    assert supervisor.pid == zygote and not survivors(descendants({zygote}) - set(supervisor.pids))
    assert not Path("/tmp/arena-was-here").exists() and not Path("/dev/shm/arena-was-here").exists()
