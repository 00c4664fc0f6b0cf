"""Takes memory, makes it read-only so that the limit of data does not count it, and takes more. Expected: memory; blame: bot."""

import ctypes
import mmap

SIZE = 16 << 20


def attack(reply):
    libc = ctypes.CDLL(None, use_errno=True)
    taken = []
    while True:
        block = mmap.mmap(-1, SIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        block.write(b"x" * SIZE)
        where = ctypes.addressof(ctypes.c_char.from_buffer(block))
        if libc.mprotect(ctypes.c_void_p(where), ctypes.c_size_t(SIZE), 1):
            return
        taken.append(block)
