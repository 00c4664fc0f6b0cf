"""Prints gigabytes. Expected: printed more than 64 MB."""

import os

while True:
    os.write(1, b"x" * (1 << 20))
