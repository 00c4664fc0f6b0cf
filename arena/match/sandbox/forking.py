"""The other end of `forker`: a process that forks children for a worker until the worker is gone."""

import os
import select
import socket
import traceback
from collections.abc import Callable, Mapping

from arena.match.sandbox import kernel, wire

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
