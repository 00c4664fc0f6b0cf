"""A few actions that nobody sees, before a match: they load what is compiled, and the first click does not wait for it."""

import contextlib
import random

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.match import Answer, Fault, play
from arena.server.people.store import PERSON
from arena.server.table_process.arranging import Arranged
from arena.server.table_process.telling import Teller

ACTIONS = 12
"""How many actions are played."""
_SEED = 0  # of cards and actions that are no match's


class _Enough(Exception):
    """Raised to end a match: so many actions were played."""


def rehearse(table: Arranged) -> None:
    """Play some actions of another deal at a table, and tell them to nobody."""
    game, setup = table.game, table.setup
    teller = Teller(
        game, setup.options, game.deal(len(setup.players), setup.options, _SEED), table.people, lambda message: None, None
    )  # fmt: skip
    dice, left = random.Random(_SEED), ACTIONS

    def played(action: int) -> None:
        nonlocal left
        teller.played(action)
        left -= 1
        if not left:
            raise _Enough

    other = msgspec.structs.replace(setup, deal_seed=_SEED)
    seats = [_Rehearsing(seat, teller if seat in table.people else None, dice) for seat in range(len(setup.players))]
    with contextlib.suppress(_Enough):
        play(game, other, seats, observer=played)


class _Rehearsing:
    """Somebody who plays any action; implements match.Seat."""

    isolation = PERSON
    wants_forced = False

    def __init__(self, seat: int, teller: Teller | None, dice: random.Random) -> None:
        self._seat, self._teller, self._dice = seat, teller, dice
        self._choices = 0

    def start(self, info: StartInfo) -> Fault | None:
        """Take part."""
        return None

    def ask(self, view: View) -> None:
        """Be told as a person is."""
        self._choices = len(view.legal)
        if self._teller is not None:
            self._teller.ask(self._seat, view)

    def answer(self) -> Answer | Fault:
        """Choose any action."""
        return Answer(self._dice.randrange(self._choices), 0.0, 0.0)

    def end(self, result: EndInfo) -> None:
        """Do nothing."""
