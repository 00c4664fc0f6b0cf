"""Every hostile bot: the refusal itself, the ending in the row, and that the rival's match was scored."""

import platform
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.match.sandbox import LOCKED, NAMESPACE, LockError, Supervisor, held
from arena.records import Clock, Ending
from helpers.attacks import ATTACKS, Attack
from helpers.locked_matches import RIVAL, SECRET, play_locked

NEEDS_NAMESPACE = {"stats_outside", "stats_by_statx"}  # names outside the view: nothing else hides them
NEEDS_X86 = {"calls_x32", "times_exactly"}  # attacks on that machine's table of calls, and on its clocks
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


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tournament's folder that every user may read."""
    folder = tmp_path_factory.mktemp("results")
    for parent in (folder, folder.parent, folder.parent.parent):
        parent.chmod(0o755)
    (folder / "journal.sqlite").write_bytes(b"SQLite format 3")
    (folder / "config.yaml").write_text("name: x\n")
    return folder


def test_there_are_as_many_attacks_as_there_were_and_each_says_what_it_tries() -> None:
    assert len(ATTACKS) >= 83
    assert all(attack.says for attack in ATTACKS.values())


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS)
def test_a_hostile_bot_gets_nothing_and_the_rival_is_scored(
    attack: Attack, supervisor: Supervisor, results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if supervisor.level == LOCKED and attack.name in NEEDS_NAMESPACE:
        pytest.skip("only namespaces hide names")
    if attack.name in NEEDS_X86 and platform.machine() != "x86_64":
        pytest.skip("this machine has no such calls")
    zygote = supervisor.pid
    clock = HURRIED if attack.ending is Ending.TIMEOUT else PATIENT
    if attack.ending is Ending.TIMEOUT and attack.name != "sleeps":  # for that one as in every match
        monkeypatch.setattr(held, "SLEEP_SECONDS", 1.0)
    bots = [RIVAL, attack.bot(tmp_path)]
    played = play_locked(supervisor, bots, [{"secret": SECRET}, {"results": str(results)}], clock=clock)
    rival, hostile = played.record.seats
    output = played.outputs[1]
    assert (hostile.ending, rival.ending) == (attack.ending, Ending.PLAYED), played.record.notes
    assert hostile.isolation == supervisor.level
    if attack.ending is Ending.PLAYED:
        assert "REFUSED" in output and "GOT" not in output, output
        assert not re.search("ImportError|TypeError|NameError|ConnectionRefused", output), output  # not by accident
    else:
        assert hostile.fault_decision is not None and hostile.fault_decision >= 5
        assert (rival.place, hostile.place) == (1, 2)
        assert len(played.record.notes) == 1 and hostile.cpu_ms_max < 1000
    assert supervisor.pid == zygote
    assert not Path("/tmp/arena-was-here").exists() and not Path("/dev/shm/arena-was-here").exists()
