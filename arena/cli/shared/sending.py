"""`arena submit --to URL`: send a bot to a hall, and follow it until it is accepted or refused."""

import time
from collections.abc import Callable
from urllib.parse import quote

import msgspec

from arena.agent import BotFiles
from arena.agent.zipped import zipped
from arena.cli.shared.printing import error_console, note, plain_text
from arena.cli.shared.remote_hall import RemoteHall, Unreachable
from arena.errors import ArenaError, ConfigError
from arena.tournament.check_report import BotCheck

SOON, LATER = 0.5, 2.0
"""Seconds between two questions, in the first half minute and then."""
_QUICK = 60  # questions
_PATIENCE = 120.0  # seconds for which the hall may be away


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """What a hall says of a submission; the page `/submissions/ID` shows the same."""

    id: str
    state: str
    is_pending: bool
    place: int | None = None
    seconds: int | None = None
    checking: str = ""
    version: int | None = None
    is_new: bool | None = None
    reference: str | None = None
    sha256: str | None = None
    reasons: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a submission has ended."""

    submission: Followed
    report: BotCheck | None = None


class _Allowance(msgspec.Struct, frozen=True, kw_only=True):
    bytes: int
    seconds: int


class _Me(msgspec.Struct, frozen=True, kw_only=True):
    allowance: _Allowance


def sent(hall: RemoteHall, name: str, bot: BotFiles) -> Outcome:
    """Send a bot to a hall, and wait until its check has ended. Raises ConfigError, and ArenaError if a machine failed."""
    content = _packed(bot)
    allowance = hall.get("/me", _Me).allowance
    if len(content) > allowance.bytes:
        size, most = len(content) / 1e6, allowance.bytes / 1e6
        raise ConfigError(f"{hall.url}: {size:,.1f} MB to send; a submission may have {most:,.0f} MB there")
    first = hall.put(f"/bots/{quote(name)}", content, Followed)
    look = f"{hall.url}/submissions/{first.id}"
    try:
        with error_console().status("received") as status:
            found = _ended(hall, first, lambda text: status.update(plain_text(text)))
    except KeyboardInterrupt:
        note(f"it is received, and goes on without you: {look}")
        raise
    if found.submission.state == "void":
        why = "; ".join(found.submission.reasons)
        raise ArenaError(f"{look}: the hall's machine failed, not the bot, so it is not counted: {why}; send it again")
    return found


def _packed(bot: BotFiles) -> bytes:
    """What is sent of a bot: one file as it is, a folder as a zip."""
    (content, *others) = bot.files.values()
    return content if not others and bot.command is None else zipped(bot)


def _ended(hall: RemoteHall, first: Followed, say: Callable[[str], None]) -> Outcome:
    """Ask until the check has ended."""
    asked, away_since = 0, None
    path = f"/submissions/{first.id}"
    while True:
        try:
            found = hall.get(path, Outcome)
        except Unreachable as error:
            away_since = away_since or time.monotonic()
            if time.monotonic() - away_since > _PATIENCE:
                raise ArenaError(f"{error}. The bot was received: look at {hall.url}{path}") from None
            say("the hall does not answer; what it has received is not lost")
        else:
            away_since = None
            if not found.submission.is_pending:
                return found
            say(_in_words(found.submission))
        asked += 1
        time.sleep(SOON if asked < _QUICK else LATER)


def _in_words(found: Followed) -> str:
    about = "" if found.seconds is None else f", done in about {found.seconds} s"
    if found.place:
        return f"waiting: place {found.place} in the queue{about}"
    return f"checking{about}{': ' if found.checking else ''}{found.checking}"
