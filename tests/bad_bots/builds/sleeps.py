"""Sleeps for ever. Expected: took more than 15 s of wall time."""

import time

time.sleep(1e6)
