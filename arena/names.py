"""Names, hashes and ids as they may stand in files that others wrote: types that msgspec checks while it reads.

What a stranger's file names becomes part of a path here and there (a bot's hash, a tournament's name), and stands in messages.
So every Struct that is read from a file declares such fields with these types, and nobody checks them a second time.
"""

import re
from typing import Annotated, TypeAlias

import msgspec

NAME = re.compile(r"[a-z0-9_-]{1,40}")
"""What bots, pools and tournaments may be called."""
NAME_RULE = "1 to 40 of a-z, 0-9, _ and -"
NO_NAMES = ("false", "inf", "infinity", "na", "nan", "none", "null", "true")
"""Programs that read YAML, CSV or spreadsheets take these words for no text. What is stored may have such a name still."""
NEW_NAME_RULE = f"{NAME_RULE}, no - first, and none of {', '.join(NO_NAMES)}"
MATCH_ID_DIGITS = 24

_NAMED = rf"\A{NAME.pattern}\Z"
_FOLDER = r"\A[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}\Z"
_SHA256 = r"\A[0-9a-f]{64}\Z"
_OPTIONAL_SHA256 = r"\A([0-9a-f]{64})?\Z"
_HEX = r"\A([0-9a-f]{2}){0,64}\Z"
_MATCH_ID = rf"\A[0-9a-f]{{{MATCH_ID_DIGITS}}}\Z"
_WORDS = {
    _NAMED: NAME_RULE, _FOLDER: "letters, digits, _, - and . (the name of one folder)", _SHA256: "64 hex digits",
    _OPTIONAL_SHA256: "64 hex digits", _HEX: "pairs of hex digits", _MATCH_ID: f"{MATCH_ID_DIGITS} hex digits",
}  # fmt: skip

Name: TypeAlias = Annotated[str, msgspec.Meta(pattern=_NAMED)]
"""The name of a bot, a pool or a tournament, as this version gives it."""
FolderName: TypeAlias = Annotated[str, msgspec.Meta(pattern=_FOLDER)]
"""The name of one folder: it leads neither up nor down."""
Sha256: TypeAlias = Annotated[str, msgspec.Meta(pattern=_SHA256)]
"""A SHA-256 as 64 hex digits."""
OptionalSha256: TypeAlias = Annotated[str, msgspec.Meta(pattern=_OPTIONAL_SHA256)]
"""A SHA-256 as 64 hex digits, or nothing: the archive has neither a plan nor a key of its own."""
HexBytes: TypeAlias = Annotated[str, msgspec.Meta(pattern=_HEX)]
"""A secret or its like: no more than 64 bytes, as pairs of hex digits."""
MatchId: TypeAlias = Annotated[str, msgspec.Meta(pattern=_MATCH_ID)]
"""A match's identifier: 24 hex digits."""


def may_be_given(name: str) -> bool:
    """Return whether something new may have this name."""
    return NAME.fullmatch(name) is not None and name[0] != "-" and name not in NO_NAMES  # --help is no argument of a command


def in_words(error: Exception) -> str:
    """Return what msgspec says about a file, with these types in words.

    >>> try:
    ...     msgspec.convert("../../x", Sha256)
    ... except msgspec.ValidationError as error:
    ...     in_words(error)
    '64 hex digits are needed'
    """
    text = str(error)
    for pattern, words in _WORDS.items():
        text = text.replace(f"Expected `str` matching regex {pattern!r}", f"{words} are needed")
    return text
