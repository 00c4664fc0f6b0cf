"""A dataset is written from finished tournaments, whole or not at all: the same results give the same bytes."""

import importlib.metadata
import shutil
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import msgspec

from arena import games
from arena.disk import set_mode, sync, write_whole
from arena.errors import ConfigError, StoreError
from arena.learning.dataset.card import CARD_FILE, card
from arena.learning.dataset.choice import Choice
from arena.learning.dataset.decisions import action_count, decisions_table, exported, numbering
from arena.learning.dataset.index import INDEX_FILE, ColumnText, GameData, Index, LeftOut, Source
from arena.learning.dataset.shards import DECISIONS, Shards
from arena.records import MatchRecord
from arena.results import parquet
from arena.results.hashing import ResultsHash
from arena.results.manifest import MANIFEST_FILE, Manifest, read_published
from arena.results.schema import SeatTotals
from arena.tournament.formats.plan import Plan, read_plan
from arena.tournament.workers.each_match import each_match

_PACKAGES = ("arena-hall", "numpy", "pyarrow")
_HOUR = 3600.0


@dataclass
class Progress:
    """How far an export is."""

    total: int
    """How many decisions the dataset will have."""
    matches: int = 0
    """How many matches are in it."""
    decisions: int = 0
    """How many decisions are in it."""
    began: float = field(default_factory=time.monotonic)

    @property
    def rate(self) -> float:
        """Decisions written per second."""
        return self.decisions / max(1e-9, time.monotonic() - self.began)

    @property
    def seconds_left(self) -> float:
        """About how long it will take still."""
        return max(0, self.total - self.decisions) / self.rate if self.decisions else 0.0


@dataclass(frozen=True)
class Tournament:
    """A finished tournament whose matches are exported."""

    folder: Path
    manifest: Manifest
    plan: Plan
    totals: Sequence[SeatTotals]


def read_tournaments(folders: Iterable[Path], choice: Choice) -> list[Tournament]:
    """The tournaments in these folders, each once. Raises StoreError, ConfigError for filters that leave nothing of them."""
    found = [_read(folder) for folder in dict.fromkeys(folders)]
    choice.check(one.plan for one in found)
    for one in found:
        for name in choice.games(one.plan):
            version = one.manifest.rules_versions.get(name)
            if games.load(name).version != version:
                raise StoreError(
                    f"{one.folder}: {name} was played by version {version} of its rules, here is version "
                    f"{games.load(name).version}; export it with the arena that wrote it "
                    f"({one.manifest.packages.get('arena-hall', 'unknown version')})"
                )
    return found


def decisions_in(tournaments: Iterable[Tournament], choice: Choice) -> int:
    """How many decisions a dataset of these tournaments has."""
    return sum(choice.decisions(one.plan, one.totals) for one in tournaments)


def write_dataset(
    tournaments: Sequence[Tournament],
    target: Path,
    choice: Choice,
    *,
    command: str,
    workers: int,
    on_progress: Callable[[Progress], None] = lambda _: None,
) -> Index:
    """Write the chosen decisions of finished tournaments into a new folder; the games' encodings must be compiled.

    `command`: what makes the same dataset again. Whatever stops it leaves no folder. Raises ConfigError for a folder that has
    something in it, StoreError for damaged results.
    """
    progress = Progress(decisions_in(tournaments, choice))

    def add(shards: Shards) -> list[Source]:
        return [_add(one, shards, choice, progress, workers, on_progress) for one in tournaments]

    return write_new(target, choice, add, command=command)


def write_new(
    target: Path, choice: Choice, add: Callable[[Shards], list[Source]], *, command: str, people: LeftOut | None = None
) -> Index:
    """Write a dataset into a new folder. `add`: adds all matches, and tells where they are from; `people`: as in the index."""
    check_target(target)
    with _new_folder(target) as folder:
        with Shards(folder, choice) as shards:
            sources = add(shards)
            finished = shards.finish()
        if not finished:
            raise ConfigError("--to: nothing to write: no decision is left by --game and --bot together")
        played = list(dict.fromkeys(shard.game for shard in finished))
        index = Index(
            command=command, packages={name: importlib.metadata.version(name) for name in _PACKAGES}, choice=choice,
            tournaments=[source for source in sources if source.matches], columns=_columns(played[0], choice),
            games=[_game_data(game) for game in played], shards=finished,
            people=people,
        )  # fmt: skip
        write_whole(folder / INDEX_FILE, msgspec.json.format(msgspec.json.encode(index), indent=2) + b"\n")
        write_whole(folder / CARD_FILE, card(index).encode())
    return index


def check_target(target: Path) -> None:
    """Raise ConfigError for a folder that is no new one."""
    try:
        is_taken = target.is_symlink() or (target.exists() and (not target.is_dir() or any(target.iterdir())))
    except (OSError, ValueError) as error:
        raise ConfigError(f"--to {target}: no folder can have this name: {error}") from None
    if is_taken:
        raise ConfigError(f"--to {target}: is there already; name a new folder, or remove it first")


def _read(folder: Path) -> Tournament:
    manifest = read_published(folder)
    if manifest.key is None:
        raise StoreError(
            f"{folder}: the tournament is not finished, so the key of its deals is not public and nothing can be played again; "
            f"`arena status` tells how to go on"
        )
    try:
        plan = read_plan(manifest.config, bytes.fromhex(manifest.key))
    except ValueError as error:
        raise StoreError(f"{folder / MANIFEST_FILE}: config: not the plan of a tournament: {error}") from None
    return Tournament(folder, manifest, plan, parquet.read_totals(folder))


def _add(
    one: Tournament, shards: Shards, choice: Choice, progress: Progress, workers: int, on_progress: Callable[[Progress], None]
) -> Source:
    """Write the matches of a tournament, in plan order."""
    before = (progress.matches, progress.decisions)
    work = partial(exported, choice, tournament=one.manifest.name)
    bots: set[tuple[str, int, str]] = set()
    for found in each_match(work, one.plan, _records(one, choice), workers):
        shards.add(found)
        bots |= {(row["bot"], row["bot_version"], row["bot_sha256"]) for row in found.rows}
        progress.matches += 1
        progress.decisions += len(found.rows)
        on_progress(progress)
    return Source(
        name=one.manifest.name, results_sha256=one.manifest.results_sha256, matches=progress.matches - before[0],
        decisions=progress.decisions - before[1], bots=sorted(bots),
    )  # fmt: skip


def _records(one: Tournament, choice: Choice) -> Iterator[MatchRecord]:
    """The chosen matches of a tournament. Raises StoreError where they are not those whose hash the manifest has."""
    found, most = ResultsHash(), len(one.plan)
    for record in parquet.read_matches(one.folder):
        found.add(record)
        if record.index >= most:
            raise StoreError(f"{one.folder}: match {record.match_id}: not in the plan of {MANIFEST_FILE}")
        if choice.has(record):
            yield record
    if one.manifest.results_sha256 not in (None, found.results_sha256):
        raise StoreError(
            f"{one.folder}: the matches are not those whose hash {MANIFEST_FILE} has; "
            f"`arena verify-results {one.folder.name}` tells what differs"
        )


def _game_data(name: str) -> GameData:
    game = games.load(name)
    return GameData(
        game=name, rules_version=game.version, encoding_version=game.layout.version, encoding_sha256=game.layout.sha256,
        features=game.layout.size, action_features=game.layout.action_size, actions=action_count(game),
        numbering=numbering(game),
    )  # fmt: skip


def _columns(game: str, choice: Choice) -> list[ColumnText]:
    """The columns, which are those of any game."""
    found = decisions_table(games.load(game), choice, DECISIONS).columns
    return [ColumnText(name=column.name, kind=column.kind, meaning=column.meaning) for column in found]


@contextmanager
def _new_folder(target: Path) -> Iterator[Path]:
    """A folder that takes the name of `target` at the end, if nothing goes wrong. Raises StoreError."""
    beginning = f".{target.name}.new-"
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target.parent, beginning)
        folder = Path(tempfile.mkdtemp(prefix=beginning, dir=target.parent))
    except OSError as error:
        raise StoreError(f"{target}: cannot be written: {error.strerror}") from None
    try:
        yield folder
        try:
            set_mode(folder, 0o755)
            sync(folder)
            folder.rename(target)
            sync(target.parent)
        except OSError as error:
            raise StoreError(f"{target}: cannot be written: {error.strerror}") from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(parent: Path, beginning: str) -> None:
    """Remove what an export left that was killed: what nobody has written into for an hour."""
    for path in parent.glob(f"{beginning}*"):
        with suppress(OSError):
            if path.is_dir() and path.stat().st_mtime < time.time() - _HOUR:
                shutil.rmtree(path, ignore_errors=True)
