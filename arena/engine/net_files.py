"""The file of the networks that a game has learnt, `learnt.npz`, and what tells how they were made, `learnt.json`."""

import io
import math
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena import userfiles
from arena.disk import write_whole
from arena.engine.contract import Features
from arena.engine.net import MOST_NUMBERS, MOST_SEATS, NAMES, Net, Nets
from arena.errors import SHOWN, ArenaError, printable
from arena.names import in_words

FILE, NOTE = "learnt.npz", "learnt.json"
_FILE_BYTES = 8 * MOST_NUMBERS  # of all arrays of a file, unpacked


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
    policies: dict[str, "Note"] = msgspec.field(default_factory=dict)
    """The notes of policies that trainings of their own made, by name, each with the numbers of seats that the policy has here.
    What stands outside then tells of the other networks."""


def write_nets(folder: Path, nets: Nets, note: Note) -> None:
    """Write the networks of a game, and how they were made, into a folder."""
    arrays: dict[str, Any] = {}
    for name, net in sorted(nets.nets.items()):
        arrays |= {f"{name}_{part}": _small(getattr(net, part)) for part in ("weights", "bias", "out")}
        arrays[f"{name}_ends"] = np.array([net.end, net.low, net.high, math.nan if net.total is None else net.total])
        if net.row:
            arrays[f"{name}_row"] = np.array(net.row)
        if (seats := nets.own_seats(net)) != nets.all_seats:
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
        found = {
            name: replace(_net(name, arrays), encoding=note.policies.get(name, note).encoding)
            for name in NAMES
            if f"{name}_weights" in arrays
        }
        nets = Nets(found, frozenset(note.seats), folder / FILE)
        _ = [nets.at(seats).numbers for seats in range(1, MOST_SEATS + 1)]  # they are as large as they may be
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
