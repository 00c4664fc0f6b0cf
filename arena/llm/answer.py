"""What a language model answered, read: a legal action, or what was wrong with it.

The last JSON object of the answer counts, and of it the text under `action`; prose is never searched for an action. A text
that is not exactly a legal action is made one only by what NORMALISATIONS lists, none of which changes what is meant.
Plain functions of texts: `read_answer(text, legal)` for an answer, `same_action(text, legal)` for an action by itself.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

import msgspec

from arena.errors import one_line, printable

ACTION, ILLEGAL, AMBIGUOUS, UNPARSABLE, TRUNCATED, EMPTY = (
    "action", "illegal", "ambiguous", "unparsable", "truncated", "empty",
)  # fmt: skip
"""The kinds of answers."""
FAULTS = (ILLEGAL, AMBIGUOUS, UNPARSABLE, TRUNCATED, EMPTY)
"""The kinds of answers that are the model's fault."""
NORMALISATIONS = (
    "full-width letters, digits and signs count as the plain ones",
    "code fences, quotation marks and a full stop round an action are left out",
    "spaces, also several, commas, semicolons and brackets between words count as one space",
    "capital and small letters count as the same",
    "the suits ♠ ♥ ♦ ♣ count as S H D C, before or behind the rank; 10 counts as T",
    "the cards of an action may stand in another order where only one legal action has these cards, or one has the same ends",
)
"""What is done to an action's text, in this order, before it is no legal action."""
MOST_READ = 1 << 18
"""How many characters of an answer are read: the last ones. No answer of a model is as long."""
SHOWN_END = 200
"""How many characters of the end of an answer are repeated."""
_TRIES = 4_000  # braces that are tried as the beginning of an object: a text of braces alone would be read for minutes
_ROUND_IT = " \t\r\n`'\"“”‘’「」『』<>.。"
_SUITS = str.maketrans({"♠": "S", "♥": "H", "♦": "D", "♣": "C", "♤": "S", "♡": "H", "♢": "D", "♧": "C", "\ufe0f": ""})
_BEHIND = re.compile(r"\b(10|[2-9TJQKA])([♠♥♦♣♤♡♢♧])\ufe0f?", re.IGNORECASE)
_TEN = re.compile(r"\b([SHDC])10\b", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s,;、()\[\]]+")
_DECODER = json.JSONDecoder()


class Answer(msgspec.Struct, frozen=True):
    """A model's answer as it was read."""

    kind: str
    """One of ACTION and the FAULTS."""
    action: str = ""
    """The legal action as canonical text; empty if there is none."""
    raw: str = ""
    """What the model wrote as its action; of an unparsable answer its end. Made printable, at most SHOWN_END characters."""
    why: str = ""
    """Why an action is illegal, in words, where the game knows it; why an answer is unparsable: `no_object` or `no_action`."""
    rule: str = ""
    """The section of the rules that forbids an illegal action, such as "5.2", where the game knows it."""
    candidates: tuple[str, ...] = ()
    """The legal actions that an ambiguous one may mean."""
    notes: str = ""
    """What the model noted for its next decision."""

    @property
    def is_action(self) -> bool:
        """Whether it is a legal action."""
        return self.kind == ACTION


def read_answer(text: str, legal: Sequence[str], *, is_cut: bool = False) -> Answer:
    """Read the answer of a model. `legal`: the legal actions; `is_cut`: it was cut off at the limit of its length.

    Never raises, whatever the text.
    """
    if is_cut:
        return Answer(TRUNCATED, raw=_end(text))
    if not text.strip():
        return Answer(EMPTY)
    found = last_object(text)
    if found is None:
        return Answer(UNPARSABLE, raw=_end(text), why="no_object")
    said, notes = found.get("action"), found.get("notes")
    kept = notes if isinstance(notes, str) else ""
    if not isinstance(said, str):
        return Answer(UNPARSABLE, raw=_end(text), why="no_action", notes=kept)
    candidates = same_action(said, legal)
    if len(candidates) == 1:
        return Answer(ACTION, candidates[0], _shown(said), notes=kept)
    return Answer(AMBIGUOUS if candidates else ILLEGAL, raw=_shown(said), candidates=candidates, notes=kept)


def same_action(text: str, legal: Sequence[str]) -> tuple[str, ...]:
    """The legal actions that a text may mean by the NORMALISATIONS: one as a rule; none for an illegal one.

    >>> same_action("Discard s5,S4", ["call", "discard S4 S5"])
    ('discard S4 S5',)
    """
    if text in legal:
        return (text,)
    plain = normalised(text)
    by_plain: dict[str, list[str]] = {}
    for one in legal:
        by_plain.setdefault(normalised(one), []).append(one)
    if plain in by_plain:
        return tuple(by_plain[plain])
    words = plain.split(" ")
    same = [one for one in by_plain if _same_cards(words, one.split(" "))]
    if len(same) > 1:
        same = [one for one in same if _ends(words) == _ends(one.split(" "))] or same
    return tuple(one for found in same for one in by_plain[found])


def normalised(text: str) -> str:
    """An action's text by the NORMALISATIONS, but for the order of its cards.

    >>> normalised("`ＰＬＡＹ  1 , 2`."), normalised("discard 10♥ ♠4")
    ('play 1 2', 'discard ht s4')
    """
    plain = unicodedata.normalize("NFKC", text).strip(_ROUND_IT)
    plain = _BEHIND.sub(r"\2\1", plain).translate(_SUITS)
    return _BETWEEN.sub(" ", _TEN.sub(r"\1T", plain)).strip().lower()


def last_object(text: str) -> dict[str, object] | None:
    """The last JSON object of a text that lies in no other one; None: there is none, or what begins behind it is none.

    An object that is damaged at the end of an answer was meant to be the answer: the one before it is not.
    """
    plain = unicodedata.normalize("NFKC", text[-MOST_READ:])
    found, at_end = None, 0
    for at in [match.start() for match in re.finditer("{", plain)][-_TRIES:]:
        if at < at_end:  # inside an object that was read
            continue
        try:
            found, at_end = _DECODER.raw_decode(plain, at)
        except (ValueError, RecursionError):  # no object begins here
            continue
    return found if plain.find("{", at_end) < 0 else None


def is_card(word: str) -> bool:
    """Whether a word of a normalised action is a card: a sign or two that are neither a number nor a word."""
    return len(word) <= 2 and not word.isdigit()


def _same_cards(words: Sequence[str], others: Sequence[str]) -> bool:
    """Whether two actions are equal but for the order of their cards: all other words, numbers too, keep their places."""
    if len(words) != len(others) or words[0] != others[0]:
        return False
    places = [place for place, word in enumerate(others) if place and is_card(word)]
    if any(words[place] != others[place] for place in range(len(others)) if place not in places):
        return False
    return Counter(words[place] for place in places) == Counter(others[place] for place in places)


def _ends(words: Sequence[str]) -> frozenset[str]:
    return frozenset((words[1], words[-1]))


def _shown(text: str) -> str:
    return one_line(printable(text, SHOWN_END))


def _end(text: str) -> str:
    return one_line(text.strip()[-SHOWN_END:])
