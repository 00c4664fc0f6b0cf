"""Names its threads in bytes that are no text and look like fields, then sleeps. Expected: timeout; blame: bot."""

import threading
import time


def sleep():
    try:
        with open("/proc/thread-self/comm", "wb") as file:
            file.write(b"\xff)\rVmHWM: x")
    except OSError:
        try:
            import ctypes

            ctypes.CDLL(None).prctl(15, b"\xff)\rVmHWM: x", 0, 0, 0)
        except ImportError:
            pass
    time.sleep(3600)


def attack(reply):
    threading.Thread(target=sleep, daemon=True).start()
    sleep()
