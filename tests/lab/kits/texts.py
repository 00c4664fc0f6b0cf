"""What the files of all languages begin with, and comments cut to a width."""

import textwrap

from lab.kits.schema import Protocol

WIDTH = 110
WRITTEN = "Written from protocol.schema.json: do not change it."


def title(protocol: Protocol) -> str:
    """What a file of types is."""
    return f"The messages of the {protocol.title.partition(':')[0]}"


def comment(prefix: str, text: str) -> list[str]:
    """A text as lines that begin with a prefix."""
    return textwrap.wrap(text, WIDTH, initial_indent=prefix, subsequent_indent=prefix, break_on_hyphens=False)
