"""Limits of command bots' programs, in a child process that sets them for itself."""

import errno
import os
import signal

import pytest

from arena.match.sandbox import kernel, lockdown
from arena.records import Limits

pytestmark = pytest.mark.skipif(not kernel.is_known(), reason="Linux alone")


@pytest.mark.parametrize(("shares_user", "code"), [(True, errno.EAGAIN), (False, 0)])
def test_programs_of_one_user_cannot_see_how_many_signals_another_one_has_queued(shares_user: bool, code: int) -> None:
    pid = os.fork()
    if pid == 0:
        found = 255
        try:
            lockdown.apply_limits_to_program(Limits(memory=1 << 30), counts_threads=False, shares_user=shares_user)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
            signal.raise_signal(signal.SIGRTMIN)
            found = 0
        except OSError as error:
            found = error.errno or 255
        finally:
            os._exit(found)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == code
