"""The small networks that a game has learnt: its file, one array for compiled code, and the compiled forward pass.

A network has one hidden layer: `logit = out . relu(inputs @ weights + bias) + end`. A game has at most one of each of KINDS.
`arena train` writes them (learning/training); searches ask the value of a position, the likelihood of a world and what a
seat is likely to choose, bots without a search the policy alone.

The array: at place k of its first HEADS numbers, where network k begins (0: there is none); from SEATS on for each network a
mask of the numbers of seats that it was trained at; at ROW, how many inputs of the policy are of an action. A network: INPUTS,
HIDDEN, LOW, HIGH, TOTAL, IS_CONSTANT, then weights (a row for each input), bias, out, end. A value is LOW + (HIGH - LOW) /
(1 + exp(-logit)). TOTAL is the sum of the values of all seats if that never changes (IS_CONSTANT is 1).
"""

import hashlib
import io
import math
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena import userfiles
from arena.disk import write_whole
from arena.engine import jit
from arena.engine.contract import Features, Numbers
from arena.errors import SHOWN, ArenaError, printable
from arena.names import in_words

FILE, NOTE = "learnt.npz", "learnt.json"
KINDS = ("value", "belief", "policy")
VALUE, BELIEF, POLICY = range(3)
SEATS, ROW, HEADS = 3, 6, 7
INPUTS, HIDDEN, LOW, HIGH, TOTAL, IS_CONSTANT, BODY = range(7)  # places in a network; BODY: where its weights begin
MOST_NUMBERS = 1 << 18  # of the array of a game: the workspaces of searches have room for so many
MOST_INPUTS = 2048
MOST_ROW = 128  # of MOST_INPUTS, what a policy is told of an action
MOST_HIDDEN = 128
MOST_SEATS = 16
HASH_SHOWN = 16  # hex digits of a hash that people read
_FILE_BYTES = 8 * MOST_NUMBERS  # of all arrays of a file, unpacked


@dataclass(frozen=True, eq=False)
class Net:
    """One network."""

    weights: Features
    """[inputs, hidden]"""
    bias: Features
    """[hidden]"""
    out: Features
    """[hidden]"""
    end: float
    low: float = 0.0
    """The value where the logit is very negative."""
    high: float = 1.0
    """The value where the logit is very large."""
    total: float | None = None
    """The sum of all seats' values, where that never changes."""
    row: int = 0
    """How many inputs of a policy are of an action; they come after what the seat knows."""
    seats: frozenset[int] | None = None
    """The numbers of seats that it was trained at; None: those of all networks of the game."""

    def __post_init__(self) -> None:
        """Raise ArenaError for arrays that are none of a network: compiled code goes by the size of the first one alone."""
        shape = self.weights.shape
        if len(shape) != 2 or self.bias.shape != shape[1:] or self.out.shape != shape[1:]:
            shapes = ", ".join(f"{name} {getattr(self, name).shape}" for name in ("weights", "bias", "out"))
            raise ArenaError(f"no network: {shapes}; needed are [inputs, hidden], [hidden] and [hidden]")
        if not all(1 <= seats <= MOST_SEATS for seats in self.seats or ()):
            raise ArenaError(f"no network: for {sorted(self.seats or ())} seats; 1 to {MOST_SEATS} are possible")
        if not 0 <= self.row <= shape[0]:
            raise ArenaError(f"no network: {self.row} of {shape[0]} inputs of an action")
        numbers = (self.end, self.low, self.high, self.total or 0.0)
        if not all(np.isfinite(array).all() for array in (self.weights, self.bias, self.out, np.array(numbers, np.float32))):
            raise ArenaError("no network: infinite numbers, or what is no number")

    def rounded(self) -> "Net":
        """The same with all that it has learnt rounded to half precision, in which it is stored in half the space."""
        weights, bias, out = (array.astype(np.float16).astype(np.float32) for array in (self.weights, self.bias, self.out))
        return replace(self, weights=weights, bias=bias, out=out)

    @property
    def size(self) -> int:
        """How many numbers it has to learn."""
        return self.weights.size + self.bias.size + self.out.size + 1

    def logits(self, inputs: Features) -> Features:
        """[rows]: the logits of [rows, inputs]."""
        return self.outs(inputs @ self.weights)

    def outs(self, reached: Features) -> Features:
        """[rows]: the logits of what [rows, hidden] the weighted inputs add up to."""
        found: Features = np.maximum(reached + self.bias, np.float32(0.0)) @ self.out + np.float32(self.end)
        return found

    def preferences(self, features: Features, rows: Features) -> Features:
        """[actions]: the logit of each action, for a policy. `features`: what a seat knows; `rows`: its actions' features."""
        known, heard = len(features), self._heard
        return self.outs(features[:heard] @ self.weights[:heard] + rows @ self.weights[known:])

    @cached_property
    def _heard(self) -> int:
        """How many inputs of a policy's seat there are up to the last one that has weights.

        Those behind it came after the training. Left out, they do not change how the sums of the others are rounded.
        """
        used = np.flatnonzero(self.weights[: len(self.weights) - self.row].any(axis=1))
        return int(used[-1]) + 1 if len(used) else 0

    def numbers(self) -> Features:
        """The network as compiled code reads it."""
        head = np.zeros(BODY, np.float32)
        head[INPUTS], head[HIDDEN] = self.weights.shape
        head[LOW], head[HIGH] = self.low, self.high
        head[IS_CONSTANT] = self.total is not None
        head[TOTAL] = self.total or 0.0
        return np.concatenate([head, self.weights.ravel(), self.bias, self.out, [self.end]]).astype(np.float32)


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """How networks were made: what stands in `learnt.json` beside them."""

    game: str
    seats: tuple[int, ...]
    """The numbers of seats that some of them were trained at; elsewhere searches go by the game's rollout.py."""
    command: str = ""
    seed: int = 0
    sources: str = ""
    """A hash over the sources of the game, the engine and arena/learning/training."""
    sha256: str = ""
    """A hash over the numbers of all networks."""
    encoding: str = ""
    """The hash of the encoding whose features the policy takes (`Layout.sha256`)."""
    changed: str = ""
    """What was done to the networks after they were trained; empty for nothing."""
    generations: list[dict[str, Any]] = msgspec.field(default_factory=list)
    """What each generation brought: positions, log losses, gates."""


@dataclass(frozen=True, eq=False)
class Nets:
    """All networks of a game."""

    nets: dict[str, Net] = field(default_factory=dict)
    """The networks, by their kind."""
    seats: frozenset[int] = frozenset()
    """The numbers of seats that they were trained at, where a network does not name its own."""
    encoding: str | None = None
    """The hash of the encoding that the policy was trained on, as its file says; None where there is no file: then the
    networks were made by this process."""
    file: Path | None = None
    """The file that they were read from."""

    def __post_init__(self) -> None:
        """Raise ArenaError for numbers of seats that no game has."""
        if not all(1 <= seats <= MOST_SEATS for seats in self.seats):
            raise ArenaError(f"networks for {sorted(self.seats)} seats; 1 to {MOST_SEATS} are possible")

    def check_inputs(self, sizes: Mapping[str, int], *, row: int = 0) -> None:
        """Raise ArenaError for a network that takes other inputs than what is there.

        `sizes`: how many there are, by kind; `row`: how many of a policy's are of an action.
        """
        for kind, size in sizes.items():
            if kind in self.nets and len(self.nets[kind].weights) != size:
                raise ArenaError(f"the {kind} network takes {len(self.nets[kind].weights)} inputs; there are {size}")
            if kind == KINDS[POLICY] and kind in self.nets and self.nets[kind].row != row:
                raise ArenaError(f"the {kind} network takes {self.nets[kind].row} inputs of an action; there are {row}")

    def check_encoding(self, sha256: str, game: str) -> None:
        """Raise ArenaError for a policy that was trained on another encoding. `sha256`: that of the game's encoding."""
        if self.has(POLICY) and self.encoding not in (None, sha256):
            theirs = printable(self.encoding[:HASH_SHOWN]) if self.encoding else "none that it names"
            raise ArenaError(
                f"{self.file}: the policy was trained on another encoding ({theirs}) than {game} now has "
                f"({sha256[:HASH_SHOWN]}, arena rules {game} --encoding); train it anew by arena train {game}"
            )

    @cached_property
    def numbers(self) -> Features:
        """The networks as one array. Raises ArenaError for networks that are too large."""
        head = np.zeros(HEADS, np.float32)
        for kind in range(len(KINDS)):
            head[SEATS + kind] = sum(1 << seats for seats in self.seats_of(kind))
        head[ROW] = self.nets[KINDS[POLICY]].row if self.has(POLICY) else 0
        parts = [head]
        place = HEADS
        for kind, name in enumerate(KINDS):
            if name in self.nets:
                head[kind] = place
                parts.append(self.nets[name].numbers())
                place += len(parts[-1])
        self._check_sizes(place)
        return np.concatenate(parts)

    def _check_sizes(self, numbers: int) -> None:
        """Raise ArenaError for networks that compiled code, which does not check its indices, has no room for."""
        nets = self.nets.values()
        for what, size, most in (
            ("numbers", numbers, MOST_NUMBERS),
            ("inputs", max((len(net.weights) for net in nets), default=0), MOST_INPUTS),
            ("hidden units", max((len(net.bias) for net in nets), default=0), MOST_HIDDEN),
            ("inputs of an action", max((net.row for net in nets), default=0), MOST_ROW),
        ):
            if size > most:
                raise ArenaError(f"networks of {size:,} {what}; at most {most:,} are allowed")

    @cached_property
    def sha256(self) -> str:
        """A hash over all numbers of all networks."""
        digest = hashlib.sha256()
        for name, net in sorted(self.nets.items()):
            digest.update(name.encode() + b"\0" + net.numbers().tobytes())
        return digest.hexdigest()

    def has(self, kind: int) -> bool:
        """Whether there is a network of one of KINDS."""
        return KINDS[kind] in self.nets

    def seats_of(self, kind: int) -> frozenset[int]:
        """The numbers of seats that the network of one of KINDS was trained at; none where there is no such network."""
        if not self.has(kind):
            return frozenset()
        own = self.nets[KINDS[kind]].seats
        return self.seats if own is None else own

    @property
    def all_seats(self) -> frozenset[int]:
        """The numbers of seats at which there is some network."""
        return frozenset().union(*map(self.seats_of, range(len(KINDS)))) if self.nets else self.seats


def write_nets(folder: Path, nets: Nets, note: Note) -> None:
    """Write the networks of a game, and how they were made, into a folder."""
    arrays: dict[str, Any] = {}
    for name, net in sorted(nets.nets.items()):
        arrays |= {f"{name}_{part}": _small(getattr(net, part)) for part in ("weights", "bias", "out")}
        arrays[f"{name}_ends"] = np.array([net.end, net.low, net.high, math.nan if net.total is None else net.total])
        if net.row:
            arrays[f"{name}_row"] = np.array(net.row)
        if (seats := nets.seats_of(KINDS.index(name))) != nets.all_seats:
            arrays[f"{name}_seats"] = np.array(sorted(seats), np.int64)
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    document = msgspec.structs.replace(note, sha256=nets.sha256, seats=tuple(sorted(nets.all_seats)))
    write_whole(folder / NOTE, msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n")
    write_whole(folder / FILE, packed.getvalue())  # last: where it is, all is


def _small(array: Features) -> NDArray[np.floating[Any]]:
    """The same numbers in half precision, where that has them all."""
    small = array.astype(np.float16)
    return small if (small == array).all() else array


def read_nets(folder: Path) -> Nets:
    """The networks in a folder; none where it has no file. Raises ArenaError for files that do not belong together."""
    if not (folder / FILE).exists():
        return Nets()
    note = read_note(folder)
    try:
        arrays = _arrays(folder / FILE)
        found = {name: _net(name, arrays) for name in KINDS if f"{name}_weights" in arrays}
        nets = Nets(found, frozenset(note.seats), note.encoding, folder / FILE)
        _ = nets.numbers  # they are as large as they may be
    except Exception as error:  # libraries that read what a stranger wrote fail in all ways
        raise ArenaError(f"{folder / FILE}: {_why(error)}") from None
    if nets.sha256 != note.sha256:
        raise ArenaError(f"{folder / FILE} has other numbers than {NOTE} says; train again or take both files from one place")
    return nets


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays of a file, which may be a stranger's. Raises exceptions of all kinds."""
    file = io.BytesIO(userfiles.content(path, 2 * _FILE_BYTES))
    with zipfile.ZipFile(file) as parts:
        if (size := sum(part.file_size for part in parts.infolist())) > _FILE_BYTES:
            raise ValueError(f"{size:,} bytes of arrays; at most {_FILE_BYTES:,} are read")
    with np.load(file, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def _net(name: str, arrays: Mapping[str, NDArray[Any]]) -> Net:
    """A network made of copies, whatever types and layouts a file has. Raises KeyError, ValueError and ArenaError."""
    weights, bias, out, ends = (_reals(arrays[f"{name}_{part}"]) for part in ("weights", "bias", "out", "ends"))
    end, low, high, total = ends.tolist()
    row = arrays.get(f"{name}_row", np.array(0))
    if row.dtype.kind not in "iu" or row.shape != ():
        raise ValueError(f"{name}_row: a whole number is needed")
    return Net(weights, bias, out, end, low, high, None if math.isnan(total) else total, int(row), _seats(name, arrays))


def _seats(name: str, arrays: Mapping[str, NDArray[Any]]) -> frozenset[int] | None:
    seats = arrays.get(f"{name}_seats")
    if seats is not None and (seats.dtype.kind not in "iu" or seats.ndim != 1 or len(seats) > MOST_SEATS):
        raise ValueError(f"{name}_seats: at most {MOST_SEATS} whole numbers are needed")
    return None if seats is None else frozenset(seats.tolist())


def _reals(array: NDArray[Any]) -> Features:
    if array.dtype.kind != "f":
        raise ValueError(f"an array of {printable(str(array.dtype), SHOWN)}; numbers are needed")
    with np.errstate(over="ignore"):
        return np.array(array, np.float32, order="C")


def _why(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"cannot be read: {error.strerror}"
    return printable(str(error), 200) if isinstance(error, ArenaError | ValueError) else f"damaged: {type(error).__name__}"


def read_note(folder: Path) -> Note:
    """How the networks in a folder were made. Raises ArenaError."""
    path = folder / NOTE
    try:
        return msgspec.json.decode(userfiles.content(path), type=Note)
    except OSError as error:
        raise ArenaError(f"{path}: cannot be read: {error.strerror}") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ArenaError(f"{path}: damaged or not ours: {in_words(error)}") from None


@jit.unchecked
def logit(nets: Features, at: int, inputs: Features, hidden: Features) -> float:
    """What a network says to its inputs. `at`: where it begins in `nets`; `hidden`: room for MOST_HIDDEN numbers.

    Most inputs are 0 and are passed over. The only compiled code without checks of its indices, as they would double its time:
    `Nets` and the searches see to it that the arrays are long enough.
    """
    count = int(nets[at + INPUTS])
    width = int(nets[at + HIDDEN])
    end = at + BODY + count * width
    for j in range(width):
        hidden[j] = nets[end + j]
    _add(nets, at + BODY, inputs[:count], width, hidden)
    return _answer(nets, end + width, width, hidden, float(nets[end + 2 * width]))


@jit.unchecked
def preferences(
    nets: Features,
    at: int,
    known: Features,
    rows: Features,
    count: int,
    begun: Features,
    hidden: Features,
    out: Numbers,
) -> None:
    """Write what a policy says to each of `count` actions: its logits, but for a number that is the same for all.

    `known`: what a seat knows; `rows`: [actions, action features]; `begun`, `hidden`: room for MOST_HIDDEN numbers. What the
    seat knows is added up once for all actions. Without checks of its indices, as `logit`.
    """
    width = int(nets[at + HIDDEN])
    end = at + BODY + int(nets[at + INPUTS]) * width
    for j in range(width):
        begun[j] = nets[end + j]
    _add(nets, at + BODY, known, width, begun)
    for k in range(count):
        for j in range(width):
            hidden[j] = begun[j]
        _add(nets, at + BODY + len(known) * width, rows[k], width, hidden)
        out[k] = _answer(nets, end + width, width, hidden, 0.0)


@jit.unchecked
def _add(nets: Features, at: int, inputs: Features, width: int, hidden: Features) -> None:
    """Add the weighted inputs to what the hidden units get. `at`: where the row of weights of the first input begins."""
    for i in range(len(inputs)):
        x = inputs[i]
        if x != 0.0:
            row = nets[at + i * width : at + (i + 1) * width]
            for j in range(width):
                hidden[j] += x * row[j]


@jit.unchecked
def _answer(nets: Features, at: int, width: int, hidden: Features, total: float) -> float:
    """The weighted sum of what the hidden units say, on top of `total`. `at`: where their weights begin."""
    out = nets[at : at + width]
    for j in range(width):
        total += max(0.0, float(hidden[j])) * float(out[j])
    return total
