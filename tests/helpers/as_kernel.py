"""Runs Python on a kernel that lacks a call: `python as_kernel.py NAME ERROR arguments...`.

A seccomp filter of our own makes the call fail: so an old kernel says no (ENOSYS), or a container's profile (EPERM).
"""

import ctypes
import errno
import os
import struct
import sys

from arena.match.sandbox import kernel, seccomp


def lose(name: str, error: int) -> None:
    """The call `name` fails from now on, for this process and all below it."""
    number = kernel.number(name)
    assert number is not None
    program = [(0x20, 0, 0, 0), (0x15, 0, 1, number), (0x06, 0, 0, 0x0005_0000 | error), (0x06, 0, 0, 0x7FFF_0000)]
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
    buffer = ctypes.create_string_buffer(code, len(code))
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    kernel.call("seccomp", seccomp._SET_MODE_FILTER, 0, struct.pack("=H6xQ", len(program), ctypes.addressof(buffer)))


if __name__ == "__main__":
    lose(sys.argv[1], getattr(errno, sys.argv[2]))
    os.execv(sys.executable, [sys.executable, *sys.argv[3:]])
