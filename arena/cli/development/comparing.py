"""A saved bot against another version of it: an ordinary tournament of `format: compare` in a folder that is thrown away."""

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from arena import games
from arena.agent import BotFiles
from arena.audit.capsule import setup_of
from arena.cli.development.faults import FaultFound, first_fault_of
from arena.match.seeds import key_from_seed
from arena.records import MatchRecord
from arena.tournament.bot_check import rivals
from arena.tournament.check_report import CLOCK
from arena.tournament.config import Tournament, check_config
from arena.tournament.formats.compare import Evidence, comparison_of
from arena.tournament.formats.schedule import Schedule
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Observer, Progress, Settings
from arena.tournament.workers.processes import available_cpus

ERROR, DIFFERENCE = 0.05, 0.05
"""A verdict is wrong with this probability at most; and two versions count as equal whose shares differ by less."""
MOST_DEALS = 2_000
"""Deals of a comparison at most: what is not certain by then is a small difference."""


class Side(NamedTuple):
    """A version that is compared."""

    name: str
    files: BotFiles


class Comparing(Observer):
    """Hears how a comparison goes on. All that is told here is told again and again, from the thread that called."""

    def __init__(self, bot: str, key: bytes, stop: Callable[[], str | None]) -> None:
        """`bot`: whose faults are looked for; `key`: of the deals; `stop`: why the comparison is to end at once, if it is."""
        self.evidence: Evidence | None = None
        """What is known by now; None before the first checkpoint."""
        self.fault: FaultFound | None = None
        """The first fault of the bot."""
        self.outcome: str | None = None
        """What came out in words; None: it goes on, or was ended."""
        self._bot, self._key, self._stop = bot, key, stop

    def failed(self, record: MatchRecord) -> None:
        """Keep the first fault of the bot."""
        if self.fault is None:
            setup = setup_of(record, self._key, CLOCK)
            self.fault = first_fault_of(games.load(record.game), record, setup, self._bot)

    def passed(self, schedule: Schedule) -> None:
        """Take what is known now."""
        comparison = comparison_of(schedule)
        self.evidence, self.outcome = comparison.evidence()[0], comparison.outcome
        self.show(None)

    def progress(self, progress: Progress) -> None:
        """Show how far it is."""
        self.show(progress)

    def show(self, progress: Progress | None) -> None:
        """Show what is known. This one shows nothing."""

    def end_now(self) -> str | None:
        """Why the comparison is to end at once."""
        return self._stop()

    def is_written(self, stored: int) -> bool:
        """No board is written: nobody would read it."""
        return False


def compare(sides: tuple[Side, Side], names: Sequence[str], seed: int, observer: Comparing, *, is_locked: bool) -> None:
    """Compare two versions in games that both play, on the deals of a seed, until it is certain or the observer ends it.

    `is_locked`: whether this machine can lock them in; if not, they play without. What came out, the observer has heard.

    Raises ArenaError.
    """
    with tempfile.TemporaryDirectory(prefix="arena-dev-") as folder:
        settings = Settings(
            out=Path(folder), backend=LOCAL, workers=max(1, available_cpus() - 1), is_lasting=False,
            unsafe_trust_bots=not is_locked,
        )  # fmt: skip
        # a CPU is left for the editor
        run_tournament(_tournament(sides, names, seed, Path(folder)), settings, observer)


def key_of(seed: int) -> bytes:
    """The key of the deals of a comparison."""
    return key_from_seed(seed)


def _tournament(sides: tuple[Side, Side], names: Sequence[str], seed: int, folder: Path) -> Tournament:
    """The comparison, at the smallest tables; where these need more bots, house bots sit there."""
    sizes = {game: games.load(game).seats[0] for game in names}
    others = {game: list(rivals(game))[: size - len(sides)] for game, size in sizes.items()}
    beside = dict.fromkeys(name for found in others.values() for name in found)
    stand_in = "house:random_bot"  # whose files are replaced by those in hand: what lies at the bot's path may be newer
    checked = check_config(
        {
            "name": "dev", "seed": seed, "format": "compare", "deals": MOST_DEALS,
            "candidates": [side.name for side in sides], "compare": {"error": ERROR, "difference": DIFFERENCE},
            "games": [{"game": game, "seats": size} for game, size in sizes.items()],
            "bots": [
                *({"path": stand_in, "name": side.name, "games": list(names)} for side in sides),
                *({"path": f"house:{name}", "name": f"house-{name}", "trusted": True,
                   "games": [game for game in names if name in others[game]]} for name in beside),
            ],
            "ratings": {"luck": False},
        },
        folder,
    )  # fmt: skip
    bots = [msgspec.structs.replace(bot, files=side.files) for bot, side in zip(checked.bots, sides)]
    return msgspec.structs.replace(checked, bots=(*bots, *checked.bots[len(sides) :]))
