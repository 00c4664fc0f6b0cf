"""`python -m arena` and the `arena` command."""

import os
import sys

HASH_SEED = "PYTHONHASHSEED"  # also in workers/processes.py, which is too heavy to import here


def run() -> None:
    """Run the command line with a fixed string hash, so that a bot that iterates over a set plays the same everywhere."""
    from arena.cli.main import help_listing, main
    from arena.cli.shared.exit_codes import INTERRUPTED

    if os.environ.get(HASH_SEED) != "0" and help_listing(sys.argv[1:]) is None:  # a list of commands plays nothing
        os.environ[HASH_SEED] = "0"
        os.execv(sys.executable, [sys.executable, "-P", "-m", "arena", *sys.argv[1:]])  # same process, fresh interpreter
        # (-P: a file of the current folder must not stand in for a module of the standard library)
    code = main()
    if code == INTERRUPTED:  # and again: what is left is the interpreter's own end
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)
    sys.exit(code)


if __name__ == "__main__":
    run()
