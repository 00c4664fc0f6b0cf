"""Ends its first thread, which is the one that tells of memory, and fills it in another. Expected: memory; blame: bot."""

import ctypes
import threading

from hides_memory import attack as fill


def attack(reply):
    threading.Thread(target=fill, args=(reply,)).start()
    ctypes.CDLL(None).syscall(60, 0)
