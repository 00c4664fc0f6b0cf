"""The small networks that a game has learnt, as one array for compiled code, and the compiled forward pass.

A network has one hidden layer: `logit = out . relu(inputs @ weights + bias) + end`. A game has at most one value and one belief
network, and policies side by side, each for numbers of seats of its own. `arena train` makes them (learning/training),
net_files.py keeps them; searches ask the value of a position, the likelihood of a world and what a seat is likely to choose,
bots without a search the policy alone.

The array has the networks of one table, at most one of each of KINDS: at place k of its first HEADS numbers, where network k
begins (0: there is none); from SEATS on for each network a mask of the numbers of seats that it was trained at; at ROW, how
many inputs of the policy are of an action. A network: INPUTS, HIDDEN, LOW, HIGH, TOTAL, IS_CONSTANT, then weights (a row for
each input), bias, out, end. A value is LOW + (HIGH - LOW) / (1 + exp(-logit)). TOTAL is the sum of the values of all seats if
that never changes (IS_CONSTANT is 1).
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from arena.engine import jit
from arena.engine.contract import Features, Numbers
from arena.errors import ArenaError, printable

KINDS = ("value", "belief", "policy")
VALUE, BELIEF, POLICY = range(3)
SEATS, ROW, HEADS = 3, 6, 7
INPUTS, HIDDEN, LOW, HIGH, TOTAL, IS_CONSTANT, BODY = range(7)  # places in a network; BODY: where its weights begin
MOST_NUMBERS = 1 << 18  # of the array of a table: the workspaces of searches have room for so many
MOST_INPUTS = 2048
MOST_ROW = 128  # of MOST_INPUTS, what a policy is told of an action
MOST_HIDDEN = 128
MOST_SEATS = 16
POLICIES = (KINDS[POLICY], *(f"{KINDS[POLICY]}{number}" for number in range(2, MOST_SEATS + 1)))
"""The names of policies side by side."""
NAMES = (KINDS[VALUE], KINDS[BELIEF], *POLICIES)
HASH_SHOWN = 16  # hex digits of a hash that people read


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
    encoding: str | None = None
    """The hash of the encoding that a policy was trained on, as its file says; None where there is no file: then it was made
    by this process."""

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


@dataclass(frozen=True, eq=False)
class Nets:
    """All networks of a game."""

    nets: dict[str, Net] = field(default_factory=dict)
    """The networks by name, each one of NAMES."""
    seats: frozenset[int] = frozenset()
    """The numbers of seats that they were trained at, where a network does not name its own."""
    file: Path | None = None
    """The file that they were read from."""
    _tables: dict[int, "Nets"] = field(default_factory=dict, repr=False)  # by their number of seats

    def __post_init__(self) -> None:
        """Raise ArenaError for numbers of seats that no game has, or that have two policies."""
        if not all(1 <= seats <= MOST_SEATS for seats in self.seats):
            raise ArenaError(f"networks for {sorted(self.seats)} seats; 1 to {MOST_SEATS} are possible")
        known = [seats for net in self.policies.values() for seats in self.own_seats(net)]
        if twice := sorted(seats for seats in set(known) if known.count(seats) > 1):
            raise ArenaError(f"two policies for {twice[0]} seats; each number of seats has at most one")

    @cached_property
    def policies(self) -> dict[str, Net]:
        """The policies by name."""
        return {name: net for name, net in self.nets.items() if name in POLICIES}

    def at(self, seats: int) -> "Nets":
        """The networks of a table with so many seats: of several policies the one for them, if any, under the name of its kind.

        Where there are not several, these networks themselves, each of which is asked at its own numbers of seats alone.
        """
        if self.policies.keys() <= {KINDS[POLICY]}:
            return self
        if seats not in self._tables:
            found = {name: net for name, net in self.nets.items() if name not in POLICIES}
            for net in self.policies.values():
                if seats in self.own_seats(net):
                    found[KINDS[POLICY]] = net
            self._tables[seats] = Nets(found, self.seats, self.file)
        return self._tables[seats]

    def check_inputs(self, sizes: Mapping[str, int], *, row: int = 0) -> None:
        """Raise ArenaError for a network that takes other inputs than what is there.

        `sizes`: how many there are, by kind; `row`: how many of a policy's are of an action.
        """
        for name, net in self.nets.items():
            kind = KINDS[POLICY] if name in POLICIES else name
            if len(net.weights) != sizes.get(kind, len(net.weights)):
                raise ArenaError(f"the {kind} network takes {len(net.weights)} inputs; there are {sizes[kind]}")
            if kind == KINDS[POLICY] and kind in sizes and net.row != row:
                raise ArenaError(f"the {kind} network takes {net.row} inputs of an action; there are {row}")

    def check_encoding(self, sha256: str, game: str) -> None:
        """Raise ArenaError for a policy that was trained on another encoding. `sha256`: that of the game's encoding."""
        for net in self.policies.values():
            if net.encoding not in (None, sha256):
                theirs = printable(net.encoding[:HASH_SHOWN]) if net.encoding else "none that it names"
                raise ArenaError(
                    f"{self.file}: the policy was trained on another encoding ({theirs}) than {game} now has "
                    f"({sha256[:HASH_SHOWN]}, arena rules {game} --encoding); train it anew by arena train {game}"
                )

    @cached_property
    def numbers(self) -> Features:
        """The networks of a table as one array. Raises ArenaError for networks that are too large, and for several policies."""
        if not self.policies.keys() <= {KINDS[POLICY]}:
            raise ArenaError(f"{len(self.policies)} policies; a table has at most one")
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
        return bool(self._of(kind))

    def seats_of(self, kind: int) -> frozenset[int]:
        """The numbers of seats that networks of one of KINDS were trained at; none where there is no such network."""
        return frozenset().union(*map(self.own_seats, self._of(kind)))

    def own_seats(self, net: Net) -> frozenset[int]:
        """The numbers of seats that one of these networks was trained at."""
        return self.seats if net.seats is None else net.seats

    @property
    def all_seats(self) -> frozenset[int]:
        """The numbers of seats at which there is some network."""
        return frozenset().union(*map(self.seats_of, range(len(KINDS)))) if self.nets else self.seats

    def _of(self, kind: int) -> list[Net]:
        return [*self.policies.values()] if kind == POLICY else [net for name, net in self.nets.items() if name == KINDS[kind]]


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
