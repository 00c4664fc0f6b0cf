"""The bots of a live table: as in any match, or, in real time, each in a thread of its own that no tick waits for."""

import threading
from queue import Empty, SimpleQueue

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.errors import BotError
from arena.match import Answer, Fault, HostTrouble, Seat
from arena.match.model_seat import ISOLATION as MODEL
from arena.records import Ending
from arena.server.table_process.input_queue import WAIT, InputQueue, harmless, report


class BotAtTable:
    """Passes everything on to a bot's seat; implements match.Seat. A bot that does not start breaks the table."""

    def __init__(self, seat: Seat, name: str, queue: InputQueue) -> None:
        """`name`: of the bot, for messages."""
        self.wants_forced = False
        self._seat = seat
        self._name = name
        self._queue = queue
        self._view: View | None = None
        self._answered: Answer | Fault | None = None
        self._place = 0

    @property
    def isolation(self) -> str:
        """The isolation level of the bot."""
        return self._seat.isolation

    def start(self, info: StartInfo) -> Fault | None:
        """Get the bot ready. Raises BotError where it fails: nothing is played yet, and others can be chosen."""
        fault = self._seat.start(info)
        if fault is not None:
            raise BotError(f"{self._name} does not start: {fault.reason}")
        self.wants_forced, self._place = self._seat.wants_forced, info.seat
        return None

    def ask(self, view: View) -> None:
        """Put a decision to the bot."""
        self._queue.broadcaster.begin()
        self._view, self._answered = view, None
        self._seat.ask(view)
        self._queue.asked.append(self)

    def read(self) -> None:
        """Wait for the bot's answer, and keep it: it computes no more while a person thinks who chooses at the same time."""
        if self._answered is None:
            self._answered = self._seat.answer()

    def answer(self) -> Answer | Fault:
        """Wait for the bot's answer."""
        self.read()
        assert self._answered is not None
        return self._without_host_faults(self._answered)

    def end(self, result: EndInfo) -> None:
        """Tell the bot how the match ended."""
        self._seat.end(result)

    def _without_host_faults(self, answer: Answer | Fault) -> Answer | Fault:
        """The answer. Where the machine failed the bot, people shall not lose their match: it plays something harmless.

        Not for a language model, whose actions are its own or nobody's. Raises HostTrouble for one that cannot be asked.
        """
        if isinstance(answer, Fault) and answer.ending is Ending.HOST and self._seat.isolation == MODEL:
            raise HostTrouble(self._place, answer.reason)
        if isinstance(answer, Fault) and answer.ending is Ending.HOST:
            assert self._view is not None
            report(f"{self._name}: {answer.reason}")
            return harmless(self._view)
        return answer


class BotInTime(BotAtTable):
    """A bot in real time. What it has not answered when the tick ends is `wait`.

    What it answers later counts in the tick in which it answers, if it is legal there.
    """

    def __init__(self, seat: Seat, name: str, queue: InputQueue) -> None:
        """`name`: of the bot, for messages."""
        super().__init__(seat, name, queue)
        self._asked: SimpleQueue[View] = SimpleQueue()
        self._answers: SimpleQueue[tuple[View, Answer | Fault]] = SimpleQueue()
        self._thinks = False
        self._has_answered = threading.Event()

    def start(self, info: StartInfo) -> Fault | None:
        """Get the bot ready, and its thread."""
        super().start(info)
        self.wants_forced = False
        threading.Thread(target=self._think, name=f"bot on seat {info.seat}", daemon=True).start()
        return None

    def ask(self, view: View) -> None:
        """Put the present tick to the bot, unless it still thinks about an earlier one."""
        self._queue.broadcaster.begin()
        self._queue.open_tick()
        self._view = view
        if not self._thinks:
            self._thinks = True
            self._has_answered.clear()
            self._asked.put(view)

    def answer(self) -> Answer | Fault:
        """Return what the bot has answered when the tick is over."""
        self._queue.end_tick()
        try:
            about, answer = self._answers.get_nowait()
        except Empty:
            return Answer(WAIT, 0.0, 0.0)
        self._thinks = False
        if about is self._view or isinstance(answer, Fault):
            return self._without_host_faults(answer)
        assert self._view is not None
        chosen = answer.action
        if type(chosen) is int and 0 <= chosen < len(about.legal):
            chosen = about.legal[chosen]
        if chosen not in about.legal:
            return answer  # a fault in any tick
        return Answer(chosen if chosen in self._view.legal else WAIT, answer.cpu_seconds, answer.wall_seconds)

    def wait(self) -> None:
        """Wait until the bot has answered what it was asked last; no tick does."""
        self._has_answered.wait()

    def _think(self) -> None:
        while True:
            view = self._asked.get()
            self._seat.ask(view)
            self._answers.put((view, self._seat.answer()))
            self._has_answered.set()
