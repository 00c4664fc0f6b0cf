"""Fills its folder with files. Expected: build.disk_mb."""

import sys
from pathlib import Path

block = bytes(range(256)) * 4096
for number in range(10_000):
    try:
        Path(f"file{number}").write_bytes(block)
    except OSError as error:
        sys.exit(f"{error.strerror}")
