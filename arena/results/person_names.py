"""The names of people: which ones nobody can have, and which ones look alike."""

import re
import unicodedata

LONGEST_NAME = 24
"""Characters of a name."""
MOST_MARKS = 3
"""Marks above and below one letter; scripts need two. With more a name would cover the lines around it."""
_UNSEEN = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Letters and marks that take no room, or nothing but room: two names could look alike by them."""
_LOOK_ALIKES = (
    ("\u0430\u0432\u0435\u050d\u04bb\u0456\u0458\u043a\u04cf\u043c\u043d", "abeghijklmh"),  # Cyrillic
    ("\u043e\u0440\u051b\u0455\u0442\u0443\u0475\u051d\u0445\u0501", "opqstyvwxd"),
    ("\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7", "abehikmnoptyx"),  # Greek
    ("\u0131\u0251\u0261\u0585\u057d\u0578\u0570\u0581", "iagounhg"),  # others
)
"""Letters of other scripts that look like Latin ones, in capitals or in small letters, and the Latin ones."""
_AS_LATIN = {ord(one): other for theirs, latin in _LOOK_ALIKES for one, other in zip(theirs, latin, strict=True)}


class BadName(ValueError):
    """A name that nobody can have. Its text is the key of a sentence in the pages' words."""


def checked_name(offered: str) -> str:
    """A name as it is shown. Raises BadName."""
    name = unicodedata.normalize("NFC", " ".join(offered[: 20 * LONGEST_NAME].split()))
    if not 1 <= len(name) <= LONGEST_NAME:
        raise BadName("refusal_name_length")
    marks = "".join("m" if unicodedata.category(letter) in ("Mn", "Me") else "." for letter in name)
    if not name.isprintable() or _UNSEEN.search(name) or marks[0] == "m" or "m" * (MOST_MARKS + 1) in marks:
        raise BadName("refusal_name_letters")
    return name


def folded_name(name: str) -> str:
    """A name without what only its writing tells from another one.

    >>> folded_name("ＡＹＡ") == folded_name("aya")
    True
    """
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def latin_look(folded: str) -> str:
    """A folded name in the Latin letters that it looks like.

    >>> latin_look(folded_name("\u0410\u0443\u0430"))
    'aya'
    """
    return folded.translate(_AS_LATIN)
