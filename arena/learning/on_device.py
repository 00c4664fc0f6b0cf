"""Tables that are played on a graphics card, a lane for each: the same functions, and arrays of the same names there.

A step asks the card for its work and does not wait for it. Where this process has to know how far the tables are, it does: with
a callable as a rival, with logs, and where an illegal choice is to raise.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.cuda.source import Lane, Source
from arena.engine.encoding import Encoding
from arena.engine.game import Game
from arena.learning.arrays import Arrays, Indices, new_arrays
from arena.learning.compiled import lanes, layout
from arena.learning.compiled.lanes import BAD, COUNTERS, LANE_ORDER, WAITS
from arena.learning.compiled.layout import CHECK, DEAL, FULL, NO_CHOICE, RESUME, STEP, WAITING
from arena.learning.device import FEATURE_TYPES, Device
from arena.learning.rendering import note_visibly
from arena.learning.rivals import Batch, Seating, Snapshot, illegal_index

_OWN = ("settings", "options", "constants", "codes")  # arrays that are short, and that both sides have


@dataclass(frozen=True)
class _Rival:
    """A callable that sits at some seats."""

    place: int
    ask: Snapshot
    where: str


class OnDevice:
    """The arrays of some tables on a card, and what plays them there; implements Playing."""

    def __init__(
        self,
        device: Device,
        game: Game,
        encoding: Encoding,
        settings: Any,
        options: Any,
        seated: list[Seating],
        owners: Indices,
        *,
        tables: int,
        has_action_features: bool,
        feature_type: str,
    ) -> None:
        """Make the arrays; the parameters are those of OnProcessor and `new_arrays`.

        `feature_type`: one of FEATURE_TYPES, of the features that learners get.
        """
        self._device = device
        self._game = game
        self._more: dict[Lane, Any] = {}
        self._tables = tables
        self._owners = owners
        self._rivals = [_Rival(place, one.snapshot, one.where) for place, one in enumerate(seated) if one.snapshot is not None]
        self.arrays: Arrays = new_arrays(
            game, encoding, settings, options,
            tables=tables, threads=0, has_action_features=has_action_features, zeros=device.zeros,
        )  # fmt: skip
        """All arrays of the tables; those with a table in each row are on the card."""
        lows, highs = encoding.limits
        narrow = (2 * tables, encoding.size) if feature_type != FEATURE_TYPES[0] else (0, 0)
        self._there: dict[str, Any] = {
            **{name: device.put(getattr(self.arrays, name)) for name in _OWN},
            "owners": device.put(owners),
            "counters": device.zeros((COUNTERS,), np.int64),
            "given": device.zeros((tables if self._rivals else 0,), np.int64),
            "small": device.zeros(narrow, np.dtype(feature_type)),
            "lows": device.put(lows),
            "scales": device.put(np.float32(255) / (highs - lows)),
        }
        self._is_asking = bool(self._rivals) or bool(settings[layout.LOGS])
        self._both = int(settings[layout.AFTER_END] == layout.SAME_STEP)
        instead: list[tuple[str, Any]] = []
        if not any(one.role == layout.POLICY for one in seated):
            instead.append(("rollout_action", lanes.first_action))
        if not has_action_features:
            instead.append(("action_features", lanes.no_rows))
        self._advance = self._prepared(Source(game, lanes.advance_lane, len(LANE_ORDER), tuple(instead)))
        self._answer = self._prepared(Source(game, lanes.answer_lane, len(LANE_ORDER))) if self._rivals else None
        narrowing = {"float16": lanes.halves_lane, "uint8": lanes.bytes_lane}.get(feature_type)
        self._narrow = None if narrowing is None else self._prepared(Source(game, narrowing, len(LANE_ORDER)))
        self.features = self.arrays.features if self._narrow is None else self._there["small"]
        """[2 * tables, features]: what learners get, of the kind that was asked for."""
        self.truncated = device.zeros((tables,), np.bool_)
        """[tables]: False everywhere."""
        self._bind()

    def choose(self, indices: Any) -> None:
        """Take the learners' choices, one for each table: an array of int64 on the card, or one here."""
        self._take(self.arrays.chosen, indices)

    def run(self, task: int) -> int:
        """Do a task at all tables, and ask whom they wait for. Gives 0, or -1 - the first table with an illegal choice."""
        if task == STEP and self.arrays.settings[layout.RAISES]:
            self._launch(CHECK)
            if self._counted()[BAD]:
                status = self._device.read(self.arrays.books[:, layout.STATUS])
                return -1 - self._first_illegal(self._device.read(self.arrays.chosen), status == layout.CHOOSING)
        self._launch(task)
        if task == DEAL and (self._device.read(self.arrays.books[:, layout.EMPTY]) > layout.MOST_EMPTY).any():
            raise RuntimeError(NO_CHOICE)  # a lane cannot raise it
        while self._is_asking and self._counted()[WAITS]:
            self._ask()
            self._launch(RESUME)
        if self._narrow is not None:
            self._device.run(self._narrow, self._tables, self.arrays.records, self._places, self._both)
        return 0

    def step_one(self, index: Any) -> int:
        """Play the choice at the only table; gives what `run` gives."""
        self.choose(np.array([index], np.int64))
        return self.run(STEP)

    def read(self, array: Any) -> NDArray[Any]:
        """A copy of an array, or of a part of one, in the memory of this process; waits for the card."""
        return self._device.read(array)

    def write(self, array: Any, values: NDArray[Any]) -> None:
        """Overwrite all of one of the arrays."""
        self._device.write(array, values)

    def run_lane(self, lane: Lane, number: int) -> None:
        """Run another function of lanes.py at each table: for measurements."""
        prepared = self._more.get(lane)
        if prepared is None:
            prepared = self._more[lane] = self._prepared(Source(self._game, lane, len(LANE_ORDER)))
        self._device.run(prepared, self._tables, self.arrays.records, self._places, number)

    def _prepared(self, source: Source) -> Any:
        if not self._device.is_ready(source):
            note_visibly(f"compiling {source.game.name} for the card: {source.lane.__name__} (asked for the first time) ...")
        return self._device.prepare(source)

    def _bind(self) -> None:
        """Write down where the arrays are; again after one of them was replaced."""
        rows = np.zeros((len(LANE_ORDER), 4), np.int64)
        for row, name in zip(rows, LANE_ORDER):
            array = self._there[name] if name in self._there else getattr(self.arrays, name)
            row[: 1 + array.ndim] = address_of(array), *array.shape
        self._places = self._device.put(rows.reshape(-1))

    def _launch(self, task: int) -> None:
        self._device.run(self._advance, self._tables, self.arrays.records, self._places, task)

    def _counted(self) -> NDArray[np.int64]:
        """What the lanes have counted since the last time; waits for the card."""
        counters = self._there["counters"]
        found = self._device.read(counters)
        if found.any():
            self._device.write(counters, np.zeros(COUNTERS, np.int64))
        return found

    def _ask(self) -> None:
        """Let all choose that are waited for, and make room in logs that are full."""
        arrays = self.arrays
        if arrays.settings[layout.LOGS] and (self._device.read(arrays.books[:, layout.STATUS]) == FULL).any():
            longer = self._device.read(arrays.logs)
            arrays.logs = self._device.put(np.concatenate([longer, np.zeros_like(longer)], axis=1))
            self._bind()
        for rival in self._rivals:
            self._take(self._there["given"], rival.ask(self._batch()))
            self._device.run(self._answer, self._tables, arrays.records, self._places, rival.place)
            if self._counted()[BAD]:
                given, books = self._device.read(self._there["given"]), self._device.read(arrays.books)
                owners = self._owners[books[:, layout.OWN], books[:, layout.SEAT]]
                is_asked = (books[:, layout.STATUS] == WAITING) & (owners == rival.place)
                raise illegal_index(given, self._first_illegal(given, is_asked), rival.where)

    def _batch(self) -> Batch:
        """The decisions at all tables: a callable cannot be asked for some of them alone without waiting for the card."""
        arrays, books = self.arrays, self.arrays.books
        return Batch(
            None, books[:, layout.SEAT], arrays.features[: self._tables], arrays.mask, books[:, layout.COUNT], arrays.actions,
            arrays.rows if len(arrays.rows) else None,
        )  # fmt: skip

    def _take(self, out: Any, indices: Any) -> None:
        if hasattr(indices, "__cuda_array_interface__"):
            self._device.copy(out, indices)
        else:
            self._device.write(out, np.broadcast_to(np.asarray(indices, np.int64), out.shape))

    def _first_illegal(self, indices: Indices, is_choosing: NDArray[np.bool_]) -> int:
        """The first of the tables that choose whose index is that of no legal action."""
        mask = self._device.read(self.arrays.mask)
        inside = (indices >= 0) & (indices < mask.shape[1])
        legal = inside & mask[np.arange(len(indices)), np.where(inside, indices, 0)]
        return int(np.flatnonzero(is_choosing & ~legal)[0])


def address_of(array: Any) -> int:
    """The place of an array's first number: on a card, or in the memory of this process."""
    return int(array.address if hasattr(array, "address") else array.ctypes.data)
