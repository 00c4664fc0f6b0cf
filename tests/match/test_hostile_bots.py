"""Every hostile bot: the refusal itself, the ending in the row, and that the rival's match was scored."""

import ast
import platform
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.match.sandbox import LOCKED, NAMESPACE, Keeper, LockError
from arena.records import Clock, Ending
from helpers.locked_matches import HOSTILE, RIVAL, SECRET, play_locked

BOTS = sorted(HOSTILE.glob("*.py"), key=lambda path: path.stem)
NEEDS_NAMESPACE = {"stats_outside", "stats_by_statx"}  # names outside the view: nothing else hides them
NEEDS_X86 = {"calls_x32", "times_exactly"}  # attacks on that machine's table of calls, and on its clocks
HURRIED = Clock(move=0.1, bank=0.05, start=5.0)  # for bots whose time runs out
PATIENT = Clock(move=5.0, bank=5.0, start=5.0)  # for all others, on slow machines too


@pytest.fixture(scope="module", params=[NAMESPACE, pytest.param(LOCKED, marks=pytest.mark.slow)])
def keeper(request: pytest.FixtureRequest) -> Iterator[Keeper]:
    with Keeper(["naga"], level=request.param) as opened:
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


def expected(path: Path) -> tuple[str, Ending]:
    """What the first line of a hostile bot says must happen."""
    line = (ast.get_docstring(ast.parse(path.read_text())) or "").splitlines()[0]
    if "Expected: refused; the bot plays on: played, no blame." in line:
        return "refused", Ending.PLAYED
    found = re.search(r"Expected: (\w+); blame: bot\.", line)
    assert found, f"{path.name} does not say what must happen"
    return "fatal", Ending(found[1])


def test_there_are_at_least_forty_and_each_says_what_must_happen() -> None:
    assert len(BOTS) >= 40
    assert all(expected(bot) for bot in BOTS)


@pytest.mark.parametrize("bot", BOTS, ids=lambda path: path.stem)
def test_a_hostile_bot_gets_nothing_and_the_rival_is_scored(bot: Path, keeper: Keeper, results: Path) -> None:
    if keeper.level == LOCKED and bot.stem in NEEDS_NAMESPACE:
        pytest.skip("only namespaces hide names")
    if bot.stem in NEEDS_X86 and platform.machine() != "x86_64":
        pytest.skip("this machine has no such calls")
    kind, ending = expected(bot)
    zygote = keeper.pid
    clock = HURRIED if ending is Ending.TIMEOUT else PATIENT
    played = play_locked(keeper, [RIVAL, bot], [{"secret": SECRET}, {"results": str(results)}], clock=clock)
    rival, hostile = played.record.seats
    output = played.outputs[1]
    assert (hostile.ending, rival.ending) == (ending, Ending.PLAYED), played.record.notes
    assert hostile.isolation == keeper.level
    if kind == "refused":
        assert "REFUSED" in output and "GOT" not in output, output
        assert not re.search("ImportError|TypeError|NameError|ConnectionRefused", output), output  # not by accident
    else:
        assert hostile.fault_decision is not None and hostile.fault_decision >= 5
        assert (rival.place, hostile.place) == (1, 2)
        assert len(played.record.notes) == 1 and hostile.cpu_ms_max < 1000
    assert keeper.pid == zygote
    assert not Path("/tmp/arena-was-here").exists() and not Path("/dev/shm/arena-was-here").exists()
