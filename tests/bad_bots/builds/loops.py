"""Computes for ever. Expected: used more than 1 s of CPU time."""

while True:
    pass
