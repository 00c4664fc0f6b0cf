"""What the author of a bot is told of a fault: the position, the end of the traceback, and the command that repeats it."""

import shlex
from pathlib import Path
from typing import NamedTuple

import msgspec

from arena.audit.capsule import Capsule, pack
from arena.disk import write_whole
from arena.engine.game import Game
from arena.match import MatchSetup
from arena.match.sandbox import LOCKED
from arena.records import DEFAULT_LIMITS, MatchRecord
from arena.reports.checks import print_capsule
from arena.reports.terminal import Page

FAULT_FILE = "fault.json"
"""The capsule of the last fault, in the folder of the kept versions."""
_WRITER = "arena dev"  # in the place of a tournament's name


class FaultFound(NamedTuple):
    """A fault of the bot."""

    capsule: Capsule
    was_locked: bool
    """Whether the bot was locked in, as it is when it is run again."""


def first_fault_of(game: Game, record: MatchRecord, setup: MatchSetup, bot: str) -> FaultFound | None:
    """The first fault that the bot of this name made in a match; None: it made none."""
    for fault in record.faults:
        row = record.seats[fault.seat]
        if row.bot == bot:
            capsule = pack(game, record, setup, _WRITER, fault.seat, fault, limits=DEFAULT_LIMITS)
            return FaultFound(capsule, row.isolation.startswith(LOCKED))
    return None


def print_fault(fault: FaultFound, bot: Path, folder: Path, page: Page) -> None:
    """Write the capsule of a fault into a folder, and print what happened and how it is repeated. Raises StoreError.

    `bot`: the path by which the command names the bot.
    """
    file = folder / FAULT_FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, msgspec.json.format(msgspec.json.encode(fault.capsule), indent=1) + b"\n")
    print_capsule(fault.capsule, page)
    trust = [] if fault.was_locked else ["--unsafe-trust-bots"]
    page.say("the same decision again:")
    page.line("  " + shlex.join(["arena", "capsule", str(file), "--run", "--bot", str(bot), *trust]))
