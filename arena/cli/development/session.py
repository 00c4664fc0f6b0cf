"""The session of `arena dev`: from save to save the bot is checked and compared, until its author stops."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from arena.agent import BotFiles
from arena.agent.kept_versions import KeptVersions
from arena.agent.saves import Saved, Saves
from arena.cli.development.comparing import MOST_DEALS, Comparing, Side, compare, key_of
from arena.cli.development.faults import print_fault
from arena.cli.development.first_matches import Checker
from arena.cli.development.keys import Keys
from arena.cli.development.lines import Lines, live_parts, verdict_text
from arena.errors import ArenaError
from arena.match.builds import BuildFailed, built
from arena.match.sandbox import PROCESS
from arena.match.seeds import seed_of_part
from arena.reports.checks import print_build_log
from arena.stopping import heard_by
from arena.tournament.session import Progress

LOOK_SECONDS = 0.1  # between looks at the files while nothing is played
_SEED_BITS = 32  # of a seed that is printed
KEEP_KEYS = "\r\n"


class _SavedAgain(Exception):
    """Raised where the first matches are left for a newer version."""


class Version(NamedTuple):
    """A version that loads."""

    files: BotFiles
    games: Sequence[str]
    """The games that it plays, of those that were asked for."""
    is_locked: bool = True
    """Whether this machine has locked it in."""


class OtherBot(NamedTuple):
    """Another bot that the saved versions are compared with."""

    side: Side
    games: Sequence[str]
    """The games that it plays."""


@dataclass
class Session:
    """One bot while its author writes it."""

    bot: Path
    name: str
    """What the bot is called in matches."""
    checker: Checker
    kept: KeptVersions
    saves: Saves
    lines: Lines
    keys: Keys
    key: bytes
    """What the seeds of all deals are derived from: none is used twice."""
    wait: Callable[[float], object]
    """Waits for so many seconds."""
    against: OtherBot | None = None
    """What the bot is compared with, in the place of the version kept last."""
    _count: int = 0  # of the versions that were tried
    _newer: Saved | None = None
    _present: Version | None = None
    _last_kept: Version | None = None
    _stopped: bool = field(default=False)

    def run(self) -> None:
        """Go on until KeyboardInterrupt, or another signal that stops programs: then return, or raise it."""
        while not self._stopped:
            saved = self._take()
            if saved is None:
                self.wait(LOOK_SECONDS)
                self._hear_keys()
            elif saved.files is None:
                self._present = None
                self.lines.say(saved.trouble)
            else:
                self._try(saved.files)

    def _take(self) -> Saved | None:
        """What was saved since the last time; None: nothing."""
        saved, self._newer = self._newer or self.saves.look(), None
        return saved

    def _is_newer(self) -> bool:
        """Whether the bot was saved again. It is not forgotten."""
        self._newer = self._newer or self.saves.look()
        return self._newer is not None

    def _try(self, files: BotFiles) -> None:
        """Check a version, then compare it."""
        self._present = None
        try:
            built_files = self._built(files)
            version = None if built_files is None else self._checked(built_files)
            if version is None:
                return
            self._present = version
            if self._last_kept is None:
                self._keep(version, "kept as the first version")
            if self.against is not None or self._last_kept != version:
                self._compare(version)
        except _SavedAgain:
            pass
        except ArenaError as error:
            self.lines.say(str(error))
        finally:
            self.lines.clear()

    def _built(self, files: BotFiles) -> BotFiles | None:
        """The version as it plays; None: its build has failed."""

        def hear(text: str) -> None:
            self.lines.show([text])
            if self._is_newer():
                raise _SavedAgain

        try:
            return built(files, self.name, least=PROCESS, say=hear, every=LOOK_SECONDS).files
        except BuildFailed as failed:
            self.lines.clear()
            self.lines.say(str(failed))
            print_build_log(failed.report, self.lines.page())
            return None

    def _checked(self, files: BotFiles) -> Version | None:
        """The version, if it loads and made no fault in its first matches."""

        def tick() -> None:
            if self._is_newer():
                raise _SavedAgain

        self.lines.begin("checking")
        found = self.checker.play(files, self._seed(), tick)
        self.lines.clear()
        if found.refusal:
            self.lines.say(f"does not load: {found.refusal}")
            return None
        self.lines.say(found.text)
        if found.fault is not None:
            print_fault(found.fault, self.bot, self.kept.folder, self.lines.page())
            return None
        return Version(files, found.games, found.is_locked)

    def _compare(self, version: Version) -> None:
        """Compare a version with the other bot, or with the version kept last; one that is surely better is kept."""
        kept = self._last_kept
        assert kept is not None
        before = OtherBot(Side("kept" if self.name != "kept" else "kept-before", kept.files), kept.games)
        other = self.against or before
        called = "the kept version" if self.against is None else other.side.name
        games = [game for game in version.games if game in other.games]
        if not games:
            self.lines.say(f"{called} plays none of its games, so there is nothing to compare")
            return
        seed = self._seed()
        heard = _Heard(self, called, seed)
        self.lines.begin(f"against {called}")
        with heard_by(lambda number, frame: self._stop()):
            compare((Side(self.name, version.files), other.side), games, seed, heard, is_locked=version.is_locked)
        self.lines.clear()
        if heard.outcome is None or heard.evidence is None:
            return
        if heard.evidence.verdict == "open" and heard.evidence.deals < MOST_DEALS:  # a version fails again and again
            self.lines.say(heard.outcome)
            return
        text = f"{verdict_text(heard.evidence, called)} of seed {seed}"
        if self._last_kept == version:
            self.lines.say(text)
        elif heard.evidence.verdict == "better":
            self._keep(version, f"{text}; kept from now on")
        else:
            self.lines.say(f"{text}; Enter keeps it all the same")

    def _stop(self) -> None:
        self._stopped = True

    def why_to_stop(self) -> str | None:
        """Why a comparison is to end at once; None: it goes on."""
        self._hear_keys()
        if self._stopped:
            return "stopped"
        return "saved again" if self._is_newer() else None

    def _hear_keys(self) -> None:
        if not set(self.keys.pressed()) & set(KEEP_KEYS):
            return
        if self._present is None:
            self.lines.say("nothing to keep: the saved version does not load, or has faults")
        elif self._present == self._last_kept:
            self.lines.say("this version is kept already")
        else:
            self._keep(self._present, "kept: the next versions are compared with this one")

    def _keep(self, version: Version, text: str) -> None:
        self.kept.keep(version.files.source)
        self._last_kept = version
        self.lines.say(text)

    def _seed(self) -> int:
        self._count += 1
        return seed_of_part(self.key, "dev", self._count) >> (63 - _SEED_BITS)


class _Heard(Comparing):
    """A comparison as a session hears it."""

    def __init__(self, session: Session, other: str, seed: int) -> None:
        super().__init__(session.name, key_of(seed), session.why_to_stop)
        self._session, self._other = session, other
        self._is_fault_told = False

    def say(self, text: str) -> None:
        """Leave out what the last line says."""

    def show(self, progress: Progress | None) -> None:
        """Redraw the last line, and tell of the first fault."""
        session = self._session
        if self.fault is not None and not self._is_fault_told:
            self._is_fault_told = True
            session.lines.clear()
            session.lines.say("a fault; the comparison goes on")
            print_fault(self.fault, session.bot, session.kept.folder, session.lines.page())
        session.lines.show(live_parts(self.evidence, self._other, progress))
