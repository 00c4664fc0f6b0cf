"""`python -m arena` and the `arena` command."""

import atexit
import os
import sys

HASH_SEED = "PYTHONHASHSEED"  # also in tournament/workers/processes.py, which is too heavy to import here
BLAS_THREADS = "OPENBLAS_NUM_THREADS"
"""One is enough: our matrices are small, on a busy machine threads wait for each other, and their number changes digits."""


def run() -> None:
    """Run the command line with a fixed string hash, so that a bot that iterates over a set plays the same everywhere."""
    from arena.cli.main import help_listing, main
    from arena.cli.shared.exit_codes import INTERRUPTED, USER_ERROR
    from arena.cli.shared.streams import close_output, mend_descriptors, mend_sizes, open_streams

    mend_descriptors()
    mend_sizes()
    os.environ.setdefault(BLAS_THREADS, "1")  # read when numpy is imported, which it is not yet
    if os.environ.get(HASH_SEED) != "0" and help_listing(sys.argv[1:]) is None:  # a list of commands plays nothing
        os.environ[HASH_SEED] = "0"
        os.execv(sys.executable, [sys.executable, "-P", "-m", "arena", *sys.argv[1:]])  # same process, fresh interpreter
        # (-P: a file of the current folder must not stand in for a module of the standard library)
    codes: list[int] = []
    atexit.register(_end_by_code, codes, INTERRUPTED)  # first, so it is called last
    output = open_streams()
    code = close_output(output, main(), failed=USER_ERROR)
    if code == INTERRUPTED:  # and again: what is left is the interpreter's own end
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)
    codes.append(code)
    sys.exit(code)


def _end_by_code(codes: list[int], code: int) -> None:
    """End with this exit code if it is the one.

    Python would end itself by SIGINT if the interrupt had passed through an `exec` of text, as those of dataclasses are.
    """
    if code in codes:
        os._exit(code)


if __name__ == "__main__":
    run()
