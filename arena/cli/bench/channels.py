"""`arena bench channels`: what locked bots can tell their next match, or each other."""

from typing import Annotated

import typer

from arena.cli.measuring.channel_bots.attack import BITS
from arena.cli.measuring.channels import TRIALS, WATCHED_GAME, Channel
from arena.cli.measuring.channels import channels as tried
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, show
from arena.cli.shared.rooms import all_ready
from arena.cli.shared.tables import write_table
from arena.errors import ArenaError, ConfigError
from arena.match.sandbox import LOCKED, NAMESPACE, PROCESS, LockError
from arena.reports.terminal import Page


def channels(
    game: OnlyGames = None,
    trials: Annotated[int, typer.Option("--trials", metavar="N", help="Hands to send by each attack.")] = TRIALS,
    isolation: Annotated[
        str, typer.Option("--isolation", metavar="LEVEL", help="The lock to try; process: none, for comparison.")
    ] = NAMESPACE,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure what locked bots can tell their next match, or each other.

    Attacks leave a hand in the kernel's memory of names, in the page cache, at a futex and in the processor's caches, and look
    for it in another match; others watch a rival through the caches. Of several games the first is played.
    Exit code 0: no hand was known there and no more bits than by chance, 1: some were.
    """
    if isolation not in (NAMESPACE, LOCKED, PROCESS):
        raise ConfigError(f"--isolation: {NAMESPACE}, {LOCKED} or {PROCESS}, not {isolation!r}")
    if trials < 1:
        raise ConfigError(f"--trials: at least 1, not {trials}")
    games = all_ready(game)
    all_ready([WATCHED_GAME])
    try:
        found = list(tried(games[0], isolation, trials=trials))
    except LockError as error:
        raise ArenaError(f"bots cannot be locked in here: {error}; `arena doctor` shows what this machine offers") from None
    show(format, lambda page: _write(page, found), found, found)
    return NO if any(channel.bits or channel.hands for channel in found) else DONE


def _write(page: Page, found: list[Channel]) -> None:
    level, trials = found[0].isolation, found[0].trials
    write_table(
        page, f"Messages of {BITS} bits sent to another match, isolation {level}, {trials} each",
        ("by way of", "bits right", "AUC", "bits a match", "hands known", "refused"),
        [
            (
                channel.attack, *(("-", f"{channel.right:.2f}") if channel.is_watched else (f"{channel.right:.0%}", "-")),
                f"{channel.bits:.1f}", f"{channel.hands} of {channel.trials}",
                channel.refused or "-",
            )
            for channel in found
        ],
    )  # fmt: skip
    page.say("")
    page.say(f"bits a match: at least so many of {BITS} come through, by the lower end of a 95 % interval; chance is 0")
    page.say("AUC: how often a card that a watched rival holds looks likelier than one that it does not; chance is 0.5")
