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
from typing import Any

from arena.match.sandbox import kernel, seccomp

CALLS = (
    "open", "openat", "stat", "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat",
    "chdir",
)  # fmt: skip
"""The allowed kernel calls that take a path."""

_NEW_LISTENER = 8
_ASK = 0x7FC0_0000  # SECCOMP_RET_USER_NOTIF
_RECEIVE, _SEND = 0xC050_2100, 0xC018_2101
_MESSAGE = struct.Struct("=QI4xQQQQi4x")  # the kernel's msghdr
_RIGHTS = struct.Struct("=Qiii4x")  # its cmsghdr, with one descriptor
_QUESTION = struct.Struct("=QII64x")
_ANSWER = struct.Struct("=QqiI")
_GO_ON = 1


def watch(channel: int, *, is_wanted: bool) -> None:
    """Make this process ask before each call with a path, for good; `channel`: the socket to the worker, which gets the gate.

    If that is not wanted, the worker is told so. Needs no_new_privs. Raises OSError.
    """
    if not is_wanted:
        kernel.require(1, "sendmsg", channel, _message(), 0)
        return
    rights = kernel.Memory(_RIGHTS.pack(_RIGHTS.size - 4, socket.SOL_SOCKET, socket.SCM_RIGHTS, -1))
    gate = _install(into=rights.word(_RIGHTS.size - 8))
    kernel.require(1, "sendmsg", channel, _message(rights), 0)
    kernel.call("close", gate)


def is_offered() -> bool:
    """Whether a child of this process can have a gate: not where another one is there already. Forks one to find out."""
    pid = os.fork()
    if pid == 0:
        with contextlib.suppress(OSError):
            kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
            _install()
            os._exit(0)
        os._exit(1)
    return os.waitpid(pid, 0)[1] == 0


def _install(into: Any = None) -> Any:
    return seccomp.install(kernel.Memory(seccomp.packed(seccomp.answering(CALLS, _ASK))), _NEW_LISTENER, into)


def _message(rights: kernel.Memory | None = None) -> kernel.Memory:
    """A message of one byte to send, as the kernel takes it, with the descriptors in `rights`."""
    said = kernel.Memory(b".")
    part = kernel.Memory(struct.pack("=QQ", said.address, 1))
    if rights is None:
        return kernel.Memory(_MESSAGE.pack(0, 0, part.address, 1, 0, 0, 0), said, part)
    return kernel.Memory(_MESSAGE.pack(0, 0, part.address, 1, rights.address, _RIGHTS.size, 0), said, part, rights)


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
