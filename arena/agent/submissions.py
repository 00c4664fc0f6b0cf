"""Submitted bots: files by their content hash, versions by name. A version is never changed and never taken away.

    submissions/content/<sha256>/...          a bot's files
    submissions/versions/<name>/<number>.json  who submitted what, and when; numbers from 1

A version is written last and in one step, when its files are there. So a crash leaves files that nobody refers to, at worst,
and whoever reads while others submit sees a whole store.
"""

import contextlib
import datetime
import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from arena.agent import BotFiles
from arena.errors import StoreError, nearest
from arena.names import NAME, Name, Sha256, in_words

FOLDER = "submissions"
"""The folder of submissions within the results folder."""
PREFIX = "submitted:"
ALL = "all"
_REFERENCE = re.compile(rf"({NAME.pattern})(?:@([1-9][0-9]{{0,8}}))?")
_NEW = ".new-"


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

    @property
    def reference(self) -> str:
        """How configs name this version, such as `submitted:alice@2`."""
        return f"{PREFIX}{self.name}@{self.version}"


class Submissions:
    """The submitted bots in one results folder; their folder is made at the first submission."""

    def __init__(self, folder: Path) -> None:
        """`folder`: the results folder, such as `leaderboards`."""
        self.folder = folder / FOLDER

    def submit(self, name: str, bot: BotFiles, games: tuple[str, ...]) -> tuple[Submission, bool]:
        """Store a bot as the next version of `name`; returns the version and True.

        If a version with the same files exists, it is returned with False.

        Raises StoreError.
        """
        if bot.main.endswith(".py") and len(bot.files) == 1:  # what a single file was called at home is no part of the bot
            bot = BotFiles(f"{name}.py", {f"{name}.py": bot.files[bot.main]})
        try:
            with self._locked():
                known = self.versions(name)
                for version in known:
                    if version.sha256 == bot.sha256:
                        self._store(version, bot)
                        return version, False
                now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
                submission = Submission(
                    name=name, version=known[-1].version + 1 if known else 1, sha256=bot.sha256, main=bot.main, games=games,
                    bytes=sum(map(len, bot.files.values())), submitted=now,
                )  # fmt: skip
                self._store(submission, bot)
                self._write_version(submission)
                return submission, True
        except OSError as error:
            raise StoreError(f"{self.folder}: cannot be written: {error.strerror}") from None

    def names(self) -> list[str]:
        """The names of all submitted bots, sorted."""
        return sorted(path.name for path in (self.folder / "versions").glob("*") if self.versions(path.name))

    def versions(self, name: str) -> list[Submission]:
        """The versions of a bot, oldest first. Raises StoreError for a damaged version."""
        files = [path for path in (self.folder / "versions" / name).glob("*.json") if path.stem.isdigit()]
        return [_read_version(path) for path in sorted(files, key=lambda path: int(path.stem))]

    def find(self, reference: str) -> list[Submission]:
        """The versions that `submitted:NAME` (the newest), `submitted:NAME@2` or `submitted:all` (the newest of all) names.

        Raises StoreError that lists what there is.
        """
        text = reference.removeprefix(PREFIX)
        known = self.names()
        if not known:
            raise StoreError(f"{reference}: nothing is submitted yet in {self.folder}; do it with: arena submit BOT")
        if text == ALL:
            return [self.versions(name)[-1] for name in known]
        found = _REFERENCE.fullmatch(text)
        if not found:
            raise StoreError(f"{reference}: {PREFIX}NAME, {PREFIX}NAME@2 or {PREFIX}{ALL} is needed")
        name, number = found.groups()
        if name not in known:
            raise StoreError(f"{reference}: no bot of this name is submitted in {self.folder}; {nearest(name, known)}")
        versions = self.versions(name)
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
            paths = sorted(path for path in folder.rglob("*") if path.is_file())
            bot = BotFiles(submission.main, {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})
        except OSError as error:
            raise StoreError(f"{folder}: cannot be read: {error.strerror}") from None
        if bot.sha256 != submission.sha256 or bot.main not in bot.files:
            raise StoreError(f"{folder}: damaged: these are not the files that were submitted as {submission.reference}")
        return bot

    def of_content(self, sha256: str) -> BotFiles | None:
        """The submitted files with this content hash, whatever the bot's name; None: nobody submitted them."""
        for name in self.names():
            for version in self.versions(name):
                if version.sha256 == sha256:
                    return self.files(version)
        return None

    def _content(self, sha256: str) -> Path:
        return self.folder / "content" / sha256

    def _store(self, submission: Submission, bot: BotFiles) -> None:
        """Write the files, unless they are there; damaged files are written again."""
        target = self._content(bot.sha256)
        target.parent.mkdir(exist_ok=True)
        for left_over in target.parent.glob(f"{_NEW}*"):  # of somebody who crashed: the lock is ours
            shutil.rmtree(left_over)
        if target.exists():
            with contextlib.suppress(StoreError):
                self.files(submission)
                return
        fresh = Path(tempfile.mkdtemp(dir=target.parent, prefix=_NEW))
        for name, content in bot.files.items():
            path = fresh / name
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_synced(path, content)
        fresh.chmod(0o755)
        if target.exists():
            shutil.rmtree(target)
        fresh.rename(target)

    def _write_version(self, submission: Submission) -> None:
        path = self.folder / "versions" / submission.name / f"{submission.version}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".new")
        _write_synced(fresh, msgspec.json.format(msgspec.json.encode(submission), indent=2) + b"\n")
        fresh.rename(path)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the store's lock: one process submits at a time, the others wait."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with (self.folder / "lock").open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _read_version(path: Path) -> Submission:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Submission)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise StoreError(f"{path}: damaged or not ours: {in_words(error)}") from None
    if (found.name, str(found.version)) != (path.parent.name, path.stem):
        raise StoreError(f"{path}: damaged: this is {found.reference}")
    return found


def _write_synced(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
