"""What stands in for the sketch.py of a room that has none: no numbers at all, so that nothing can be learnt from them."""

from types import ModuleType

from arena.engine import jit
from arena.engine.contract import SKETCHING, Features, State

SKETCH, CLUE = 0, 0
LEARNS: tuple[int, ...] = ()


def sketched(module: ModuleType | None, package: str) -> ModuleType:
    """A room's `sketch` module with the defaults for what it leaves out; None: the room has none. `package`: the room's."""
    given = {} if module is None else vars(module)
    missing = {name: jit.bind(globals()[name], package) for name in SKETCHING if name not in given}
    whole = ModuleType(f"{package}.sketch")
    vars(whole).update({"SKETCH": SKETCH, "CLUE": CLUE, "LEARNS": LEARNS, **missing, **given})
    return whole


def sketch(_s: State, _seat: int, _out: Features) -> None:
    """Write nothing: the room has no sketch."""


def clue(_s: State, _seat: int, _out: Features) -> None:
    """Write nothing: the room has no clue."""
