"""Maps memory that is shared, huge, or of a device: no limit counts it. Expected: refused; the bot plays on: played, no blame."""

import ctypes
import mmap
import os

from attempts import syscall, try_all

SIZE = 1 << 21
SHARED_VALIDATE = 3
HUGETLB = 0x40000
OWN, NULL = os.open("main.py", os.O_RDONLY), os.open("/dev/null", os.O_RDWR)  # later no file can be opened
try:
    ZERO = os.open("/dev/zero", os.O_RDWR)
except OSError:
    ZERO = -1


def attack(reply):
    def device(flags, protection):
        return lambda: mmap.mmap(os.dup(ZERO), SIZE, flags, protection)

    def made_writable():
        libc = ctypes.CDLL(None, use_errno=True)
        libc.mmap.restype = ctypes.c_void_p
        where = libc.mmap(None, ctypes.c_size_t(4096), mmap.PROT_READ, mmap.MAP_SHARED, OWN, ctypes.c_long(0))
        if libc.mprotect(ctypes.c_void_p(where), ctypes.c_size_t(4096), mmap.PROT_READ | mmap.PROT_WRITE):
            raise OSError(ctypes.get_errno(), "mprotect")

    try_all(
        device(mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE), device(mmap.MAP_SHARED, mmap.PROT_READ),
        device(mmap.MAP_PRIVATE, mmap.PROT_READ), made_writable,
        lambda: mmap.mmap(OWN, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE),
        lambda: mmap.mmap(NULL, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE),
        lambda: mmap.mmap(-1, SIZE, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS),
        lambda: mmap.mmap(-1, SIZE, SHARED_VALIDATE | mmap.MAP_ANONYMOUS),
        lambda: mmap.mmap(-1, SIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | HUGETLB),
        syscall(29, 0, SIZE, 0o600), syscall(216, 0, 4096, 0, 0, 0), syscall(319, b"x", 0), syscall(447, 0),
    )  # fmt: skip
