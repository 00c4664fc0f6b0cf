"""What a run that has begun holds on to: the bots that it began with, whatever was submitted or broken since.

A ladder takes new bots and versions in at its next stage, so nothing binds it.
"""

from pathlib import Path

import msgspec

from arena.agent.submissions import PREFIX, Submissions
from arena.errors import StoreError
from arena.names import Name
from arena.results.journal import JOURNAL_FILE, Journal
from arena.results.manifest import LeftOut
from arena.tournament.config import Bot, Tournament
from arena.tournament.formats.plan import Contestant

_LEFT_OUT = "left_out"


class _StoredPlan(msgspec.Struct, frozen=True):
    contestants: tuple["_Stored", ...] = ()


class _Stored(Contestant, frozen=True, kw_only=True, dict=True):
    name: Name


class Begun(msgspec.Struct, frozen=True):
    """The field with which a run began."""

    contestants: tuple[Contestant, ...]
    """The contestants; none if nothing binds this run."""
    left_out: tuple[LeftOut, ...]


NOT_BEGUN = Begun((), ())


def begun_in(folder: Path) -> Begun:
    """The field with which the run in a folder began. What is damaged binds nothing: it is refused later, in words."""
    if not (folder / JOURNAL_FILE).exists():
        return NOT_BEGUN
    try:
        with Journal(folder, is_read_only=True) as journal:
            stored, left_out = journal.meta("plan"), journal.meta(_LEFT_OUT)
            if stored is None or next(journal.indices(), None) is None:  # what was never begun binds nobody
                return NOT_BEGUN
        return Begun(
            msgspec.json.decode(stored, type=_StoredPlan).contestants,
            msgspec.json.decode(left_out or b"[]", type=tuple[LeftOut, ...]),
        )
    except (StoreError, msgspec.DecodeError, UnicodeError, RecursionError):
        return NOT_BEGUN


def keep_left_out(journal: Journal, left_out: tuple[LeftOut, ...]) -> None:
    """Store which bots were left out, and why."""
    journal.set_meta({_LEFT_OUT: msgspec.json.encode(left_out)})


def as_it_began(tournament: Tournament, begun: Begun, submissions: Submissions) -> tuple[Tournament, list[str]]:
    """The tournament with the bots that its run began with, and in words what is therefore not played.

    Bots that were not submitted stay as the config has them: if they have changed, the plan says so.
    """
    if not begun.contestants:
        return tournament, []
    order = {(one.name, one.version): place for place, one in enumerate(begun.contestants)}
    out = {(one.name, one.version, one.sha256): one.reason for one in begun.left_out}
    bots: list[Bot] = []
    news: list[str] = []
    for bot in tournament.bots:
        reason = out.get((bot.name, bot.version, bot.files.sha256))
        if reason is not None:
            news.append(f"{bot.name} is left out of this run: {reason}")
        elif (bot.name, bot.version) in order or not str(bot.path).startswith(PREFIX):
            bots.append(bot)
        else:
            news.append(
                f"{bot.name}: version {bot.version} joins the next run (--fresh or another --name); this one began without"
            )
    kept = {(bot.name, bot.version) for bot in bots}
    missing = [one for one in begun.contestants if (one.name, one.version) not in kept]
    bots += [back for one in missing if (back := _submitted_as(one, submissions)) is not None]
    bots.sort(key=lambda bot: order.get((bot.name, bot.version), len(order)))
    return msgspec.structs.replace(tournament, bots=tuple(bots)), news


def _submitted_as(one: Contestant, submissions: Submissions) -> Bot | None:
    """The bot that a contestant was when the run began, from what is submitted, whatever the config called it."""
    for name in submissions.names():
        for version in submissions.versions(name):
            if (version.version, version.sha256) == (one.version, one.sha256):
                files = submissions.files(version)
                return Bot(one.name, Path(version.reference), files, one.params, one.trusted, one.games, one.version)
    return None
