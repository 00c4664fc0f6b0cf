"""manifest.json: what a tournament was, for people and programs that read its folder."""

import os
from pathlib import Path
from typing import Any

import msgspec

from arena.errors import StoreError
from arena.store.schema import FORMAT_VERSION

MANIFEST_FILE = "manifest.json"


class BotEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A bot of the field."""

    name: str
    version: int
    sha256: str
    params: str
    """Canonical JSON."""
    games: tuple[str, ...]
    trusted: bool
    retired: bool = False


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """The content of manifest.json."""

    format_version: int = FORMAT_VERSION
    name: str
    finished: bool
    started: str
    """UTC, ISO 8601."""
    config: dict[str, Any]
    """All resolved settings."""
    packages: dict[str, str]
    rules_versions: dict[str, int]
    bots: tuple[BotEntry, ...]
    pools: tuple[str, ...]
    """In config order."""
    plan_sha256: str
    commitment: str
    """SHA-256 of the key."""
    key: str | None = None
    """Hex, published when the tournament is over."""
    matches: int
    """Planned."""
    played: int = 0
    void: int = 0
    unrated: int = 0
    """Matches with measured latency that the config does not want rated."""
    endings: dict[str, int] = {}
    """Seats by how their match ended."""
    rotations_saved: dict[str, float] = {}
    """By pool with shared deals: a match tells as much as this many independent ones."""
    outcome: str | None = None
    """How a comparison or a ladder ended, in words."""
    tournaments: tuple[str, ...] = ()
    """Of the hall: the folders of those whose rows its ratings are of, in order."""
    results_sha256: str | None = None
    reproducible_sha256: str | None = None

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The games of the resolved config, as far as it names them."""
        entries = self.config.get("entries", [])
        return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest in one step: a reader sees the old one or the new one."""
    temporary = folder / (MANIFEST_FILE + ".new")
    try:
        with temporary.open("wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(manifest), indent=2) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(folder / MANIFEST_FILE)
    except OSError as error:
        raise StoreError(f"{folder / MANIFEST_FILE}: cannot be written: {error.strerror}") from None


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a tournament's folder; raises StoreError that names the file."""
    path = folder / MANIFEST_FILE
    try:
        data = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        manifest = msgspec.json.decode(data, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise StoreError(f"{path}: damaged or not ours: {error}") from None
    if manifest.format_version != FORMAT_VERSION:
        raise StoreError(f"{path}: format version {manifest.format_version}; this version reads {FORMAT_VERSION}")
    return manifest
