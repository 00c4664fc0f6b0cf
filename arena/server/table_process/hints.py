"""Hints: what the compiled search would play with what a seat knows."""

import math
import threading
from collections.abc import Callable, Mapping
from typing import Any

from arena.agent.view import View
from arena.server.table_process.messages import Advice, Envelope, FromTable, Hint

SEARCH: Mapping[str, Any] = {"time": 0.35}
"""How long a hint is searched for: seconds of CPU time."""
SHOWN = 5
"""The most actions of a hint."""


class Adviser:
    """Gives hints to people, each in a thread of its own: nobody else has to wait for it."""

    def __init__(self, send: Callable[[FromTable], object], search: Mapping[str, Any] = SEARCH) -> None:
        """`search`: the settings of the search."""
        self._send = send
        self._search = search
        self._busy: set[int] = set()
        self._newest: dict[int, Hint] = {}

    def advise(self, seat: int, decision: int, view: View) -> None:
        """Send a hint for a decision when it is found; nothing if one for this seat is still being searched for.

        A decision is searched once: who asks again gets the same hint, and costs nothing.
        """
        newest = self._newest.get(seat)
        if newest is not None and newest.decision == decision:
            self._send(Envelope(seat=seat, message=newest))
        elif seat not in self._busy:
            self._busy.add(seat)
            threading.Thread(target=self._find, args=(seat, decision, view), name="hint", daemon=True).start()

    def _find(self, seat: int, decision: int, view: View) -> None:
        try:
            found = self._newest[seat] = hint(view, decision, self._search)
            self._send(Envelope(seat=seat, message=found))
        finally:
            self._busy.discard(seat)


def hint(view: View, decision: int, settings: Mapping[str, Any]) -> Hint:
    """What the search finds from the view, and from nothing else."""
    if len(view.legal) == 1:
        only = Advice(action=view.legal[0], visits=0, value=None)
        return Hint(decision=decision, best=view.legal[0], simulations=0, choices=[only], loss=None)
    found = view.search(**settings)
    ranked = sorted(found.choices, key=lambda choice: (choice.action != found.best, -choice.visits))
    choices = [
        Advice(action=one.action, visits=one.visits, value=round(one.value, 4) if math.isfinite(one.value) else None)
        for one in ranked[:SHOWN]
    ]
    first, second = choices[0].value, choices[1].value
    loss = None if first is None or second is None else round(max(0.0, first - second), 4)
    return Hint(decision=decision, best=found.best, simulations=found.simulations, choices=choices, loss=loss)
