"""Fills the disk by files that have no name any more. Expected: build.disk_mb."""

import os
import sys
import time

block = bytes(range(256)) * 4096
opened = []
for number in range(200):
    opened.append(os.open(f"file{number}", os.O_RDWR | os.O_CREAT))
    os.unlink(f"file{number}")
    try:
        os.write(opened[-1], block)
        os.fsync(opened[-1])
    except OSError as error:
        sys.exit(f"{error.strerror}")
time.sleep(1e6)
