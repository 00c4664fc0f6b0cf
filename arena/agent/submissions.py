"""Submitted bots: files by their content hash, versions by name. A version is never changed and never taken away.

    submissions/content/<sha256>/...          a bot's files
    submissions/versions/<name>/<number>.json  who submitted what, and when; numbers from 1
    submissions/versions/<name>/<number>.build.log what its build printed, of a bot that came as source
    submissions/versions/<name>/withdrawn.json which versions play no more new tournaments, and why

A version is written last and in one step, when its files are there. So a crash leaves files that nobody refers to, at worst,
and whoever reads while others submit sees a whole store.
"""

import contextlib
import datetime
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from arena import disk, userfiles
from arena.agent import BotFiles
from arena.errors import StoreError, nearest
from arena.names import NAME, Name, Sha256, in_words
from arena.results_folder import protect

FOLDER = "submissions"
"""The folder of submissions within the results folder."""
PREFIX = "submitted:"
ALL = "all"
_REFERENCE = re.compile(rf"({NAME.pattern})(?:@([1-9][0-9]{{0,8}}))?")
_NEW = ".new-"
K = TypeVar("K", "Submission", "Withdrawal")


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """One version of a submitted bot."""

    name: Name
    version: Annotated[int, msgspec.Meta(ge=1, le=999_999_999)]
    """The number of the version, from 1."""
    sha256: Sha256
    main: str
    """The bot's main file: see BotFiles."""
    games: tuple[str, ...]
    """The games that the bot declares; empty: all."""
    bytes: int
    submitted: str
    """When the bot was submitted: UTC, ISO 8601."""
    source: Sha256 | None = None
    """The SHA-256 of the source that it was built from; None: nothing was built."""

    @property
    def reference(self) -> str:
        """How configs name this version, such as `submitted:alice@2`."""
        return f"{PREFIX}{self.name}@{self.version}"


class Withdrawal(msgspec.Struct, frozen=True, kw_only=True):
    """What takes a bot out of new tournaments, until a newer version is submitted. Its results and versions stay."""

    name: Name
    version: Annotated[int, msgspec.Meta(ge=1, le=999_999_999)]
    """The newest version when the bot was withdrawn."""
    withdrawn: str
    """When it was withdrawn: UTC, ISO 8601."""
    renamed: Name | None = None
    """The name that the bot has since then."""

    def __str__(self) -> str:
        day = self.withdrawn[:10]
        return f"withdrawn on {day}" if self.renamed is None else f"called {self.renamed} since {day}"


class Submissions:
    """The submitted bots in one results folder; their folder is made at the first submission."""

    def __init__(self, folder: Path) -> None:
        """`folder`: the results folder, such as `leaderboards`."""
        self.folder = folder / FOLDER

    def submit(
        self, name: str, bot: BotFiles, games: tuple[str, ...], *, as_new: bool = False, log: str | None = None
    ) -> tuple[Submission, bool]:
        """Store a bot as the next version of `name`; returns the version and True.

        If a version with the same files exists, it is returned with False. With `as_new`, or if the bot is withdrawn, that is
        so only for the newest version of a bot that is not: an older one becomes a new version. `log`: what its build
        printed; None: nothing was built.

        Raises StoreError.
        """
        bot = _named_like(name, bot)
        try:
            with self._locked():
                known = self.versions(name)
                same = [] if self.withdrawal(name) else known[-1:] if as_new else known
                for version in same:
                    if version.sha256 == bot.sha256:
                        self._store(bot)
                        return version, False
                return self._add(name, bot, games, log), True
        except OSError as error:
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}") from None

    def put(self, name: str, bot: BotFiles) -> None:
        """Store the files of a bot that is about to be submitted, which takes no time then. Raises StoreError."""
        try:
            with self._locked():
                self._store(_named_like(name, bot))
        except OSError as error:
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}") from None

    def withdraw(self, name: str) -> Withdrawal:
        """Take a bot out of new tournaments. Raises StoreError."""
        try:
            with self._locked():
                self._require(name)
                return self._withdraw(name)
        except OSError as error:
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}") from None

    def rename(self, name: str, new: str) -> Submission:
        """Submit the newest version of a bot under a name that is free, and withdraw the bot under the old one.

        Raises StoreError.
        """
        try:
            with self._locked():
                newest = self._require(name)
                if self.versions(new):
                    raise StoreError(f"{new}: a bot of this name is submitted already")
                renamed = self._add(new, self.files(newest), newest.games)
                self._withdraw(name, new)
                return renamed
        except OSError as error:
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}") from None

    def withdrawal(self, name: str) -> Withdrawal | None:
        """Why a bot plays no new tournaments; None if it does. Raises StoreError for a damaged file."""
        path = self._withdrawal_file(name)
        if not disk.is_there(path):
            return None
        found = _read(path, Withdrawal)
        known = self.versions(name)
        return None if known and known[-1].version > found.version else found

    def names(self) -> list[str]:
        """The names of all submitted bots, sorted."""
        return sorted(path.name for path in (self.folder / "versions").glob("*") if self.versions(path.name))

    def versions(self, name: str) -> list[Submission]:
        """The versions of a bot, oldest first. Raises StoreError for a damaged version."""
        found = [path for path in (self.folder / "versions" / name).glob("*.json") if path.stem.isdigit()]
        files = [path for path in found if disk.is_there(path)]  # else it was never submitted
        return [_read_version(path) for path in sorted(files, key=lambda path: int(path.stem))]

    def entered(self) -> list[str]:
        """The names of the bots that are not withdrawn, sorted."""
        return [name for name in self.names() if self.withdrawal(name) is None]

    def find(self, reference: str) -> list[Submission]:
        """The versions that `submitted:NAME` (the newest), `submitted:NAME@2` or `submitted:all` (the newest of all) names.

        Raises StoreError that lists what there is.
        """
        text = reference.removeprefix(PREFIX)
        known = self.names()
        if not known:
            raise StoreError(f"{reference}: nothing is submitted yet in {self.folder}; do it with: arena submit BOT")
        if text == ALL:
            return [self.versions(name)[-1] for name in self.entered()]
        found = _REFERENCE.fullmatch(text)
        if not found:
            raise StoreError(f"{reference}: {PREFIX}NAME, {PREFIX}NAME@2 or {PREFIX}{ALL} is needed")
        name, number = found.groups()
        if name not in known:
            raise StoreError(f"{reference}: no bot of this name is submitted in {self.folder}; {nearest(name, known)}")
        versions = self.versions(name)
        if number is None and (withdrawal := self.withdrawal(name)) is not None:
            named = f"{PREFIX}{withdrawal.renamed} names" if withdrawal.renamed else f"{versions[-1].reference} still names"
            raise StoreError(f"{reference}: {name} is {withdrawal}; {named} it")
        if number is None:
            return versions[-1:]
        chosen = [version for version in versions if version.version == int(number)]
        if not chosen:
            raise StoreError(f"{reference}: {name} has the versions {', '.join(str(known.version) for known in versions)}")
        return chosen

    def files(self, submission: Submission) -> BotFiles:
        """The files of a version. Raises StoreError if they are no longer what was submitted."""
        folder = self._content(submission.sha256)
        try:
            bot = _files_in(folder, submission.main)
        except OSError as error:
            raise StoreError(f"{folder}: cannot be read: {error.strerror}") from None
        if bot.sha256 != submission.sha256 or bot.main not in bot.files:
            raise StoreError(f"{folder}: damaged: these are not the files that were submitted as {submission.reference}")
        return bot

    def paths(self, submission: Submission) -> dict[str, Path]:
        """The places of the files of a version, by their paths in the bot's folder. Raises OSError."""
        return _paths_in(self._content(submission.sha256))

    def of_content(self, sha256: str) -> BotFiles | None:
        """The submitted files with this content hash, whatever the bot's name; None: nobody submitted them."""
        for name in self.names():
            for version in self.versions(name):
                if version.sha256 == sha256:
                    return self.files(version)
        return None

    def _require(self, name: str) -> Submission:
        """The newest version of a bot that is not withdrawn."""
        return self.find(f"{PREFIX}{name}")[-1]

    def _add(self, name: str, bot: BotFiles, games: tuple[str, ...], log: str | None = None) -> Submission:
        """Store files as the next version; the lock is held."""
        bot = _named_like(name, bot)
        known = self.versions(name)
        submission = Submission(
            name=name, version=known[-1].version + 1 if known else 1, sha256=bot.sha256, main=bot.main, games=games,
            bytes=sum(map(len, bot.files.values())), submitted=_now(), source=None if bot.source is bot else bot.source.sha256,
        )  # fmt: skip
        self._store(bot)
        place = self.folder / "versions" / name
        if log is not None:
            self._write(place / f"{submission.version}.build.log", log.encode())
        self._write(place / f"{submission.version}.json", submission)
        return submission

    def _withdraw(self, name: str, renamed: str | None = None) -> Withdrawal:
        """Note that a bot is withdrawn; the lock is held."""
        newest = self.versions(name)[-1]
        withdrawal = Withdrawal(name=name, version=newest.version, withdrawn=_now(), renamed=renamed)
        self._write(self._withdrawal_file(name), withdrawal)
        return withdrawal

    def _withdrawal_file(self, name: str) -> Path:
        return self.folder / "versions" / name / "withdrawn.json"

    def _content(self, sha256: str) -> Path:
        return self.folder / "content" / sha256

    def _store(self, bot: BotFiles) -> None:
        """Write the files, unless they are there; damaged files are written again."""
        target = self._content(bot.sha256)
        target.parent.mkdir(exist_ok=True)
        protect(target.parent)
        for left_over in target.parent.glob(f"{_NEW}*"):  # of somebody who crashed: the lock is ours
            shutil.rmtree(left_over)
        if target.exists():
            with contextlib.suppress(OSError):
                if _files_in(target, bot.main).sha256 == bot.sha256:
                    return
        fresh = Path(tempfile.mkdtemp(dir=target.parent, prefix=_NEW))
        for name, content in bot.files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            disk.write_whole(path, content)
        protect(fresh, *sorted(fresh.rglob("*")))
        if target.exists():
            shutil.rmtree(target)
        fresh.rename(target)
        disk.sync(target.parent)

    def _write(self, path: Path, content: Submission | Withdrawal | bytes) -> None:
        """Write a small file in one step."""
        if not isinstance(content, bytes):
            content = msgspec.json.format(msgspec.json.encode(content), indent=2) + b"\n"
        path.parent.mkdir(parents=True, exist_ok=True)
        protect(path.parent.parent, path.parent)
        disk.write_whole(path, content)
        protect(path)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the store's lock: one process submits at a time, the others wait."""
        self.folder.mkdir(parents=True, exist_ok=True)
        protect(self.folder)
        path = self.folder / "lock"
        with disk.lock_file(path) as file:
            protect(path)
            disk.lock(file, path, waits=True)
            yield


def _named_like(name: str, bot: BotFiles) -> BotFiles:
    """A bot of a single file with that file called as the bot: what it was called at home is no part of the bot."""
    if bot.main.endswith(".py") and len(bot.files) == 1:
        return BotFiles(f"{name}.py", {f"{name}.py": bot.files[bot.main]})
    return bot


def _files_in(folder: Path, main: str) -> BotFiles:
    """The files of a folder of the store. Raises OSError."""
    return BotFiles(main, {name: path.read_bytes() for name, path in _paths_in(folder).items()})


def _paths_in(folder: Path) -> dict[str, Path]:
    return {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if path.is_file()}


def _now() -> str:
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _read_version(path: Path) -> Submission:
    found = _read(path, Submission)
    if (found.name, str(found.version)) != (path.parent.name, path.stem):
        raise StoreError(f"{path}: damaged: this is {found.reference}")
    return found


def _read(path: Path, kind: type[K]) -> K:
    try:
        return msgspec.json.decode(userfiles.content(path), type=kind)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise StoreError(f"{path}: damaged or not ours: {in_words(error)}") from None
