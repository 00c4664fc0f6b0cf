"""A seat for an untrusted bot in Python: a locked child process behind the interface match.Seat."""

from dataclasses import replace

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View, checked_notes
from arena.engine.readiness import NotCompiled
from arena.errors import printable
from arena.match import SLEEP_SECONDS, Answer, Fault, seconds_of_match
from arena.match.sandbox import wire
from arena.match.sandbox.child import Trouble
from arena.match.sandbox.held import END_SECONDS, LOCK_SECONDS, HeldSeat
from arena.records import Ending


class LockedSeat(HeldSeat):
    """Runs a bot in a locked child of the supervisor's zygote. A context manager; implements match.Seat."""

    _empty_cell: int | None = None  # bytes of address space before the bot's first line
    _decode = staticmethod(wire.decode_reply)  # of an answer to a decision
    _game = ""  # that is played; empty: the bot is only asked what it declares

    @property
    def memory_peak(self) -> int | None:
        """The most bytes of address space that the bot had beyond an empty process, which is what its limit counts."""
        if self._child is None or self._empty_cell is None or not self._child.is_open:
            return None
        peak = self._child.memory_peak("VmPeak")
        return None if peak is None else max(0, peak - self._empty_cell)

    def start(self, info: StartInfo) -> Fault | None:
        """Fork a child, lock it, and get the bot ready in it. Raises NotCompiled like `answer`."""
        self._game = info.game
        self._supervisor.need(info.game)
        try:
            self._spawn(info, info.clock.start)
        except Trouble as trouble:
            fault = self._failed(trouble)
            return fault if fault.ending in (Ending.HOST, Ending.MEMORY) else replace(fault, ending=Ending.STARTUP)
        self._match_seconds = seconds_of_match(info.clock)
        return None

    def listen(self) -> None:
        """Keep what the bot notes and all that it prints; called before `start`."""
        super().listen()
        self._decode = self._overheard  # tournaments pay nothing for it

    def declared(self, seconds: float) -> list[str]:
        """The games that the bot declares; called instead of `start`. Raises Trouble."""
        try:
            return self._spawn(None, seconds).games
        except Trouble as trouble:
            raise Trouble(self._failed(trouble).ending, trouble.reason) from None

    def ask(self, view: View) -> None:
        """Send the decision: the bot works from now on."""
        if self._fault is not None:
            return
        self._id = self._ids.getrandbits(62) + 1
        clock = view.clock
        state = view.state.tobytes()
        question = wire.Ask(self._id, state, view.seat, list(view.codes), view.events, clock.move, clock.bank, clock.start)
        self._limit = clock.move + clock.bank
        self._ask(question)

    def answer(self) -> Answer | Fault:
        """Wait for the bot's reply. It costs all CPU time since the last reply.

        Raises NotCompiled if the bot asks for a part of the game that its process does not have; the seat is over then.
        """
        if self._fault is not None:
            return self._fault
        assert self._child is not None
        try:
            reply, used = self._reply(self._child, self._decode)
            if reply.id != self._id:
                raise Trouble(Ending.PROTOCOL, "a reply to another request than the last one")
            if isinstance(reply, wire.Lacking):
                raise self._not_compiled(reply)
            if isinstance(reply, wire.Action):
                return self._answer(reply.action, used, is_timed=reply.is_timed)
            return self._refused(reply)
        except Trouble as trouble:
            return self._failed(trouble)

    def end(self, result: EndInfo) -> None:
        """Tell the bot how the match ended. Nothing that it does now can change the result."""
        if self._fault is not None or self._child is None:
            return
        self._id = self._ids.getrandbits(62) + 1
        self._ask(wire.End(self._id, EndInfo(list(result.places), list(result.scores))))
        try:
            if self._fault is None:
                said = self._child.receive(
                    self._cpu, END_SECONDS, decode=wire.decode_reply, beyond_is=Ending.TIMEOUT, sleep=END_SECONDS
                )
                self.end_fault = printable(said.reason) if isinstance(said, wire.Failed) else ""
        except Trouble as trouble:
            self.end_fault = trouble.reason
        self.spent.asleep_around += self._child.asleep

    def _spawn(self, info: StartInfo | None, seconds: float) -> wire.Ready:
        self._isolation = self._supervisor.level
        self._child = child = self._supervisor.seat(self._supervisor.bot(self._bot, self._limits))
        self._hear(child)
        try:
            child.take_gate()
            locked = child.receive(0.0, LOCK_SECONDS, decode=wire.decode_reply, beyond_is=Ending.HOST)
        except Trouble as trouble:
            raise Trouble(Ending.HOST, f"a seat could not be locked: {trouble.reason} {child.output}".strip()) from None
        if not isinstance(locked, wire.Locked):
            raise Trouble(Ending.HOST, "a seat could not be locked")
        self._empty_cell = self._supervisor.empty_cell(child)
        self._cpu = child.cpu()
        self.has_begun = True
        start = wire.Start(
            seed=f"{self._seed:x}", params=msgspec.json.encode(self._params), info=info, has_listener=self._listens
        )  # fmt: skip
        child.send(wire.frame(start))
        ready = child.receive(
            self._cpu, seconds, decode=wire.decode_reply, beyond_is=Ending.TIMEOUT, sleep=SLEEP_SECONDS,
            when_slow=self._supervisor.slow,
        )  # fmt: skip
        self.spent.asleep_around += child.asleep
        self._supervisor.turns.rest(child)
        self._cpu = child.cpu()
        if isinstance(ready, wire.Lacking) and ready.id == wire.START_ID:
            raise self._not_compiled(ready)
        if isinstance(ready, wire.Failed):
            raise Trouble(Ending.STARTUP, printable(ready.reason))
        if not isinstance(ready, wire.Ready) or ready.id != wire.START_ID:
            raise Trouble(Ending.PROTOCOL, "another message than that it is ready")
        child.refuse_names()
        self.wants_forced = ready.wants_forced
        return ready

    def _ask(self, message: wire.Request) -> None:
        assert self._child is not None
        try:
            self._request(self._child, wire.frame(message))
        except Trouble as trouble:
            self._failed(trouble)

    def _overheard(self, body: bytes | bytearray | memoryview) -> wire.Reply:
        """The reply in untrusted bytes; the notes that came with it are kept. Raises NoMessage."""
        reply = wire.decode_reply(body)
        if not isinstance(reply, wire.Noted) or reply.id != reply.answer.id:
            return reply
        self._notes = checked_notes(reply.notes)
        return reply.answer

    def _not_compiled(self, reply: wire.Lacking) -> NotCompiled:
        """Return what is raised for a bot that asks for a part of its game.

        Raises Trouble for one that asks for anything else.
        """
        if not self._game or not self._supervisor.lacks(self._game, reply.part):
            raise Trouble(Ending.PROTOCOL, "asks for a part of the game that is there, or is none")
        self.close()
        return NotCompiled(self._game, reply.part)

    def _refused(self, reply: wire.Reply) -> Fault:
        """The fault of a bot that raised or returned no action; its process goes on."""
        if not isinstance(reply, wire.Failed):
            raise Trouble(Ending.PROTOCOL, f"a message that is no action: {type(reply).__name__}")
        if reply.ending not in (Ending.CRASH, Ending.MEMORY, Ending.MALFORMED):
            raise Trouble(Ending.PROTOCOL, "an ending that a bot cannot claim")
        return self._fault_of(Ending(reply.ending), printable(reply.reason))
