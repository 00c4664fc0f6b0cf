"""Names its threads in bytes that are no text and look like fields, then sleeps. Expected: timeout; blame: bot."""

import ctypes
import threading
import time

PR_SET_NAME = 15


def sleep():
    ctypes.CDLL(None).prctl(PR_SET_NAME, b"\xff)\rVmHWM: x", 0, 0, 0)
    time.sleep(3600)


def attack(reply):
    threading.Thread(target=sleep, daemon=True).start()
    sleep()
