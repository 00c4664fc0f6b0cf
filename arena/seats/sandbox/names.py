"""A bot that is ready may look up no more names.

The kernel keeps what was looked up, also that a name does not exist, and finds it faster the next time. So a bot could tell its
next match what it has seen, by names that it asks for in a folder of the system. Before it is ready it knows no cards, and may
import what it likes. Each call with a path waits for the worker (seccomp's user notification), which lets it go on; once the
bot is ready the worker closes its end, and the kernel refuses all such calls. Nothing in the bot's process can undo that.
"""

import contextlib
import fcntl
import os
import socket
import struct
from functools import cache

from arena.seats.sandbox import seccomp

CALLS = (
    "open", "openat", "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "chdir",
)  # fmt: skip
"""The allowed kernel calls that take a path."""

_NEW_LISTENER = 8
_ASK = 0x7FC0_0000  # SECCOMP_RET_USER_NOTIF
_RECEIVE, _SEND = 0xC050_2100, 0xC018_2101
_QUESTION = struct.Struct("=QII64x")
_ANSWER = struct.Struct("=QqiI")
_GO_ON = 1


def watch(channel: int, *, is_wanted: bool) -> None:
    """Make this process ask before each call with a path, for good; `channel`: the socket to the worker, which gets the gate.

    If that is not wanted, or the kernel does not offer it (another gate is there already), the worker is told so. Needs
    no_new_privs.
    """
    try:
        gates = [seccomp.install(_filter(), _NEW_LISTENER)] if is_wanted else []
    except OSError:
        gates = []
    socket.send_fds(_worker(channel), [b"."], gates)
    for gate in gates:
        os.close(gate)


@cache
def _filter() -> bytes:
    return seccomp.packed(seccomp.answering(CALLS, _ASK))


@cache
def _worker(channel: int) -> socket.socket:
    return socket.socket(socket.AF_UNIX, socket.SOCK_STREAM, fileno=channel)


def prepare(channel: int) -> None:
    """Get ready what `watch` needs, for processes that will be forked from this one.

    `channel`: the number that the socket to the worker will have; some socket must have it now.
    """
    _filter()
    _worker(channel)


class Gate:
    """The worker's end: lets calls with a path go on until it is closed."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def fileno(self) -> int:
        """The descriptor to wait for."""
        return self._descriptor

    def let_pass(self) -> None:
        """Let the call go on that waits, if there still is one."""
        question = bytearray(_QUESTION.size)
        with contextlib.suppress(FileNotFoundError):  # its process was killed meanwhile
            fcntl.ioctl(self._descriptor, _RECEIVE, question)
            number, _, _ = _QUESTION.unpack(question)
            fcntl.ioctl(self._descriptor, _SEND, bytearray(_ANSWER.pack(number, 0, 0, _GO_ON)))

    def close(self) -> None:
        """Have all calls with a path refused from now on."""
        os.close(self._descriptor)


def receive_gate(channel: socket.socket) -> Gate | None:
    """The gate that a child sends; None if its kernel offers none. Raises OSError if the child ended instead."""
    said, descriptors, _, _ = socket.recv_fds(channel, 1, 1)
    if not said:
        raise OSError("the child ended")
    return Gate(descriptors[0]) if descriptors else None
