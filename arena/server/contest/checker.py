"""`python -m arena.server.contest.checker`: the process that checks one submission, and keeps the bot if it may enter.

It reads one Check from stdin and says on stdout how far it is and how it ended. If the server is gone, it ends at once, and all
that it has started with it; whoever checks the same submission again gets the same outcome.
"""

import contextlib
import os
import shutil
import signal
import sys
import traceback
from pathlib import Path
from typing import NamedTuple

import msgspec

from arena import userfiles
from arena.agent import BotFiles, bot_name
from arena.agent.files import read_unparsed
from arena.agent.loading import NamedBot
from arena.agent.plain_files import BOT_BYTES
from arena.agent.submissions import Submissions
from arena.agent.zipped import is_zip, unzip
from arena.errors import ArenaError, BotError, one_line, printable, without_places
from arena.match import HostTrouble
from arena.match.holder import Holder
from arena.match.sandbox import LockError
from arena.records import DEFAULT_LIMITS, Clock, Limits
from arena.results.inbox import Inbox
from arena.server.contest.messages import Check, Checked, Checking
from arena.server.contest.parent_pipe import ParentPipe
from arena.server.contest.settings import read_contest
from arena.tournament.bot_check import examined, kept
from arena.tournament.check_report import CLOCK, BotCheck

UNPACKED = ".unpacked"
"""What the name of the folder ends in, beside what was sent, into which it is unpacked."""
_NICENESS = 10
_TROUBLE = (ArenaError, HostTrouble, LockError, OSError, MemoryError)
_CHECK, _NOTHING_MORE = msgspec.json.Decoder(Check), msgspec.json.Decoder()
_MARKS = 200  # characters of a traceback's last line


def main() -> int:
    """Check one submission; returns the exit code of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the server, which then ends the pipe
    os.nice(_NICENESS)
    pipe = ParentPipe("check")
    asked = pipe.first(_CHECK, "a Check")
    if asked is None:
        return 0
    pipe.listen(_NOTHING_MORE, lambda _: None, _end_all)
    pipe.send(checked(asked, pipe))
    return 0


def checked(asked: Check, pipe: ParentPipe) -> Checked:
    """Check what a message names, and store it if it may enter."""
    sent = Path(asked.file)
    unpacked = sent.with_name(sent.name + UNPACKED)
    try:
        results = Path(asked.results)
        terms = _terms(asked.contest, results)
        with Holder((), limits=terms.limits) as holder:
            if holder.not_locked:
                why = f"this machine cannot lock bots in, so it checks none: {holder.not_locked}"
                return Checked(report=None, trouble=f"{why}. `arena doctor` shows what is missing")
        report, files = examined(
            lambda: _found(asked.bot, sent, unpacked), asked.bot, chosen=terms.games, clock=terms.clock, limits=terms.limits,
            say=lambda text: pipe.send(Checking(text=text)), news=lambda text: pipe.send(Checking(text=text)),
            building=lambda text: pipe.send(Checking(text=text)),
        )  # fmt: skip
        return _entered(asked, report, files, results)
    except _TROUBLE as error:
        trouble = one_line(printable(_unplaced(str(error), asked) or type(error).__name__))
        return Checked(report=None, trouble=trouble, ran_out=isinstance(error, MemoryError))
    except Exception as error:
        traceback.print_exc()
        return Checked(report=None, trouble=one_line(printable(f"a bug of the arena: {type(error).__name__}: {error}", _MARKS)))
    finally:
        with contextlib.suppress(OSError):
            shutil.rmtree(unpacked)


def _entered(asked: Check, report: BotCheck, files: BotFiles | None, results: Path) -> Checked:
    """Store the bot if it may enter, and if whoever sent it still may send it."""
    if files is None or not report.may_enter:
        return Checked(report=report)
    submissions, stored = Submissions(results), list[tuple[int, bool]]()
    submissions.put(asked.bot, files)

    def store() -> int:
        found = kept(asked.bot, report, files, submissions, as_new=True)
        assert found is not None
        stored.append((found[0].version, found[1]))
        return found[0].version

    inbox = Inbox(results)
    try:
        if why := inbox.enter(asked.submission, store):
            return Checked(report=msgspec.structs.replace(report, refusals=(why, *report.refusals)))
    finally:
        inbox.close()
    version, is_new = stored[0]
    return Checked(report=report, version=version, is_new=is_new)


def _unplaced(text: str, asked: Check) -> str:
    """Return what the machine failed by, as the author may read it too: without the places where anything lies here."""
    return without_places(text.replace(f"{asked.results}/", ""))


def _found(name: str, sent: Path, unpacked: Path) -> NamedBot:
    """The bot that was sent. Raises BotError for what is none, in words that do not tell where it lies here."""
    if unpacked.exists():  # of a check that was cut short
        shutil.rmtree(unpacked)
    folder = unpacked / name
    folder.mkdir(parents=True)
    try:
        if not _is_zip(sent):
            main = unpacked / f"{name}.py"
            if sent.stat().st_size > BOT_BYTES:
                raise BotError(f"{name}: more than {BOT_BYTES >> 20} MiB")
            shutil.copyfile(sent, main)
            return NamedBot(name, read_unparsed(main))
        unzip(sent, folder)
        found = [path for path in folder.rglob("*") if path.is_file()]
        if not found:
            raise BotError(f"{name}: the zip holds no files of a bot")
        if len(found) == 1 and found[0].suffix == ".py" and found[0].name != "__init__.py":
            main = unpacked / f"{name}.py"  # a bot of one file, zipped
            found[0].rename(main)
            return NamedBot(name, read_unparsed(main))
        bot_name(folder)  # raises BotError for a bad bot.toml; the bot is called as it was submitted
        return NamedBot(name, read_unparsed(folder))
    except BotError as error:
        raise BotError(str(error).replace(f"{unpacked}/", "")) from None


def _is_zip(sent: Path) -> bool:
    with userfiles.opened(sent) as file:
        return is_zip(file.read(4))


class _Terms(NamedTuple):
    """What a bot is checked by: the terms of the contest, or the usual ones."""

    games: tuple[str, ...] = ()
    """The games that it is checked in; empty: all that it plays."""
    clock: Clock = CLOCK
    limits: Limits = DEFAULT_LIMITS


def _terms(contest: str | None, results: Path) -> _Terms:
    if contest is None:
        return _Terms()
    found = read_contest(Path(contest), results)
    return _Terms(tuple(dict.fromkeys(game.game for game in found.games)), found.base.clock, found.base.limits)


def _end_all() -> None:
    """End this process and all that it has started: they are one group."""
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
