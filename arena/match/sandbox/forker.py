"""Both ends of a process that forks children when it is told to (the zygote, or the template of a bot), until its worker is
gone.
"""

import os
import select
import socket
import traceback
from collections import deque
from collections.abc import Callable, Mapping

import msgspec

from arena.match.sandbox import kernel, wire
from arena.match.sandbox.child import Child, Trouble
from arena.records import Ending

CELL_FAILED = 98  # exit code of a child whose lock or loop failed: ours, unless a bot says so itself
_REAP_SECONDS = 0.02  # between looks at children that nobody asks after
_MOST_DESCRIPTORS = 5  # of a seat: its socket and output; of a command bot also its two pipes and its program

Run = Callable[..., None]
"""What a child does with the descriptors that came for it; it does not come back."""


def serve(control: socket.socket, runs: Mapping[bytes, Run]) -> None:
    """Do what the worker at the other end of `control` says until it is gone. `runs`: by the words that ask for a child."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    dropped: set[int] = set()
    while True:
        while not poll.poll(1000 * _REAP_SECONDS if dropped else None):
            _reap(dropped)
        word, descriptors, _, _ = socket.recv_fds(control, 256, _MOST_DESCRIPTORS)
        _reap(dropped)
        if not word:
            return
        if word in runs:
            _fork(control, runs[word], descriptors)
        elif word.startswith(wire.STATUS):
            _, status = os.waitpid(int(word.removeprefix(wire.STATUS)), 0)
            control.send(b"%d" % status)
        elif word.startswith(wire.DROP):
            dropped.add(int(word.removeprefix(wire.DROP)))


def _fork(control: socket.socket, run: Run, descriptors: list[int]) -> None:
    pid = kernel.fork()
    if pid == 0:
        try:
            run(*descriptors)
        except BaseException:
            os.write(2, b"the cell: " + traceback.format_exc(limit=-3).encode("ascii", "backslashreplace"))
        os._exit(CELL_FAILED)
    handle = os.pidfd_open(pid)
    socket.send_fds(control, [b"%d" % pid], [handle])
    for descriptor in (*descriptors, handle):
        os.close(descriptor)


def _reap(dropped: set[int]) -> None:
    for pid in list(dropped):
        if os.waitpid(pid, os.WNOHANG)[0]:
            dropped.discard(pid)


ANSWER_SECONDS = 30.0


class Forker:
    """Tells one process to fork, and asks it how its children ended."""

    def __init__(self, control: socket.socket, pid: int) -> None:
        """`control`: a socket of messages to it; closing it ends the process."""
        self.pid = pid
        self.is_lost = False
        """Whether it has not answered: it is no use any more."""
        self.empty_cell: int | None = None
        """What Supervisor.empty_cell says of its children, once that is known."""
        self._control = control
        self._begun: deque[Begun] = deque()  # asked for and not answered
        control.settimeout(ANSWER_SECONDS)

    def is_ready_for(self, bot: wire.Bot) -> bool:
        """Tell a new template which bot it is for, and wait until it can fork seats; False: it never will."""
        try:
            self._control.send(msgspec.msgpack.encode(bot))
            return self._control.recv(256) == wire.READY
        except OSError:
            return False

    def fork(self, word: bytes, *descriptors: int) -> tuple[int, int]:
        """Have a child forked that gets the descriptors; returns its process id and a handle (pidfd). Raises Trouble (host)."""
        if self._begun:
            self.finish(self._begun[-1])
        try:
            socket.send_fds(self._control, [word], list(descriptors))
        except OSError:
            raise self._lost() from None
        return self._forked()

    def spawn(self, *descriptors: int) -> Child:
        """A child for a seat, which waits to be told who it is. Raises Trouble (host).

        `descriptors`: what one that will be a command bot gets beside its socket and its output (see launch.arrange).
        """
        return self.finish(self.begin(*descriptors))

    def begin(self, *descriptors: int) -> "Begun":
        """Ask for a child like `spawn`, and do not wait for it. Raises Trouble (host)."""
        ours, theirs = socket.socketpair()
        reader, writer = os.pipe()
        ours.setblocking(False)
        os.set_blocking(reader, False)
        begun = Begun(ours, reader)
        try:
            socket.send_fds(self._control, [wire.SPAWN], [theirs.fileno(), writer, *descriptors])
        except OSError:
            begun.close()
            raise self._lost() from None
        finally:
            theirs.close()
            os.close(writer)
        self._begun.append(begun)
        return begun

    def finish(self, begun: "Begun") -> Child:
        """The child that was asked for. Raises Trouble (host)."""
        while begun.child is None and self._begun:  # the answers come in the order of the questions
            first = self._begun[0]
            first.child = Child(*self._forked(), first.channel, first.output)
            self._begun.popleft()
        if begun.child is None:
            raise self._lost()
        return begun.child

    def _forked(self) -> tuple[int, int]:
        try:
            said, handles, _, _ = socket.recv_fds(self._control, 256, 1)
            return int(said), handles[0]
        except (OSError, ValueError, IndexError):
            raise self._lost() from None

    def status(self, pid: int) -> int:
        """The wait status of a child that has ended. Raises Trouble (host)."""
        if self._begun:
            self.finish(self._begun[-1])
        try:
            self._control.send(wire.STATUS + b"%d" % pid)
            return int(self._control.recv(256))
        except (OSError, ValueError):
            raise self._lost() from None

    def drop(self, pid: int) -> None:
        """Say that nobody needs the status of this killed child any more."""
        try:
            self._control.send(wire.DROP + b"%d" % pid)
        except OSError:
            self._lost()

    def close(self) -> None:
        """End the process, and its children with it."""
        self._control.close()
        self._forget_begun()

    def _lost(self) -> Trouble:
        self.is_lost = True
        self._forget_begun()
        return Trouble(Ending.HOST, "the process that forks seats was lost")

    def _forget_begun(self) -> None:
        while self._begun:
            self._begun.popleft().close()


class Begun:
    """A child that was asked for."""

    def __init__(self, channel: socket.socket, output: int) -> None:
        self.channel = channel
        self.output = output
        self.child: Child | None = None
        """The child, once the process that forks it has answered."""

    def close(self) -> None:
        """Close the descriptors of a child that never came."""
        self.channel.close()
        os.close(self.output)
