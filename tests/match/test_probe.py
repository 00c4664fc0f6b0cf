"""What bots declare is learnt in a process that may be harmed: a copy of this one where that will do, else a new one."""

import os
import subprocess
import sys

import msgspec
import pytest

from arena.agent import BotFiles
from arena.match.probe import Profile, probe
from helpers.paths import ROOT

GOOD = "from arena.agent import Agent\nprint('hello')\nclass Bot(Agent): games = ('naga',)\n"
ENDS = "import os\nos._exit(3)\n"
HANGS = "while True: pass\n"
KILLED = "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\n"
SOURCE = """
import sys
import msgspec
from arena.agent import BotFiles
from arena.match import probe as module

assert module._can_be_forked()
module._started = None  # no new process is needed
found = [
    module.probe([BotFiles("bot.py", {"bot.py": source.encode()}) for source in sources], seconds)
    for sources, seconds in msgspec.json.decode(sys.argv[1])
]
sys.stdout.buffer.write(msgspec.json.encode(found))
"""
TELLING = [
    ([GOOD, "class Bot: pass\n", GOOD], [("naga",), (), ("naga",)], ["", "one Agent class", ""]),
    ([GOOD, ENDS, GOOD], [("naga",), (), ()], ["", "ended its process (exit code 3)", "not reached"]),
    ([KILLED], [()], ["ended its process (exit code -15)"]),
]


@pytest.fixture(scope="module")
def forked() -> list[list[Profile]]:
    """What a process like those of the command line learns from copies of itself: of TELLING, and of a bot that hangs."""
    if sys.platform != "linux":
        pytest.skip("elsewhere processes are not copied")
    asked = [(sources, 10.0) for sources, _, _ in TELLING] + [([HANGS], -9.0)]  # of those, ten seconds are forgiven
    ended = subprocess.run(
        [sys.executable, "-P", "-c", SOURCE, msgspec.json.encode(asked).decode()], check=False, capture_output=True, cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr.decode()
    return msgspec.json.decode(ended.stdout, type=list[list[Profile]])


@pytest.mark.parametrize("case", range(len(TELLING)))
def test_a_copy_tells_what_a_new_process_tells(case: int, forked: list[list[Profile]]) -> None:
    sources, games, errors = TELLING[case]
    assert forked[case] == probe([BotFiles("bot.py", {"bot.py": source.encode()}) for source in sources], 10.0)
    assert [profile.games for profile in forked[case]] == games
    assert all(words in (profile.error or "") for profile, words in zip(forked[case], errors))


def test_a_bot_that_hangs_is_given_up(forked: list[list[Profile]]) -> None:
    (found,) = forked[-1]
    assert found.error == "the bot did not finish being imported"


@pytest.mark.parametrize(("flag", "hash_seed"), [("-P", "random"), ("-B", "0")])
def test_a_process_that_was_started_otherwise_starts_a_new_one(flag: str, hash_seed: str) -> None:
    assert can_be_forked(flag, hash_seed) == [False, False]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not copied")
def test_a_process_with_threads_starts_a_new_one() -> None:
    assert can_be_forked("-P", "0") == [True, False]


def can_be_forked(flag: str, hash_seed: str) -> list[bool]:
    """Whether a process that is started so would copy itself: before, and while it has another thread."""
    source = (
        "import threading; from arena.match.probe import _can_be_forked; print(_can_be_forked()); over = threading.Event(); "
        "threading.Thread(target=over.wait).start(); print(_can_be_forked()); over.set()"
    )
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
    run = subprocess.run([sys.executable, flag, "-c", source], check=True, capture_output=True, cwd=ROOT, env=environment)
    return [line == b"True" for line in run.stdout.splitlines()]
