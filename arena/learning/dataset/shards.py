"""The files of a dataset: shards of a bounded size, of each game on its own, because each has columns of its own width."""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec

from arena import games
from arena.disk import new_file, sync
from arena.errors import StoreError
from arena.learning.dataset.choice import Choice
from arena.learning.dataset.decisions import Exported, action_count, decisions_table
from arena.results.schema import Row
from arena.results.table_file import TableWriter

DECISIONS, TRAJECTORIES = "decisions", "trajectories"
"""What the files of a dataset hold."""
SHARD_ROWS = 1 << 17
"""The most decisions of a shard."""
SHARD_VALUES = 1 << 26
"""The numbers after which a shard ends: 256 MiB as 32-bit floats, unpacked."""
SHARD_BYTES = 64 << 20
"""The bytes after which a shard of trajectories ends."""


class Shard(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a dataset."""

    file: str
    """The path in the dataset's folder."""
    game: str
    kind: str
    """What the file holds: DECISIONS or TRAJECTORIES."""
    rows: int
    bytes: int
    sha256: str


class Shards:
    """Writes the files of a dataset, match after match; a context manager. All methods may raise StoreError."""

    def __init__(self, folder: Path, choice: Choice) -> None:
        """`folder`: is there, and empty."""
        self._folder, self._choice = folder, choice
        self._decisions: dict[str, _Decisions] = {}
        self._trajectories: dict[str, _Trajectories] = {}
        self._open = ExitStack()
        self.finished: list[Shard] = []
        """The shards that are whole, by game and number once all are."""

    def __enter__(self) -> "Shards":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._open.close()

    def add(self, found: Exported) -> None:
        """Write what there is of a match."""
        if found.rows:
            self._decisions_of(found.game).add(found.rows)
        if found.trajectory is not None:
            self._trajectories_of(found.game).add(found.trajectory)

    def finish(self) -> list[Shard]:
        """Write all that is left to the disk; returns the shards."""
        for decisions in self._decisions.values():
            decisions.finish()
        for trajectories in self._trajectories.values():
            trajectories.finish()
        self.finished.sort(key=lambda shard: shard.file)
        return self.finished

    def _decisions_of(self, game: str) -> "_Decisions":
        if game not in self._decisions:
            self._decisions[game] = _Decisions(self._game_folder(game), game, self._choice, self._note)
            self._open.callback(self._decisions[game].close)
        return self._decisions[game]

    def _trajectories_of(self, game: str) -> "_Trajectories":
        if game not in self._trajectories:
            self._trajectories[game] = _Trajectories(self._game_folder(game), game, self._note)
            self._open.callback(self._trajectories[game].close)
        return self._trajectories[game]

    def _game_folder(self, game: str) -> Path:
        with _writing(self._folder / game) as folder:
            folder.mkdir(exist_ok=True)
        return folder

    def _note(self, path: Path, game: str, kind: str, rows: int) -> None:
        """Note a file that is whole."""
        with _writing(path), path.open("rb") as file:
            digest, size = hashlib.file_digest(file, "sha256").hexdigest(), path.stat().st_size
        name = path.relative_to(self._folder).as_posix()
        self.finished.append(Shard(file=name, game=game, kind=kind, rows=rows, bytes=size, sha256=digest))


_Note = Callable[[Path, str, str, int], None]


class _Decisions:
    """The decisions of a game as Parquet files."""

    def __init__(self, folder: Path, game: str, choice: Choice, note: _Note) -> None:
        self._folder, self._game, self._choice, self._note = folder, games.load(game), choice, note
        layout = self._game.layout
        self._width = layout.size + action_count(self._game)
        self._action_width = layout.action_size if choice.with_action_features else 0
        self._open = ExitStack()
        self._writer: TableWriter | None = None
        self._number = self._rows = self._values = 0

    def add(self, rows: list[Row]) -> None:
        for row in rows:
            if self._writer is None:
                table = decisions_table(self._game, self._choice, f"{DECISIONS}-{self._number:05}")
                self._writer = self._open.enter_context(TableWriter(self._folder, table))
            values = self._width + len(row["legal"]) * (1 + self._action_width)
            self._writer.add([row], values)
            self._rows, self._values = self._rows + 1, self._values + values
            if self._rows >= SHARD_ROWS or self._values >= SHARD_VALUES:
                self.finish()

    def finish(self) -> None:
        """End the shard that is open."""
        writer = self._writer
        if writer is None:
            return
        writer.finish()
        writer.publish()
        self.close()
        self._note(writer.path, self._game.name, DECISIONS, self._rows)
        self._writer, self._number, self._rows, self._values = None, self._number + 1, 0, 0

    def close(self) -> None:
        """Close what is open; a file that was not finished goes."""
        self._open.close()


class _Trajectories:
    """The trajectories of a game as JSON Lines."""

    def __init__(self, folder: Path, game: str, note: _Note) -> None:
        self._folder, self._game, self._note = folder, game, note
        self._file: BinaryIO | None = None
        self._number = self._rows = self._bytes = 0

    @property
    def _path(self) -> Path:
        return self._folder / f"{TRAJECTORIES}-{self._number:05}.jsonl"

    def add(self, line: bytes) -> None:
        with _writing(self._path):
            if self._file is None:
                self._file = new_file(self._path)
            self._file.write(line + b"\n")
        self._rows, self._bytes = self._rows + 1, self._bytes + len(line) + 1
        if self._bytes >= SHARD_BYTES:
            self.finish()

    def finish(self) -> None:
        """End the shard that is open."""
        if self._file is None:
            return
        with _writing(self._path):
            self._file.close()
            sync(self._path)
        self._note(self._path, self._game, TRAJECTORIES, self._rows)
        self._file, self._number, self._rows, self._bytes = None, self._number + 1, 0, 0

    def close(self) -> None:
        """Close what is open."""
        if self._file is not None:
            self._file.close()


@contextmanager
def _writing(path: Path) -> Iterator[Path]:
    try:
        yield path
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror}") from None
