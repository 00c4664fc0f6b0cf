"""The seat of a bot that is to blame for a match that could not be played: it forfeits, and the others play on."""

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.match import Answer, Fault
from arena.match.in_process import ISOLATION


class BlamedSeat:
    """Fails at the start, with a known fault; no code of the bot is run. Implements match.Seat."""

    isolation = ISOLATION
    wants_forced = False

    def __init__(self, fault: Fault) -> None:
        self._fault = fault

    def start(self, info: StartInfo) -> Fault:
        """The fault."""
        return self._fault

    def ask(self, view: View) -> None:
        """Never called: a seat that fails at the start has forfeited."""
        raise AssertionError

    def answer(self) -> Answer | Fault:
        """Never called either."""
        raise AssertionError

    def end(self, result: EndInfo) -> None:
        """Never called either."""
        raise AssertionError

    def close(self) -> None:
        """Do nothing: there is no process."""
