"""What stands in for what a game leaves out: for its rollout.py, its state_features.py, its encoding.py.

*rollout.py*: random play-outs, and scores as values. `filled` compiles each missing function for the game that lacks it. The
defaults suit a game in which seats choose one after the other, more points are better, and a seat learns of hidden things
only what it sees other seats do. A game defines:

- `evaluate` where fewer points are better, or where points alone do not say who is ahead;
- `private_code` where a seat learns something between its decisions that no action shows, such as cards drawn or turned up;
- `reopen` where seats choose simultaneously, and `choice_code` where equal choices can have different codes.

*state_features.py*: no numbers at all, so that nothing can be learnt from them.

*encoding.py*: all numbers of the game's record, and the action's code. They lose nothing, but mean little: seats are counted
as in the record, and cards are whatever numbers the game has for them. A number of 4 or 8 bytes may be a mask or a row of
cards, which a float could not hold: it is written as its bits, the lowest first. A shorter one, mostly a count or an id,
becomes its logarithm, so that 0, 1 and 2 stand well apart: n is log2(1 + n) / 8, with 16 instead of 8 where it has 2 bytes,
and -n is less than 0 by as much.
"""

from types import ModuleType
from typing import Any

import numpy as np

from arena.engine import jit
from arena.engine.contract import FEATURE_FUNCTIONS, ROLLOUT, Actions, Constant, Defaults, Features, Numbers, State, scores
from arena.engine.encoding import Plane
from arena.engine.rng import Words, below
from arena.engine.state import PADDING

CONSTANTS: tuple[Constant, ...] = ()
DEFAULTS = Defaults(selection="ucb", evaluate=0, prior=0.0, exploration=0.7, expansion=1)


def filled_rollout(rollout: ModuleType | None, package: str) -> ModuleType:
    """A game's `rollout` with the defaults for what it leaves out; None: the game has none. `package`: the game's."""
    given = {} if rollout is None else vars(rollout)
    missing = {name: jit.bind(globals()[name], package) for name in ROLLOUT if name not in given}
    whole = ModuleType(f"{package}.rollout")
    vars(whole).update({"CONSTANTS": CONSTANTS, "DEFAULTS": DEFAULTS, **missing, **given})
    return whole


def evaluate(s: State, _constants: Numbers, out: Numbers) -> None:
    """The scores so far."""
    scores(s, out)


def rollout_action(_s: State, actions: Actions, count: int, _constants: Numbers, rng: Words) -> int:
    """Choose uniformly among the legal actions."""
    return int(actions[below(rng, count)])


def prior(_s: State, _actions: Actions, count: int, _constants: Numbers, out: Numbers) -> None:
    """Write 0 for every action: none seems better than another."""
    for i in range(count):
        out[i] = 0.0


def believe(_s: State, _seat: int, _constants: Numbers, _rng: Words) -> None:
    """Leave the world as it is: all worlds that fit what the seat has seen count as equally likely."""


def count_worlds(_s: State, _seat: int) -> int:
    """Return 0: worlds are drawn, not listed."""
    return 0


def nth_world(_s: State, _seat: int, _number: int, _constants: Numbers, _rng: Words) -> float:
    """Do nothing: no worlds are listed."""
    return 0.0


def choice_code(_s: State, action: int) -> int:
    """Return the action itself as its code."""
    return action


def private_code(_s: State, _seat: int) -> int:
    """A seat learns nothing but what it sees other seats do."""
    return 0


def reopen(_s: State) -> None:
    """No choice is ever hidden from the seats that choose after it."""


STATE_FEATURES, BELIEF_FEATURES = 0, 0
LEARNS: tuple[int, ...] = ()


def filled_state_features(module: ModuleType | None, package: str) -> ModuleType:
    """A game's `state_features` module with defaults for what it leaves out; None: it has none. `package`: the game's."""
    given = {} if module is None else vars(module)
    missing = {name: jit.bind(globals()[name], package) for name in FEATURE_FUNCTIONS if name not in given}
    whole = ModuleType(f"{package}.state_features")
    vars(whole).update(
        {"STATE_FEATURES": STATE_FEATURES, "BELIEF_FEATURES": BELIEF_FEATURES, "LEARNS": LEARNS, **missing, **given}
    )
    return whole


def state_features(_s: State, _seat: int, _out: Features) -> None:
    """Write nothing: the game has no state features."""


def belief_features(_s: State, _seat: int, _out: Features) -> None:
    """Write nothing: the game has no belief features."""


_SECRET = "seed"  # no seat ever sees it
_WIDE = 4  # bytes
_SEAT_BITS, _CODE_BITS = 4, 64


def default_encoding(state: np.dtype[Any], package: str) -> ModuleType:
    """What stands in for the encoding.py of a game. `state`: its STATE; `package`: the game's."""
    module = ModuleType(f"{package}.encoding")
    vars(module).update(
        PLANES=(
            Plane("seat", _SEAT_BITS, "the own seat, as bits"),
            *(Plane(name, _size(kind), _meaning(name, kind), *_range(kind)) for name, kind in _fields(state)),
        ),
        ACTION_PLANES=(Plane("code", _CODE_BITS, "the action's code, as bits"),),
        CODES=None,
        encode=jit.bind(encode, package),
        action_features=jit.bind(action_features, package),
    )
    return module


def encode(s: State, seat: int, out: Features) -> None:
    """Write the own seat, then all fields of the record one after the other."""
    for bit in range(_SEAT_BITS):
        out[bit] = seat >> bit & 1
    write_fields(s, out[_SEAT_BITS:])


def action_features(_s: State, _seat: int, actions: Actions, count: int, out: Features) -> None:
    """Write each action's code."""
    for i in range(count):
        for bit in range(_CODE_BITS):
            out[i, bit] = actions[i] >> bit & 1


def _fields(state: np.dtype[Any]) -> list[tuple[str, np.dtype[Any]]]:
    return [(name, found[0]) for name, found in (state.fields or {}).items() if name not in (_SECRET, PADDING)]


def _is_wide(kind: np.dtype[Any]) -> bool:
    return kind.base.kind in "iu" and kind.base.itemsize >= _WIDE


def _size(kind: np.dtype[Any]) -> int:
    """How many features a field is."""
    return int(np.prod(kind.shape, dtype=int)) * (8 * kind.base.itemsize if _is_wide(kind) else 1)


def _meaning(name: str, kind: np.dtype[Any]) -> str:
    written = "as bits" if _is_wide(kind) else "as logarithms" if kind.base.kind in "iu" else "as it is"
    return f"the field `{name}`, {written}"


def _range(kind: np.dtype[Any]) -> tuple[float, float]:
    if kind.base.kind == "f":
        return -np.inf, np.inf
    return (-1.0 if kind.base.kind == "i" and not _is_wide(kind) else 0.0), 1.0


def _written(state: Any) -> str:
    """The source of `write_fields` for one type of record, field by field."""
    lines = ["from math import log2", "import numpy as np", "def write_fields(s, out):", "    i = 0"]
    for name, kind in _fields(state):
        width = 8 * kind.base.itemsize
        if _is_wide(kind):
            write = ["n = np.int64(number)", f"for bit in range({width}):", "    out[i + bit] = n >> bit & 1", f"i += {width}"]
        elif kind.base.kind in "iu":
            write = ["n = np.int64(number)", f"out[i] = (log2(1 + n) if n >= 0 else -log2(1 - n)) / {width}", "i += 1"]
        else:
            write = ["out[i] = number", "i += 1"]
        numbers = f"s.{name}.flat" if kind.shape else f"(s.{name},)"
        lines += [f"    for number in {numbers}:", *(f"        {line}" for line in write)]
    return "\n".join(lines)


@jit.by_record(_written)
def write_fields(s: State, out: Features) -> None:
    """Write all numbers of a record but its seed and its padding one after the other."""
