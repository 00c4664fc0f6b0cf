"""Dies of a real-time signal, which Python has no name for. Expected: crash; blame: bot."""

import signal
import threading


def attack(reply):
    signal.pthread_kill(threading.get_ident(), 35)
