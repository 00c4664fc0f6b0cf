"""Says of each attempt whether it was refused. Not an attack itself."""

import ctypes
import os
import sys


def try_all(*attempts):
    for attempt in attempts:
        try:
            got = attempt()
        except (OSError, MemoryError, RuntimeError, ValueError) as error:
            print("REFUSED", type(error).__name__, error, file=sys.stderr)
        else:
            print("GOT", repr(got)[:80], file=sys.stderr)
    sys.stderr.flush()


def syscall(*words):
    """A call that Python does not offer, as an attempt."""

    def attempt():
        libc = ctypes.CDLL(None, use_errno=True)
        result = libc.syscall(*words)
        if result < 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        return result

    return attempt
