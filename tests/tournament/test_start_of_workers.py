"""Ctrl-C while worker processes are being started is heard when they are, not halfway: else their start prints a traceback."""

import os
import signal
import threading

import pytest

from arena.tournament.workers.processes import children_deaf_to_ctrl_c


def test_ctrl_c_waits_until_a_process_is_started() -> None:
    """Other threads hear it for the one that starts the process, and Python interrupts that one in the middle."""
    over, halfway = threading.Event(), False
    other = threading.Thread(target=over.wait)
    other.start()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), children_deaf_to_ctrl_c():
            os.kill(os.getpid(), signal.SIGINT)
            over.wait(0.1)
            halfway = True
        assert halfway and signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    finally:
        signal.signal(signal.SIGINT, before)
        over.set()
        other.join()
