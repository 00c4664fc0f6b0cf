"""What the server offers beside tools: pages to read (resources) and texts that begin a conversation (prompts)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

SCHEME = "arena://"
MARKDOWN, PLAIN = "text/markdown", "text/plain"


@dataclass(frozen=True)
class Page:
    """A page, or a pattern for pages that are not listed: its address has parts in braces."""

    uri: str
    title: str
    kind: str = MARKDOWN


@dataclass(frozen=True)
class Argument:
    """An argument of a prompt."""

    name: str
    about: str
    is_needed: bool = False


@dataclass(frozen=True)
class Prompt:
    """A text that begins a conversation."""

    name: str
    about: str
    arguments: Sequence[Argument]
    write: Callable[[Mapping[str, str]], str]
    """Gives the text for some arguments. Raises ConfigError for one that does not fit."""


class NoPage(Exception):
    """Raised for an address under which there is nothing. Its text says what there is."""


@dataclass(frozen=True)
class Catalogue:
    """All pages and prompts of a server."""

    pages: Sequence[Page]
    patterns: Sequence[Page]
    read: Callable[[str], Awaitable[tuple[str, str]]]
    """Gives the text of an address and its kind. Raises NoPage, and ArenaError where it cannot be read."""
    prompts: Sequence[Prompt]
