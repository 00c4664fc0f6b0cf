"""Runs a command whose file system refuses what foreign and network file systems refuse: modes, links, locks.

`python poor_disk.py modes,links,locks COMMAND...`: the kernel itself says no (seccomp), to the command and all that it starts.
"""

import ctypes
import errno
import os
import platform
import struct
import sys

IS_POSSIBLE = sys.platform == "linux" and platform.machine() == "x86_64"
MODES, LINKS, LOCKS = "modes", "links", "locks"
_FCNTL, _LOCK_COMMANDS = 72, (5, 6, 7, 36, 37, 38)
_REFUSED = {  # numbers of calls on x86-64, and what they say
    MODES: ((90, 91, 268, 452), errno.EPERM),
    LINKS: ((86, 265), errno.ENOTSUP),
    LOCKS: ((73,), errno.ENOLCK),
}
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_ALLOW, _ERROR = 0x7FFF0000, 0x00050000


def command(*kinds: str) -> list[str]:
    """The beginning of a command line that runs what follows on such a disk."""
    return [sys.executable, __file__, ",".join(kinds)]


def _filter(kinds: list[str]) -> bytes:
    code = [(_LOAD, 0, 0, 0)]
    for kind in kinds:
        numbers, error = _REFUSED[kind]
        for number in numbers:
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | error)]
    if LOCKS in kinds:
        code += [(_EQUAL, 1, 0, _FCNTL), (_RETURN, 0, 0, _ALLOW), (_LOAD, 0, 0, 24)]  # the second argument
        for number in _LOCK_COMMANDS:
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERROR | errno.ENOLCK)]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *line) for line in code)


def main() -> None:
    """Refuse, and become the command."""
    kinds, *words = sys.argv[1:]
    code = _filter(kinds.split(","))
    held = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("<HxxxxxxQ", len(code) // 8, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")
    os.execv(words[0], words)


if __name__ == "__main__":
    main()
