"""What searches go by where a room has no rollout.py, or one that leaves something out: random play-outs, scores as values.

`filled` compiles each missing function for the room that lacks it. The defaults suit a game in which seats choose one after the
other, more points are better, and a seat learns of hidden things only what it sees other seats do. A room defines:

- `evaluate` where fewer points are better, or where points alone do not say who is ahead;
- `private_code` where a seat learns something between its decisions that no action shows, such as cards drawn or turned up;
- `reopen` where seats choose simultaneously, and `choice_code` where equal choices can have different codes.
"""

from types import ModuleType

from arena.engine import jit
from arena.engine.contract import ROLLOUT, Actions, Constant, Defaults, Numbers, State, scores
from arena.engine.rng import Words, below

CONSTANTS: tuple[Constant, ...] = ()
DEFAULTS = Defaults(selection="ucb", evaluate=0, prior=0.0, exploration=0.7, expansion=1)


def filled(rollout: ModuleType | None, package: str) -> ModuleType:
    """A room's `rollout` with the defaults for what it leaves out; None: the room has none. `package`: the room's."""
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
