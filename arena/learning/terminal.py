"""What learning programs show on their terminal: tables as text, and a line before something is compiled."""

import sys

from arena.errors import visible


def show(text: str) -> None:
    """Print a text on standard output, whatever is in it made visible."""
    print(visible(text), flush=True)


def note(text: str) -> None:
    """Print a text on standard error, whatever is in it made visible."""
    print(visible(text), file=sys.stderr, flush=True)
