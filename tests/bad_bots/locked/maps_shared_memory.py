"""Maps memory of a device, shared, huge, or made writable later."""

import ctypes
import mmap
import os


SIZE = 1 << 21
BOTH = mmap.PROT_READ | mmap.PROT_WRITE
SHARED_VALIDATE, HUGETLB = 3, 0x40000
OWN = os.open(__file__, os.O_RDONLY)
try:
    DEVICE = os.open("/dev/zero", os.O_RDWR)
except OSError:
    DEVICE = -1


def made_writable() -> None:
    LIBC.mmap.restype = ctypes.c_void_p
    where = LIBC.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_SHARED, OWN, ctypes.c_long(0))
    if LIBC.mprotect(ctypes.c_void_p(where), ctypes.c_size_t(4096), BOTH):
        raise OSError(ctypes.get_errno(), "mprotect")


ATTEMPTS = {
    "device": lambda: mmap.mmap(os.dup(DEVICE), SIZE, mmap.MAP_SHARED, BOTH),
    "device, read": lambda: mmap.mmap(os.dup(DEVICE), SIZE, mmap.MAP_SHARED, mmap.PROT_READ),
    "file": lambda: mmap.mmap(OWN, os.stat(OWN).st_size, mmap.MAP_SHARED, BOTH),
    "validated": lambda: mmap.mmap(-1, SIZE, SHARED_VALIDATE | mmap.MAP_ANONYMOUS),
    "huge": lambda: mmap.mmap(-1, SIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | HUGETLB),
    "later": made_writable,
}


@all_refused
def maps_shared_memory(bot, view):
    """Maps memory of a device, shared, huge, or made writable later."""
    return ATTEMPTS
