"""Looks for what a rival of the same table could notice. Expected: refused; the bot plays on: played, no blame."""

import ctypes
import fcntl
import os
import time

from attempts import syscall, try_all

OWN = os.open("main.py", os.O_RDONLY)  # no file can be opened once the bot is ready
WAIT, WAKE, REQUEUE, COMPARE_REQUEUE, WAKE_OP, WAIT_BITSET, WAKE_BITSET, REAL_TIME = 0, 1, 3, 4, 5, 9, 10, 256


def attack(reply):
    libc = ctypes.CDLL(None)
    page = ctypes.cast(libc.getpid, ctypes.c_void_p).value & ~0xFFF  # of a library that every seat maps
    word = ctypes.c_uint32.from_address(page).value
    moment = (ctypes.c_long * 2)(0, 1000)
    parent = os.getppid()  # its id is near those of all seats
    others = [(~pid << 3) | 2 for pid in (parent, os.getpid() - 1)]

    def on_page(operation, value):
        attempt = syscall(202, ctypes.c_void_p(page), operation, value, moment, ctypes.c_void_p(page + 4), 0xFFFFFFFF)

        def refused_not_late():
            try:
                return attempt()
            except TimeoutError:
                return "it waited"

        return refused_not_late

    def lock_of(command):
        return lambda: fcntl.fcntl(OWN, command, b"\0" * 32)

    try_all(
        on_page(WAKE, 1), on_page(WAIT, word), on_page(WAIT_BITSET | REAL_TIME, word), on_page(REQUEUE, 1),
        on_page(COMPARE_REQUEUE, 1), on_page(WAKE_OP, 1), on_page(WAKE_BITSET, 1),
        syscall(449, 0, 1, 0, 0, 0), syscall(454, ctypes.c_void_p(page), 0xFFFFFFFF, 1, 2),
        syscall(455, ctypes.c_void_p(page), word, 0xFFFFFFFF, 2, moment, 1), syscall(456, 0, 0, 1, 1),
        syscall(324, 1, 0, 0), syscall(324, 4, 0, 0),
        *(lambda clock=clock: time.clock_gettime(clock) for clock in others), syscall(230, others[0], 0, moment, None),
        syscall(204, parent, 128, ctypes.create_string_buffer(128)), syscall(121, parent), syscall(124, parent),
        syscall(140, 0, parent), syscall(143, parent, ctypes.create_string_buffer(16)), syscall(145, parent),
        syscall(125, (ctypes.c_uint32 * 2)(0x20080522, parent), None), syscall(274, parent, None, None),
        syscall(310, parent, None, 0, None, 0, 0), syscall(312, parent, parent, 0, 0, 0),
        syscall(73, OWN, 2), lock_of(fcntl.F_SETLK), lock_of(fcntl.F_GETLK), lock_of(37), lock_of(36),
        lambda: fcntl.fcntl(OWN, 1024, fcntl.F_RDLCK), syscall(253), syscall(294, 0), syscall(300, 0, 0),
        syscall(68, 7, 0o1666), syscall(64, 7, 1, 0o1666), syscall(240, b"x", 0o102, 0o666, None), syscall(250, 0, 0),
        syscall(203, 0, 8, b"\1" + bytes(7)), syscall(141, 0, 0, 5), syscall(157, 22, 0, 0, 0, 0),
    )  # fmt: skip
