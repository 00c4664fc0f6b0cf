"""Which parts of a room a bot's sources ask for, so that they can be compiled before its first match.

A guess from the text, nothing of which is run. What it names in vain costs time; what it misses is compiled when a bot asks for
it (arena/readiness.py).
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from arena.agent.files import BotFiles
from arena.readiness import ENCODING, SAMPLING, SAMPLING_ENTRIES
from arena.search.methods import METHODS

SOURCE_BYTES = 1 << 20  # of a bot that are read; more is data, or somebody wants to keep us busy
_SEARCH, _METHOD = "search", "method"
_FEATURES = ("features", "action_features", "has_policy")
_DEFAULT = next(iter(METHODS))


def parts_asked(bot: BotFiles, params: Mapping[str, Any]) -> frozenset[str]:
    """The search methods that a bot with these parameters may use.

    And SAMPLING if it draws worlds or plays at random, ENCODING if it looks at features, or for a learnt policy.
    """
    words, leaves_open = _read(bot)
    parts = {SAMPLING} if words.intersection(SAMPLING_ENTRIES) else set()
    if words.intersection(_FEATURES):
        parts.add(ENCODING)
    if _SEARCH in words:
        named = {method for method in METHODS if method in words or method in _texts(params)}
        parts |= named | ({_DEFAULT} if leaves_open or not named else set())
    return frozenset(parts)


@lru_cache(maxsize=256)
def _read_by_hash(_sha256: str, sources: tuple[bytes, ...]) -> tuple[frozenset[str], bool]:
    words: set[str] = set()
    leaves_open = False
    for source in sources:
        for node in _nodes(source):
            words.update(_words(node))
            leaves_open |= isinstance(node, ast.Call) and _leaves_method_open(node)
    return frozenset(words), leaves_open


def _read(bot: BotFiles) -> tuple[frozenset[str], bool]:
    """The names and texts in a bot's sources, and whether a search is called that names no method."""
    if bot.command is not None:  # a program has no search: it is told positions, and answers
        return frozenset(), False
    sources, left = [], SOURCE_BYTES
    for name, content in sorted(bot.files.items(), key=lambda file: (file[0] != bot.main, file[0])):
        if name.endswith(".py") and len(content) <= left:
            sources.append(content)
            left -= len(content)
    return _read_by_hash(bot.sha256, tuple(sources))


def _nodes(source: bytes) -> Iterable[ast.AST]:
    try:
        return ast.walk(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # the bot will see to that itself
        return ()


def _words(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.ImportFrom):
        yield from (alias.name for alias in node.names)


def _leaves_method_open(call: ast.Call) -> bool:
    """Whether this is a search that neither names a method nor takes its settings from elsewhere."""
    called = call.func
    name = called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""
    return name == _SEARCH and all(keyword.arg not in (None, _METHOD) for keyword in call.keywords)


def _texts(value: Any) -> frozenset[str]:
    """All texts in the parameters, keys too."""
    if isinstance(value, str):
        return frozenset({value})
    if isinstance(value, Mapping):
        return frozenset().union(*map(_texts, [*value, *value.values()]))
    if isinstance(value, list | tuple):
        return frozenset().union(*map(_texts, value))
    return frozenset()
