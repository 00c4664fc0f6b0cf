"""One locked child as the worker sees it: channel, clocks, output, end. Nothing that comes from it is trusted."""

import contextlib
import math
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from arena.errors import printable
from arena.match import BACKSTOP_FACTOR, BACKSTOP_SECONDS, Starved, awake
from arena.match.sandbox import lockdown, pressure, wire
from arena.match.sandbox.wire import Channel, Cutter, Pipes
from arena.records import Ending

OUTPUT_KEPT = 16 << 10  # bytes of what a bot prints, for the notes
OUTPUT_END_KEPT = 4 << 10  # bytes of the end of it, for its author
OUTPUT_LIMIT = 1 << 20  # bytes in all, then it is killed
_READ_BYTES = 1 << 16
_EXIT_SECONDS = 0.2  # from the end of a child's channel to the end of its process
_GATE_SECONDS = 60.0  # wall time of our own steps before a child is locked in
_TICK = 0.002  # CPU seconds: how far beyond a limit a child is seen
_SLOW = 0.05  # seconds until `when_slow`; nearly all decisions take less
_QUICK = 0.005  # seconds until a closer look at what the child does; more is charged or counted if it sleeps
R = TypeVar("R")


class Trouble(Exception):
    """Raised when a child cannot be used any more; says why."""

    def __init__(self, ending: Ending, reason: str, *, starved: Starved | None = None) -> None:
        """`starved`: see Fault."""
        super().__init__(reason)
        self.ending = ending
        self.reason = reason
        self.starved = starved


class Child:
    """One forked process; killed by `close` at the latest."""

    def __init__(self, pid: int, handle: int, channel: Channel, output: int) -> None:
        self.pid = pid
        self.killed_for = ""
        """Which limit the child exceeded, if it was killed for that; else empty."""
        self.asleep = 0.0
        """For how many seconds the child slept before its last reply, or before it was late."""
        self._spell: pressure.Spell | None = None
        self._at_first = 0.0  # seconds until the spell
        self._handle = handle
        self._channel = channel
        self._outgoing_number = channel.fileno()
        self._output = output
        self._clock = (~pid << 3) | 2  # the CPU clock of another process, as the kernel numbers them
        self._frames: Cutter = wire.Frames()
        self._outgoing = b""
        self._kept = bytearray()
        self._end = b""
        self._heard: bytearray | None = None
        self._printed = 0
        self._prints = True  # until the last holder of the other end is gone
        self._poll = select.poll()
        self._poll.register(channel, select.POLLIN)
        self._poll.register(output, select.POLLIN)
        self._gate: lockdown.Gate | None = None
        self.is_open = True
        self.is_reaped = False
        self._is_paused = False

    @property
    def waited(self) -> float:
        """For how many seconds the child was waited for since its last request, without gaps in which the host did not run."""
        return self._at_first + (0.0 if self._spell is None else self._spell.seconds)

    @property
    def output(self) -> str:
        """The beginning of what the bot printed."""
        return printable(self._kept.decode("utf-8", "replace"), OUTPUT_KEPT)

    @property
    def output_end(self) -> str:
        """The end of what the bot printed."""
        return printable(self._end.decode("utf-8", "replace"), OUTPUT_END_KEPT).strip()

    def cpu(self) -> float:
        """The CPU seconds that the child has used, read from outside."""
        try:
            return time.clock_gettime(self._clock)
        except OSError:  # it is reaped: its zygote is gone
            raise Trouble(Ending.HOST, "the process of the seat was lost") from None

    def memory_peak(self, measure: str) -> int | None:
        """The most bytes so far: `VmPeak` of address space, `VmHWM` of memory in use. None: this machine does not tell."""
        return pressure.memory_of(pressure.status(Path(f"/proc/{self.pid}")), measure)

    def send(self, data: bytes) -> None:
        """Begin to send; `receive` sends the rest. Raises Trouble if the child has sent anything without being asked."""
        if self._poll.poll(0):  # which costs less than to ask for bytes in vain
            self._receive()
        if len(self._frames):
            raise Trouble(Ending.PROTOCOL, "a message that nobody asked for, before the request")
        try:
            sent = self._channel.send(data)
        except BlockingIOError:
            sent = 0
        except OSError:
            raise self._ended() from None
        self._outgoing = data[sent:]
        if self._outgoing:
            self._wait_to_send(True)

    def take_gate(self) -> None:
        """Wait for the gate of a child that locks itself in (lockdown.py), and let its calls pass in `receive` from now on.

        Raises Trouble (host).
        """
        assert isinstance(self._channel, socket.socket)
        came = select.poll()
        came.register(self._channel, select.POLLIN)
        if not came.poll(1000 * _GATE_SECONDS):
            raise Trouble(Ending.HOST, "it does not lock itself in")
        try:
            self._gate = lockdown.receive_gate(self._channel)
        except OSError:
            raise Trouble(Ending.HOST, DIED) from None
        if self._gate is not None:
            self._poll.register(self._gate, select.POLLIN)

    def refuse_names(self) -> None:
        """Refuse the child's calls with a path from now on: it is ready."""
        if self._gate is not None:
            self._poll.unregister(self._gate)
            self._gate.close()
            self._gate = None

    def hand_over(self, channel: Pipes, frames: Cutter, seconds: float) -> None:
        """Wait until the child gives up its channel (it has become a program), then go on with another. Raises Trouble."""
        ended = select.poll()
        ended.register(self._channel, select.POLLIN)
        if not ended.poll(1000 * seconds) or self._channel.recv(1):
            raise Trouble(Ending.HOST, "the program of a seat was not started")
        old = self._channel
        self.use(channel, frames)
        old.close()

    def use(self, channel: Pipes, frames: Cutter) -> None:
        """Use another channel and another way to cut messages from now on."""
        self._poll.unregister(self._channel)
        self._channel, self._frames = channel, frames
        self._outgoing_number = channel.outgoing
        self._poll.register(channel, select.POLLIN)

    def end_input(self) -> None:
        """Close the child's input. Nothing can be sent any more."""
        if isinstance(self._channel, Pipes):
            self._channel.end_output()

    def receive(
        self,
        cpu_from: float,
        cpu_limit: float,
        *,
        decode: Callable[[bytes], R],
        beyond_is: Ending,
        is_last: bool = True,
        sleep: float = math.inf,
        busy_left: float = math.inf,
        wall_left: float = math.inf,
        when_slow: Callable[[], None] = lambda: None,
    ) -> R:
        """The next reply. Raises Trouble when the CPU time since `cpu_from` or the time asleep runs out, and for all else.

        Bytes beside the last reply are trouble too. `sleep`: seconds for which it may sleep, beyond that sleep is charged as
        CPU time; `busy_left`: the most seconds of CPU time and sleep; `wall_left`: the most seconds to wait, whatever the
        backstop says; `when_slow` is called once if there is no reply soon. All of this from the first moment on that is no
        quick reply; afterwards `asleep` says for how long it slept.

        Whatever the child sends, prints or reads, all clocks are read after each wake that brings no whole reply, and the
        deadlines stay where they are.
        """
        self.asleep, self._at_first, self._spell = 0.0, 0.0, None
        found = True
        if (body := self._message()) is None:
            began = time.perf_counter()
            found = self._wait(min(cpu_limit, _QUICK))
            self._at_first = min(_QUICK, time.perf_counter() - began)
            body = self._message()
        if body is None:  # else it is over, as nearly always
            self._spell = spell = pressure.Spell(self.pid, self.cpu())
            deadline = min(BACKSTOP_FACTOR * cpu_limit + BACKSTOP_SECONDS, wall_left)
            is_told = False
        while body is None:  # from here on it is not quick
            if not is_told and (is_told := self.waited >= _SLOW):
                when_slow()
            cpu = self.cpu()
            used = cpu - cpu_from
            if used > cpu_limit:
                raise Trouble(beyond_is, f"used {used:.3f} s of CPU time, {cpu_limit:.3f} s were left")
            if not found:
                spell.look(cpu)
            self.asleep = asleep = spell.asleep(cpu)
            if used + max(0.0, asleep - sleep) > cpu_limit or used + asleep > busy_left:
                raise Trouble(beyond_is, f"no answer in {spell.seconds:.1f} s: {_account(used, asleep)}")
            if spell.seconds > deadline:
                raise self._too_late(spell, cpu, used, beyond_is)
            found = self._wait(min(cpu_limit - used + _TICK, awake.BEAT if is_told else _SLOW))
            body = self._message()
        if self._spell is not None:
            self.asleep = self._spell.asleep(self.cpu())
        return self._decoded(body, decode, is_last=is_last)

    def read_output(self) -> None:
        """Read what the child has printed up to now."""
        with contextlib.suppress(Trouble):  # too much of it
            while self._drain():
                pass

    def hear_all(self) -> None:
        """Keep all that the child prints, for `take_heard`: it is killed before that is much."""
        self._heard = bytearray()

    def take_heard(self) -> str:
        """Return what the child has printed since this was called last, as far as it was read."""
        heard, self._heard = self._heard or bytearray(), bytearray()
        return heard.decode("utf-8", "replace")

    def pause(self) -> None:
        """Stop the child until `resume`: it computes nothing meanwhile, whatever it does about signals."""
        if not self._is_paused:
            self._is_paused = True
            self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a paused child go on."""
        if self._is_paused:
            self._is_paused = False
            self._signal(signal.SIGCONT)

    def kill_for(self, reason: str) -> None:
        """Kill the child because it exceeded a limit."""
        self.killed_for = reason
        self.kill()

    def kill(self) -> None:
        """Kill the child, unless it has ended."""
        self._signal(signal.SIGKILL)

    def has_ended(self, seconds: float = 0.0) -> bool:
        """Return whether the process is over, waiting for that at most `seconds`."""
        over = select.poll()
        over.register(self._handle, select.POLLIN)
        return bool(over.poll(1000 * seconds))

    def close(self) -> None:
        """Kill the child and close the descriptors; what it has printed is read first."""
        if self.is_open:
            self.is_open = False
            self.kill()
            self.read_output()
            self.refuse_names()
            self._channel.close()
            os.close(self._output)
            os.close(self._handle)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, number)

    def _wait(self, seconds: float) -> bool:
        """Wait; returns whether bytes have come."""
        found = self._poll.poll(1000 * seconds)
        for descriptor, events in found:
            if descriptor == self._output:
                self._drain()
                continue
            if self._gate is not None and descriptor == self._gate.fileno():
                self._serve_gate(events)
                continue
            if descriptor == self._outgoing_number and self._outgoing:
                self._flush()
            if descriptor == self._channel.fileno() and events & ~select.POLLOUT and not self._receive():
                raise self._ended()
        return bool(found)

    def _serve_gate(self, events: int) -> None:
        assert self._gate is not None
        if events & select.POLLIN:
            self._gate.let_pass()
        else:  # nobody is left who could ask
            self.refuse_names()

    def _message(self) -> bytes | None:
        """The next message, or None. Raises Trouble for bytes that are none."""
        try:
            return self._frames.take()
        except wire.NoMessage as wrong:
            raise Trouble(Ending.MALFORMED, str(wrong)) from None

    def _too_late(self, spell: pressure.Spell, cpu: float, used: float, beyond_is: Ending) -> Trouble:
        """Return what it is if a child was late, and has not used up its clock: nobody's fault if it lacked a CPU.

        The child's, if it slept most of that time, or if the cores idled meanwhile on which it may run.
        """
        waited, ready, idle = spell.seconds, spell.delay(cpu), spell.idle_share()
        taken = spell.taken_share(cpu)
        seen = (
            f"{_account(used, spell.asleep(cpu))}, {ready:.1f} s ready without a CPU, its cores idle for {100 * idle:.0f} %, "
            f"used by others for {100 * taken:.0f} %"
        )
        if ready >= waited / 2 and idle <= pressure.MOST_IDLE:
            starved = Starved(waited, is_proven=taken >= pressure.TAKEN * ready / waited)
            return Trouble(Ending.HOST, f"{seen} of {waited:.1f} s: the machine is short of CPU", starved=starved)
        return Trouble(beyond_is, f"no answer in {waited:.1f} s: {seen}")

    def _decoded(self, body: bytes, decode: Callable[[bytes], R], *, is_last: bool) -> R:
        if is_last and (len(self._frames) or self._outgoing):
            raise Trouble(Ending.PROTOCOL, "more than one reply to one request")
        try:
            return decode(body)
        except wire.NoMessage as wrong:
            raise Trouble(Ending.MALFORMED, str(wrong)) from None

    def _receive(self) -> bool:
        """Receive what has come; False at the end of the channel."""
        try:
            data = self._channel.recv(_READ_BYTES)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        self._frames.add(data)
        return bool(data)

    def _flush(self) -> None:
        try:
            self._outgoing = self._outgoing[self._channel.send(self._outgoing) :]
        except BlockingIOError:
            return
        except OSError:
            raise self._ended() from None
        if not self._outgoing:
            self._wait_to_send(False)

    def _wait_to_send(self, is_wanted: bool) -> None:
        """Choose whether to wake up when the child can take more bytes."""
        if self._outgoing_number == self._channel.fileno():
            self._poll.modify(self._channel, select.POLLIN | (select.POLLOUT if is_wanted else 0))
        elif is_wanted:
            self._poll.register(self._outgoing_number, select.POLLOUT)
        else:
            self._poll.unregister(self._outgoing_number)

    def _drain(self) -> bool:
        """Read what the child printed; False if there is no more for now. Raises Trouble beyond the limit."""
        try:
            data = os.read(self._output, _READ_BYTES)
        except BlockingIOError:
            return False
        if not data:
            if self.is_open and self._prints:
                self._poll.unregister(self._output)
            self._prints = False
            return False
        self._kept += data[: OUTPUT_KEPT - len(self._kept)]
        self._end = (self._end + data)[-OUTPUT_END_KEPT:]
        if self._heard is not None:
            self._heard += data
        self._printed += len(data)
        if self._printed > OUTPUT_LIMIT:
            raise Trouble(Ending.OUTPUT, f"printed more than {OUTPUT_LIMIT:,} bytes")
        return True

    def _ended(self) -> Trouble:
        """The fault of a child whose channel is closed: the process has died, or it still runs, which is a bot's trick."""
        if self.has_ended(_EXIT_SECONDS):
            return Trouble(Ending.CRASH, DIED)
        return Trouble(Ending.PROTOCOL, "closed its channel to the worker")


def _account(used: float, asleep: float) -> str:
    return f"{used:.3f} s of CPU time, {asleep:.1f} s asleep"


DIED = "the process ended"
