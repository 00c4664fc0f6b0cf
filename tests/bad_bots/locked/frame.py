"""The frame of the hostile bots of locked seats. A file of attacks follows it, then a line that names one (helpers/attacks.py)."""

import ctypes
import os
from collections.abc import Callable

from arena.agent import Agent, View

LIBC = ctypes.CDLL(None, use_errno=True)
REFUSALS = (OSError, TypeError, MemoryError, ValueError, ImportError, RuntimeError)


class Attacker(Agent):
    """Plays five legal decisions, then attacks."""

    games = ("naga",)
    wants_forced = True
    asked = 0

    def act(self, view: View) -> object:
        self.asked += 1
        answer = ATTACK(self, view) if self.asked == 6 else None
        return view.legal[0] if answer is None else answer


def ends(ending: str) -> Callable:
    """An attack that ends the match so, and its bot is to blame; what it returns is its action."""
    return lambda attack: attack


def refused(attack: Callable) -> Callable:
    """An attack that gets nothing: whatever it returns, it got. The bot plays on, and nobody is to blame."""
    return all_refused(lambda bot, view: {"it": lambda: attack(bot, view)})


def all_refused(attacks: Callable) -> Callable:
    """Several attacks by name that get nothing, as above."""

    def attack(bot: Agent, view: View) -> None:
        for name, attempt in attacks(bot, view).items():
            try:
                print("GOT", name, attempt())
            except REFUSALS as error:
                print("REFUSED", name, type(error).__name__, error)

    return attack


def found(what: object) -> object:
    """Return what an attack looked for; to find nothing is to be refused."""
    if not what:
        raise OSError(0, "nothing found")
    return what


def system(call: str, *words: object) -> int:
    """A call of the C library."""
    result = getattr(LIBC, call)(*words)
    if result < 0:
        raise OSError(ctypes.get_errno(), call)
    return result
