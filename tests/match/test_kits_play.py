"""The kit of every language, as `arena new` writes it: built, played through its transcripts, and in locked matches."""

import subprocess
import sys
from pathlib import Path

import pytest

from arena import games
from arena.agent import bot_name, read_bot
from arena.match import play
from arena.match.sandbox import CommandSeat, Supervisor
from arena.match.single_match import agree
from arena.records import DEFAULT_LIMITS, Clock, Ending
from helpers.command_bots import SHORT_MATCHES, TOOLS, built_kit, lacks

pytestmark = pytest.mark.slow
CLOCK = Clock(move=1.0, bank=10.0, start=10.0)
GAMES = ("naga", "yaniv")


@pytest.fixture(scope="module", params=sorted(TOOLS))
def bot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    if reason := lacks(request.param):
        pytest.skip(reason)
    return built_kit(request.param, tmp_path_factory.mktemp(request.param))


def test_a_built_kit_passes_its_transcripts(bot: Path) -> None:
    done = subprocess.run([sys.executable, "-I", bot / "transcripts" / "check.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == games.names()


@pytest.mark.parametrize("game", GAMES)
def test_a_built_kit_plays_locked_and_repeats_itself(bot: Path, game: str, supervisor: Supervisor) -> None:
    loaded = games.load(game)
    names = [bot_name(bot)] * loaded.seats[0]
    setup = agree(game, names, seed=5, options=SHORT_MATCHES.get(game), clock=CLOCK)
    records = []
    for _ in range(2):
        seats = [
            CommandSeat(supervisor, read_bot(bot), seed=seed, params={}, limits=DEFAULT_LIMITS) for seed in setup.bot_seeds
        ]
        try:
            records.append(play(loaded, setup, seats))
        finally:
            for seat in seats:
                seat.close()
    first, again = records
    assert {seat.ending for seat in first.seats} == {Ending.PLAYED}, first.notes
    assert {seat.isolation for seat in first.seats} == {supervisor.level}
    assert first.actions == again.actions
