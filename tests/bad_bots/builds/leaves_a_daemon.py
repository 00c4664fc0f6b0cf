"""Leaves a process behind, whose parent has ended, and which holds its output. Expected: built; the process is gone."""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

if os.fork() == 0:
    with contextlib.suppress(OSError):
        os.setsid()
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        os.execv(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(1e6)", Path("mark.txt").read_text()])
    os._exit(0)
time.sleep(0.2)
Path("bot").write_text("made")
