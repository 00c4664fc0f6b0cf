"""When a search ends: its simulations are played, or its CPU time is spent."""

from arena.engine import jit
from arena.engine.machine import thread_nanoseconds
from arena.search.workspace import (
    BEGAN,
    DONE,
    LAST_READING,
    NANOSECONDS,
    NEXT_READING,
    SIMULATIONS,
    SLOWEST,
    SPENT,
    Workspace,
)

READING = 0.01  # share of a time budget after which the clock is read again
STEP = 1_000_000  # nanoseconds by which the clock of a locked bot goes; see match/sandbox/clocks.py
AFTERWARDS = 40_000  # nanoseconds from the last simulation until the bot has its findings


@jit.generic
def is_spent(ahead: int, w: Workspace) -> bool:
    """Whether `ahead` more simulations would exceed the budget, if each took as long as the slowest so far.

    The first simulation is always played. The clock is read rarely, as that takes half a microsecond.
    """
    done = w.counters[DONE]
    if done == 0:
        return False
    if w.settings[SIMULATIONS] > 0 and done + ahead > w.settings[SIMULATIONS]:
        return True
    if w.settings[NANOSECONDS] == 0 or done < w.counters[NEXT_READING]:
        return False
    budget = w.settings[NANOSECONDS] - AFTERWARDS
    spent = thread_nanoseconds() - w.settings[BEGAN]
    read = w.counters[LAST_READING]
    if spent <= w.counters[SPENT]:  # the clock goes in steps, and has made none
        w.counters[NEXT_READING] = done + 1 + (done - read) // 8
        return False
    if read > 0:  # the time before the first reading includes preparations
        w.counters[SLOWEST] = max(w.counters[SLOWEST], (spent - w.counters[SPENT]) // (done - read))
    w.counters[LAST_READING] = done
    w.counters[SPENT] = spent
    w.counters[NEXT_READING] = done + 1 + int(READING * budget * done / spent)
    surely = spent - STEP if spent % STEP == 0 else spent  # the search may have begun just before a step
    return bool(spent + max(surely // done, w.counters[SLOWEST]) * ahead > budget)
