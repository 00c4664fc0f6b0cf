"""Ignores every signal and computes without end. Expected: timeout; blame: bot."""

import signal


def attack(reply):
    for number in signal.valid_signals():
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    while True:
        pass
