"""Which parts of a game a bot's sources ask for, so that they can be compiled before its first match.

A guess from the text, nothing of which is run. What it names in vain costs time; what it misses is compiled when a bot asks for
it (arena/engine/readiness.py).
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from arena.agent.files import BotFiles
from arena.engine.readiness import ENCODING, SAMPLING, SAMPLING_ENTRIES
from arena.search.methods import METHODS

SOURCE_BYTES = 1 << 20  # of a bot that are read; more is data, or somebody wants to keep us busy
_SEARCH, _METHOD = "search", "method"
_FEATURES = ("features", "action_features", "has_policy")
_DEFAULT = next(iter(METHODS))
_OTHER, _SEARCHES = 0, 1
_QUOTED = "|".join(
    (
        r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)',
        r"'''(?:[^'\\]++|\\.|'(?!''))*+(?:'''|\Z)",
        r'"(?:[^"\\\n]++|\\.)*+(?:"|(?=\n)|\Z)',
        r"'(?:[^'\\\n]++|\\.)*+(?:'|(?=\n)|\Z)",
    )
)
_TOKEN = re.compile(
    rf"(?s:(?P<text>(?P<prefix>\b[rRbBuUfF]{{1,2}})?(?P<inside>{_QUOTED}))|(?P<blank>\#[^\n]*+|\\\n|[^\S\n]++)|(?P<name>[^\W\d]\w*+)"
    r"|(?P<other>\*\*|\n|\d\w*+|.))"
)
_NAME = re.compile(r"[^\W\d]\w*+")


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
    found = [_Scan(source.decode("utf-8", "replace")) for source in sources]
    return frozenset().union(*(one.words for one in found)), any(one.leaves_open for one in found)


def _read(bot: BotFiles) -> tuple[frozenset[str], bool]:
    """The names and texts in a bot's sources, and whether a search is called that names no method."""
    if bot.command is not None or bot.model is not None:  # a program has no search: it is told positions, and answers
        return frozenset(), False
    sources, left = [], SOURCE_BYTES
    for name, content in sorted(bot.files.items(), key=lambda file: (file[0] != bot.main, file[0])):
        if name.endswith(".py") and len(content) <= left:
            sources.append(content)
            left -= len(content)
    return _read_by_hash(bot.sha256, tuple(sources))


class _Scan:
    """What a source asks for, in one pass over its text: a syntax tree takes 200 times the memory of the text."""

    def __init__(self, source: str) -> None:
        self.words: set[str] = set()
        """Names behind a dot, names that are imported from a module, and texts."""
        self.leaves_open = False
        """Whether there is a search that neither names a method nor takes its settings from elsewhere."""
        self._before = ("", "")  # the last two tokens
        self._text: str | None = None  # the texts that stand one behind the other
        self._calls: list[int] = []  # of each open bracket: what it is the call of
        self._from = self._imports = False
        for found in _TOKEN.finditer(source):
            self._take(found)
        self._end_text()
        if self._calls:  # no Python: the bot will see to that itself
            self.words, self.leaves_open = set(), False

    def _take(self, found: re.Match[str]) -> None:
        token, kind = found[0], found.lastgroup
        if kind == "blank":
            return
        if kind == "text":
            self._text = (self._text or "") + found["inside"].strip("\"'")
            if "f" in (found["prefix"] or "").lower():
                self.words.update(_NAME.findall(found["inside"]))
        else:
            self._end_text()
            if token in "([{":
                is_search = self._before[1] == _SEARCH and self._before[0] not in ("def", "class")
                self._calls.append(_SEARCHES if is_search else _OTHER)
            elif token in ")]}":
                self.leaves_open |= bool(self._calls) and self._calls.pop() == _SEARCHES
            elif token in "\n;":
                self._imports = self._from = self._imports and bool(self._calls)
            else:
                self._take_name(token, is_name=kind == "name")
        if token != "\n":
            self._before = (self._before[1], "" if kind == "text" else token)

    def _take_name(self, token: str, *, is_name: bool) -> None:
        before, last = self._before
        if is_name and ((self._imports and last != "as") or (last == "." and not self._from)):
            self.words.add(token)
        if token == "from":
            self._from = True
        self._imports |= self._from and token == "import"
        is_given = (token == "=" and last == _METHOD and before in ("(", ",")) or (token == "**" and last in ("(", ","))
        if is_given and self._calls:
            self._calls[-1] = _OTHER

    def _end_text(self) -> None:
        if self._text is not None:
            self.words.add(self._text)
            self._text = None


def _texts(value: Any) -> frozenset[str]:
    """All texts in the parameters, keys too."""
    if isinstance(value, str):
        return frozenset({value})
    if isinstance(value, Mapping):
        return frozenset().union(*map(_texts, [*value, *value.values()]))
    if isinstance(value, list | tuple):
        return frozenset().union(*map(_texts, value))
    return frozenset()
