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

bots = [BotFiles("bot.py", {"bot.py": source.encode()}) for source in sys.argv[2:]]
assert module._can_be_forked()
module._started = None  # no new process is needed
found = module.probe(bots, float(sys.argv[1]))
sys.stdout.buffer.write(msgspec.json.encode(found))
"""
TELLING = [
    ([GOOD, "class Bot: pass\n", GOOD], [("naga",), (), ("naga",)], ["", "one Agent class", ""]),
    ([GOOD, ENDS, GOOD], [("naga",), (), ()], ["", "ended its process (exit code 3)", "not reached"]),
    ([KILLED], [()], ["ended its process (exit code -15)"]),
]


def forked(sources: list[str], seconds: float = 10.0) -> list[Profile]:
    """The profiles that a process like those of the command line learns from a copy of itself."""
    ended = subprocess.run(
        [sys.executable, "-P", "-c", SOURCE, str(seconds), *sources], check=False, capture_output=True, cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": "0"},
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr.decode()
    return msgspec.json.decode(ended.stdout, type=list[Profile])


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not copied")
@pytest.mark.parametrize(("sources", "games", "errors"), TELLING)
def test_a_copy_tells_what_a_new_process_tells(sources: list[str], games: list[tuple[str, ...]], errors: list[str]) -> None:
    bots = [BotFiles("bot.py", {"bot.py": source.encode()}) for source in sources]
    found = forked(sources)
    assert found == probe(bots, 10.0)
    assert [profile.games for profile in found] == games
    assert all(words in (profile.error or "") for profile, words in zip(found, errors))


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not copied")
def test_a_bot_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = forked([HANGS], -9.0)  # of which ten seconds are forgiven
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
