"""The kit of every language, as `arena new` writes it: built in the lock, tested by its transcripts, played in the lock."""

import contextlib
import subprocess
import sys
from pathlib import Path

import pytest

from arena import games
from arena.agent import BotFiles, read_bot
from arena.cli.main import main
from arena.match import play
from arena.match.builds import built
from arena.match.sandbox import CommandSeat, LockedSeat, Supervisor
from arena.match.single_match import agree
from arena.records import DEFAULT_LIMITS, Clock, Ending
from helpers.command_bots import SHORT_MATCHES, TOOLS, kit_name, lacks
from helpers.paths import HOUSE_BOTS

pytestmark = pytest.mark.slow
CLOCK = Clock(move=1.0, bank=10.0, start=10.0)
GAMES = {"naga": "naga_greedy", "yaniv": "yaniv_greedy"}
"""What is played, and the house bot that is played against."""


@pytest.fixture(scope="module", params=sorted(TOOLS))
def bot(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, BotFiles]:
    """The folder of a bot, with what its build made, and the files that play."""
    if reason := lacks(request.param):
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp(request.param) / kit_name(request.param)
    assert main(["new", str(folder), "--language", request.param]) == 0
    files = built(read_bot(folder), folder.name).files
    for path, content in files.files.items():
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).write_bytes(content)
        (folder / path).chmod(0o755)
    return folder, files


def test_a_kit_passes_its_transcripts(bot: tuple[Path, BotFiles]) -> None:
    check = bot[0] / "transcripts" / "check.py"
    done = subprocess.run([sys.executable, "-I", check], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert [line.partition(":")[0] for line in done.stdout.splitlines()] == games.names()


@pytest.mark.parametrize("game", GAMES)
def test_a_kit_plays_a_house_bot_and_repeats_itself(bot: tuple[Path, BotFiles], game: str, supervisor: Supervisor) -> None:
    loaded, rival = games.load(game), read_bot(HOUSE_BOTS / f"{GAMES[game]}.py")
    setup = agree(game, ["kit", GAMES[game]], seed=5, options=SHORT_MATCHES.get(game), clock=CLOCK)
    records = []
    for _ in range(2):
        with contextlib.ExitStack() as seats:
            own, other = setup.bot_seeds
            kit = CommandSeat(supervisor, bot[1], seed=own, params={}, limits=DEFAULT_LIMITS)
            house = LockedSeat(supervisor, rival, seed=other, params={}, limits=DEFAULT_LIMITS)
            records.append(play(loaded, setup, [seats.enter_context(kit), seats.enter_context(house)]))
    first, again = records
    assert {seat.ending for seat in first.seats} == {Ending.PLAYED}, first.notes
    assert {seat.isolation for seat in first.seats} == {supervisor.level}
    assert first.actions == again.actions
