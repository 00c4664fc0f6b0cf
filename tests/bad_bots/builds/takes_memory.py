"""Takes memory in several processes, each of which takes little. Expected: of memory, 64 MB are allowed."""

import os
import time

for _ in range(4):
    if os.fork() == 0:
        break
kept = bytearray(os.urandom(1 << 20)) * 30
time.sleep(1e6)
