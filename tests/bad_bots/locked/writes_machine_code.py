"""Writes machine code, and executable memory to hold it."""

import ctypes
import mmap
import os
from pathlib import Path


SIZE = 4096
READ, WRITE, EXECUTE = mmap.PROT_READ, mmap.PROT_WRITE, mmap.PROT_EXEC
PRIVATE = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
LIBC.mmap.restype = ctypes.c_void_p
OWN = os.open(__file__, os.O_RDONLY)
LIBRARY = os.open(os.__file__, os.O_RDONLY)


def mapped(rights: int, flags: int = PRIVATE, file: int = -1) -> ctypes.c_void_p:
    place = ctypes.c_void_p(LIBC.mmap(None, ctypes.c_size_t(SIZE), rights, flags, file, ctypes.c_long(0)))
    if place.value == ctypes.c_void_p(-1).value:
        raise OSError(ctypes.get_errno(), "mmap")
    return place


def changed(place: ctypes.c_void_p, rights: int) -> None:
    if LIBC.mprotect(place, ctypes.c_size_t(SIZE), rights):
        raise OSError(ctypes.get_errno(), "mprotect")


def of_a_file_written_before() -> None:
    place = mapped(READ | WRITE, mmap.MAP_PRIVATE, LIBRARY)
    changed(place, READ | EXECUTE)


def of_a_library_written_after() -> None:
    place = mapped(READ | EXECUTE, mmap.MAP_PRIVATE, LIBRARY)
    changed(place, READ | WRITE)
    changed(place, READ | EXECUTE)


def callback() -> None:
    ctypes.CFUNCTYPE(None)(print)()


ATTEMPTS = {
    "at once": lambda: mapped(READ | WRITE | EXECUTE),
    "empty": lambda: mapped(READ | EXECUTE),
    "later": lambda: changed(mapped(READ | WRITE), READ | EXECUTE),
    "of a file, to write": lambda: mapped(READ | WRITE | EXECUTE, mmap.MAP_PRIVATE, LIBRARY),
    "of a file written before": of_a_file_written_before,
    "of a library written after": of_a_library_written_after,
    "of a callback": callback,
}
if Path(__file__).parent == Path("/bot"):  # elsewhere no file system of its own
    ATTEMPTS["of its own file"] = lambda: mapped(READ | EXECUTE, mmap.MAP_PRIVATE, OWN)


@all_refused
def writes_machine_code(bot, view):
    """Writes machine code, and executable memory to hold it."""
    return ATTEMPTS
