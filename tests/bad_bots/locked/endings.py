"""Endings: processes that crash, print or never answer."""

import ctypes
import os
import select
import signal
import time

PR_SET_NAME = 15


@ends("crash")
def aborts(bot, view):
    """Aborts its process."""
    os.abort()


@ends("crash")
def exits(bot, view):
    """Ends its process as if all were well."""
    os._exit(0)


@ends("crash")
def pretends_a_broken_cell(bot, view):
    """Ends its process with the code of a cell that could not be locked."""
    print("the cell: not my fault")
    os._exit(98)


@ends("crash")
def raises(bot, view):
    """Raises an error of its own."""
    raise ValueError("no idea")


@ends("crash")
def segfaults(bot, view):
    """Reads address 0."""
    ctypes.string_at(0)


@ends("crash")
def overflows_the_stack(bot, view):
    """Recurses in C until the stack is full."""
    nested = ()
    for _ in range(1_200_000):
        nested = (nested,)
    hash(nested)


@ends("output")
def prints_without_end(bot, view):
    """Prints without end."""
    while True:
        os.write(2, b"spam " * 10000)


@ends("timeout")
def prints_byte_by_byte(bot, view):
    """Prints a letter now and then, and never answers."""
    while True:
        os.write(1, b".")
        time.sleep(0.02)


@ends("timeout")
def loops(bot, view):
    """Computes without end."""
    while True:
        pass


@ends("timeout")
def ignores_signals(bot, view):
    """Computes without end, all signals blocked."""
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGXCPU):
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass


@ends("timeout")
def gives_its_cpu_away(bot, view):
    """Gives the CPU away again and again, so as to seem to get none on a busy machine."""
    while True:
        os.sched_yield()


@ends("timeout")
def naps(bot, view):
    """Naps without end: on a busy machine it is ready to run nearly always, and wants nothing."""
    while True:
        select.select([], [], [], 1e-6)  # time.sleep asks a clock that goes in steps, and may not sleep at all


@ends("timeout")
def sleeps(bot, view):
    """Sleeps without end, which costs no CPU time."""
    time.sleep(3600)


@ends("timeout")
def sleeps_a_little(bot, view):
    """Sleeps at every decision for less than its clock, which costs no CPU time."""
    bot.asked -= 1  # at the next one, too
    time.sleep(0.9 * (view.clock.move + view.clock.bank) + 0.4)


@ends("timeout")
def sleeps_then_computes(bot, view):
    """Sleeps until it is late, then computes for less than half of its clock and sleeps on."""
    limit = view.clock.move + view.clock.bank
    time.sleep(limit)
    began = time.thread_time()
    while time.thread_time() - began < 0.47 * limit:
        pass
    time.sleep(3600)


@ends("timeout")
def has_a_name_that_is_no_text(bot, view):
    """Names its process in bytes that are no text and look like a field, then sleeps."""
    LIBC.prctl(PR_SET_NAME, b"\xff)\rVmPeak: x", 0, 0, 0)
    time.sleep(3600)
