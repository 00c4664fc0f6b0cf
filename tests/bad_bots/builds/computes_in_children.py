"""Computes in short-lived children that nobody waits for. Expected: used more than 1 s of CPU time."""

import os
import signal
import time

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
while True:
    if os.fork() == 0:
        while time.process_time() < 0.3:
            pass
        os._exit(0)
    time.sleep(0.3)
