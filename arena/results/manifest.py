"""manifest.json: what a tournament was, for people and programs that read its folder."""

from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec

from arena import userfiles
from arena.disk import WRITTEN_AGAIN, is_there, write_whole
from arena.errors import StoreError
from arena.names import FolderName, HexBytes, Name, OptionalSha256, Sha256, in_words
from arena.records import Clock, Ending, Limits, LuckWorth
from arena.results import json_text
from arena.results.schema import FORMAT_VERSION

MANIFEST_FILE = "manifest.json"
MANIFEST_BYTES = 32 << 20
MANIFEST_PARTS = 1_500_000
"""Lists and objects: a table of a ladder has two."""
MOST_POOLS = 10_000
"""Each has a leaderboard of its own."""
PUBLISHED_FILE = "published.json"
"""The manifest of a ladder that never stops, as its files were written last: they stay as it says while the ladder goes on."""

S = TypeVar("S")


_KINDS: dict[str, tuple[type, ...]] = {
    "game": (str,), "pool": (str,), "options": (dict,), "seats": (int, str), "deals": (int, str),
}  # fmt: skip


class BotEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that takes part in a tournament."""

    name: str
    version: int
    sha256: Sha256
    params: str
    """The bot's parameters, as canonical JSON."""
    games: tuple[str, ...]
    trusted: bool
    retired: bool = False
    void: int = 0
    """How many of its matches are void."""
    repeated: int = 0
    """How many of its matches were played again with the same seeds, and can be compared."""
    deviated: int = 0
    """How many of these it played otherwise the second time: it uses a clock, entropy, or a memory of earlier matches."""
    asks_outside: bool = False
    """Whether it asks something outside itself, such as a network: its matches cannot be repeated."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A bot of the config that plays no match."""

    name: Name
    version: int = 1
    sha256: Sha256
    reason: str
    """Why it cannot play, in words."""


class OrderShifts(msgspec.Struct, frozen=True):
    """The ranks by online TrueSkill when the same matches come in other orders."""

    orders: int
    """The number of random orders."""
    ranks: dict[str, int]
    """How far a rank moved at most from that in plan order, by pool; pools that are too large to shuffle are left out."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The content of manifest.json."""

    format_version: int = FORMAT_VERSION
    name: FolderName
    finished: bool
    started: str
    """When the tournament started: UTC, ISO 8601."""
    config: dict[str, Any]
    """The config with every setting resolved."""
    packages: dict[str, str]
    rules_versions: dict[str, int]
    bots: tuple[BotEntry, ...]
    left_out: tuple[LeftOut, ...] = ()
    """The bots of the config that could not be loaded when the run began."""
    pools: Annotated[tuple[str, ...], msgspec.Meta(max_length=MOST_POOLS)]
    """The rating pools, in the order of the config."""
    plan_sha256: OptionalSha256
    commitment: OptionalSha256
    """SHA-256 of the key of the deals; hex."""
    key: HexBytes | None = None
    """The key of the deals, hex; published when the tournament is over."""
    matches: int
    """The number of planned matches."""
    played: int = 0
    void: int = 0
    unrated: int = 0
    """How many matches measured latency and are not rated, because the config does not want it."""
    endings: dict[Ending, int] = {}
    """How many seats ended in each way, by ending."""
    rotations_saved: dict[str, float] = {}
    """How many independent matches one match is worth, by pool; only pools with shared deals are listed."""
    order_shifts: OrderShifts | None = None
    """How far ranks by online TrueSkill depend on the order of the matches; None: that was not measured."""
    outcome: str | None = None
    """How a comparison or a ladder ended, in words."""
    tournaments: tuple[FolderName, ...] = ()
    """Folders of the tournaments that the ratings cover, in order; only the manifest of the archive has any."""
    luck: dict[str, Sha256] = {}
    """The hash of the estimate by which luck.parquet was worked out, by game; empty if it was not."""
    luck_worth: dict[str, LuckWorth] | None = None
    """What the ratings gain because luck is taken out of them, by pool of enough deals to tell; None: they go with it."""
    results_sha256: Sha256 | None = None
    reproducible_sha256: Sha256 | None = None

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The games of the resolved config, without keys whose values are of another type; empty if the config names none."""
        entries = self.config.get("entries", [])
        known = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
        return [{key: value for key, value in entry.items() if isinstance(value, _KINDS.get(key, object))} for entry in known]

    @property
    def unrated_bots(self) -> set[str]:
        """The names of bots whose matches the config leaves unrated, because they acted otherwise in a match played again."""
        ratings = self.config.get("ratings")
        if not isinstance(ratings, dict) or not ratings.get("repeatable"):
            return set()
        return {bot.name for bot in self.bots if bot.deviated}


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest in one step: a reader sees the old one or the new one."""
    _write(folder / MANIFEST_FILE, manifest)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a tournament's folder; raises StoreError that names the file."""
    return _read(folder / MANIFEST_FILE)


def publish(folder: Path, manifest: Manifest) -> None:
    """Keep the manifest of what has just been written for the time in which the ladder goes on."""
    _write(folder / PUBLISHED_FILE, manifest)


def unpublish(folder: Path) -> None:
    """Take that away before anything is written anew. Raises StoreError."""
    try:
        (folder / PUBLISHED_FILE).unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(f"{folder / PUBLISHED_FILE}: cannot be removed: {error.strerror}") from None


def read_published(folder: Path) -> Manifest:
    """The manifest that the files of a folder agree with: of a ladder that goes on, what it published last.

    Raises StoreError.
    """
    manifest = read_manifest(folder)
    return manifest if manifest.finished or not is_there(folder / PUBLISHED_FILE) else _read(folder / PUBLISHED_FILE)


def published_matches(folder: Path) -> int:
    """Return how many matches a ladder that never stops has published; 0: none yet, or that is not known."""
    try:
        return _read(folder / PUBLISHED_FILE).played
    except StoreError:
        return 0


def _write(path: Path, manifest: Manifest) -> None:
    write_whole(path, msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")


def _read(path: Path) -> Manifest:
    try:
        data = userfiles.content(path, MANIFEST_BYTES)
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        manifest = json_text.decode(data, Manifest, MANIFEST_PARTS)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise StoreError(f"{path}: damaged or not ours: {in_words(error)}; {WRITTEN_AGAIN}") from None
    if manifest.format_version != FORMAT_VERSION:
        raise StoreError(f"{path}: format version {manifest.format_version}; this version reads {FORMAT_VERSION}")
    return manifest


def stored_clock(manifest: Manifest, folder: Path) -> Clock:
    """The clock that a tournament was played with. Raises StoreError."""
    return _setting(manifest.config.get("clock"), Clock, folder)


def stored_limits(manifest: Manifest, folder: Path) -> Limits:
    """Return what each locked bot of a tournament might use. Raises StoreError."""
    return _setting(manifest.config, Limits, folder)


def _setting(found: object, kind: type[S], folder: Path) -> S:
    try:
        return msgspec.convert(found, kind)
    except msgspec.ValidationError as error:
        raise StoreError(f"{folder / MANIFEST_FILE}: damaged: config: {kind.__name__.lower()}: {in_words(error)}") from None
