"""Starts threads without end. Expected: memory; blame: bot.

Or, where the kernel can count its threads: refused; the bot plays on.
"""

import sys
import threading


def attack(reply):
    threading.stack_size(32768)
    started = 0
    while True:
        try:
            threading.Thread(target=threading.Event().wait, daemon=True).start()
            started += 1
        except RuntimeError:  # the kernel counts them: no more than a few
            print("REFUSED after", started, file=sys.stderr)
            return reply
