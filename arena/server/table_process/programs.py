"""The seats of programs that play from their authors' machines: the server passes lines on, this process is their referee.

They get the lines that command bots get (docs/wire-protocol.md), and have time by the wall. While a program is not connected
its clock stands still, for STILL_SECONDS in a match, and then goes on: who cuts the line thinks no longer than others. When it
is back the server asks it again what is still open. A gap in which it did not run is nobody's time (arena/match/awake.py).
"""

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.match import Answer, Fault, awake, protocol, seconds_of_match
from arena.records import Ending
from arena.server.people.store import REMOTE_SEAT
from arena.server.table_process.messages import Cut, Forward, FromTable, GaveUp, Remote, Replied, Resumed, ToTable

GRACE_SECONDS = 60.0
"""How long a program may be without a connection in a match, all times together; then it forfeits."""
STILL_SECONDS = 10.0
"""For how long of that its clock stands still."""
_MOST_LINES = 2  # of a program that wait: there is one answer to a decision, so a second line is a fault
_LONGEST = "a line of more than {:,} bytes"


class ActWithState(protocol.Act, frozen=True, kw_only=True, tag="act", tag_field="type"):
    """An Act for a program that runs bots in Python: it holds what a locked bot in Python gets, which shows nothing more."""

    state: bytes
    """The state as the seat sees it, in Base64."""
    codes: list[int]
    """The codes of the legal actions."""


class Lines:
    """What the server says about remote programs, with the time at which it came; implements the inbox of Programs."""

    def __init__(self, clock: Callable[[], float] = awake.now) -> None:
        self.now = clock
        """The time in seconds."""
        self._queue: SimpleQueue[tuple[float, ToTable]] = SimpleQueue()

    def put(self, message: ToTable) -> None:
        """Add a message; may be called by any thread."""
        self._queue.put((self.now(), message))

    def take(self, seconds: float) -> tuple[float, ToTable] | None:
        """The next message, and when it came; None if there was none within so many seconds."""
        try:
            return self._queue.get(timeout=seconds) if seconds > 0 else self._queue.get_nowait()
        except Empty:
            return None


@dataclass
class _Program:
    """What is known of one program."""

    lines: deque[tuple[float, str]] = field(default_factory=deque)
    """What it said and nobody has read, each with the time at which it came."""
    cut_since: float | None = None
    away: float = 0.0
    """Seconds for which it was not connected, up to the last time that it came back."""
    fault: Fault | None = None

    def away_by(self, now: float) -> float:
        """For how many seconds it was not connected in all."""
        return self.away + (0.0 if self.cut_since is None else now - self.cut_since)

    def still_by(self, now: float) -> float:
        """For how many seconds its clock stood still in all."""
        return min(STILL_SECONDS, self.away_by(now))


class Programs:
    """All remote programs of a table. Read by the thread of the referee whenever it waits for one of them."""

    def __init__(self, inbox: Lines, send: Callable[[FromTable], object]) -> None:
        self._inbox, self._send = inbox, send
        self._known: dict[int, _Program] = {}

    def add(self, seat: int) -> None:
        """A program plays on this seat."""
        self._known[seat] = _Program()

    def tell(self, seat: int, request: protocol.Request, *, is_asked: bool = True) -> None:
        """Send a line to a program; `is_asked`: it has to answer."""
        self._send(Forward(seat=seat, line=protocol.line(request)[:-1].decode(), is_end=not is_asked))

    def heard(self, seat: int, began: float, seconds: float) -> tuple[str, float] | Fault:
        """The answer of a program, and the seconds that it took since `began`, without those in which its clock stood still.

        A Fault if it takes more than `seconds`, or has gone.
        """
        program = self._known[seat]
        still_before = program.still_by(began)
        while True:
            self._serve_all()
            now = self._inbox.now()
            if program.fault is not None:
                return program.fault
            if program.lines:
                came, line = program.lines.popleft()
                used = came - began - (program.still_by(came) - still_before)
                return (line, used) if used <= seconds else _late(used, seconds)
            used = now - began - (program.still_by(now) - still_before)
            grace = GRACE_SECONDS - program.away_by(now)
            if used > seconds:
                return _late(used, seconds)
            if grace <= 0:
                return Fault(Ending.TIMEOUT, f"was not connected for more than {GRACE_SECONDS:g} s of the match")
            left = seconds - used
            if program.cut_since is not None:
                left = min(grace, left + STILL_SECONDS - program.still_by(now))
            self._serve(self._inbox.take(max(0.001, left)))

    def has_said_too_much(self, seat: int) -> bool:
        """Return whether a program has sent a line that nobody asked for."""
        self._serve_all()
        return bool(self._known[seat].lines)

    def now(self) -> float:
        """The time in seconds."""
        return self._inbox.now()

    def _serve_all(self) -> None:
        while (message := self._inbox.take(0)) is not None:
            self._serve(message)

    def _serve(self, arrived: tuple[float, ToTable] | None) -> None:
        if arrived is None:
            return
        at, message = arrived
        program = self._known.get(getattr(message, "seat", -1))
        if program is None:
            return
        match message:
            case Replied(line=line):
                if len(program.lines) < _MOST_LINES:
                    program.lines.append((at, line))
            case Cut():
                program.cut_since = at if program.cut_since is None else program.cut_since
            case Resumed():
                program.away, program.cut_since = program.away_by(at), None
            case GaveUp(ending=ending, reason=reason):
                program.fault = program.fault or Fault(ending, reason)


class RemoteSeat:
    """The seat of a remote program; implements match.Seat."""

    isolation = REMOTE_SEAT

    def __init__(self, programs: Programs, seat: int, seed: int, plan: Remote) -> None:
        """`seed`: for the program's own random generator."""
        self.wants_forced = plan.wants_forced
        self._programs, self._seat, self._seed, self._plan = programs, seat, seed, plan
        self._ids = random.Random(seed)
        self._id = 0
        self._began = 0.0
        self._seconds = 0.0  # for the request that is open
        self._left = 0.0  # for all decisions of the match
        programs.add(seat)

    def start(self, info: StartInfo) -> Fault | None:
        """Tell the program what is played, and wait until it is ready."""
        greeting = protocol.Start(
            id=self._new_id(), protocol=protocol.VERSION, game=info.game, options=info.options, seats=info.seats,
            seat=info.seat, seed=f"{self._seed:032x}", clock=info.clock, params={},
        )  # fmt: skip
        self._left = seconds_of_match(info.clock)
        self._open(greeting, info.clock.start)
        found = self._answered(protocol.Ready)
        if isinstance(found, Fault):
            return Fault(Ending.STARTUP, found.reason)
        ready, _ = found
        return None if ready.ok else Fault(Ending.STARTUP, "says that it is not ready")

    def ask(self, view: View) -> None:
        """Send the decision: the program works from now on."""
        self._open(self._question(view), min(self._left, view.clock.move + view.clock.bank))

    def answer(self) -> Answer | Fault:
        """Wait for the program. It costs wall time, which is charged as CPU time is to others."""
        found = self._answered(protocol.Choice)
        if isinstance(found, Fault):
            return found
        choice, seconds = found
        self._left -= seconds
        return Answer(choice.action, seconds, seconds, is_timed=True)

    def end(self, result: EndInfo) -> None:
        """Tell the program how the match ended."""
        last = protocol.End(id=self._new_id(), places=list(result.places), scores=list(result.scores))
        self._programs.tell(self._seat, last, is_asked=False)

    def _question(self, view: View) -> protocol.Act:
        question = protocol.Act(
            id=self._new_id(), position=view.position, legal=view.legal, events=view.events, clock=view.clock
        )
        if not self._plan.wants_state:
            return question
        return ActWithState(
            **msgspec.structs.asdict(question), state=view._observed.tobytes(), codes=[int(code) for code in view.codes]
        )

    def _open(self, request: protocol.Request, seconds: float) -> None:
        self._began, self._seconds = self._programs.now(), seconds
        self._programs.tell(self._seat, request)

    def _answered(self, kind: type[protocol.R]) -> tuple[protocol.R, float] | Fault:
        found = self._programs.heard(self._seat, self._began, self._seconds)
        if isinstance(found, Fault):
            return found
        line, seconds = found
        body = line.encode("utf-8", "surrogatepass")
        if len(body) > protocol.MESSAGE_BYTES:
            return Fault(Ending.MALFORMED, _LONGEST.format(protocol.MESSAGE_BYTES))
        try:
            reply: protocol.R = protocol.decode(body, kind)
        except protocol.NoMessage as error:
            return Fault(Ending.MALFORMED, str(error))
        if reply.id != self._id:
            return Fault(Ending.PROTOCOL, "a reply to another request than the last one")
        if self._programs.has_said_too_much(self._seat):
            return Fault(Ending.PROTOCOL, "more than one line")
        return reply, seconds

    def _new_id(self) -> int:
        self._id = self._ids.randrange(1, protocol.LARGEST_ID)
        return self._id


def _late(used: float, seconds: float) -> Fault:
    return Fault(Ending.TIMEOUT, f"took {used:.1f} s by the wall, {seconds:.1f} s were left")
