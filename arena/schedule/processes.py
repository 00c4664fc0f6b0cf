"""Ties between processes: a child that dies with its parent."""

import ctypes
import os
import signal
import sys

_SET_PARENT_DEATH_SIGNAL = 1  # prctl(2)


def die_with_parent(parent: int) -> None:
    """Be killed when the parent thread that started this process ends (Linux; elsewhere the pipes' end must do)."""
    if sys.platform != "linux":
        return
    ctypes.CDLL(None, use_errno=True).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before the call
        os._exit(1)
