"""What actions led to and how a round ended, as lines of text for a terminal: what a page shows, in the same words."""

from collections.abc import Iterator, Sequence

from arena.engine.outcomes import Cell, Fact, RoundResult, Value
from arena.reports.pages.words import catalogue, filled
from arena.reports.table import LANGUAGES

LED_TO = "led_"
"""How the keys of sentences begin that say what an action led to; a page sets them smaller (round_result.js)."""


def said(fact: Fact, game: str, names: Sequence[str], language: str = LANGUAGES[0]) -> str:
    """A fact in words. `names`: of all seats, as they are shown."""
    words = catalogue(game).get(language, {})
    named = [names[seat] for seat in fact.seats]
    terms = {name: words.get(key, key) for name, key in fact.terms.items()}
    values = {name: _shown(value) for name, value in fact.values.items()}
    known = {**terms, **values, "name": named[0] if named else "", "others": ", ".join(named[1:])}
    return filled(filled(words.get(fact.key, fact.key), terms), known)


def round_lines(found: RoundResult, game: str, names: Sequence[str], language: str = LANGUAGES[0]) -> Iterator[str]:
    """Yield who ended the round, then a line for each seat or team. `names`: of all seats, as they are shown.

    What the last action led to is left out: a terminal has just told it.
    """
    words = catalogue(game).get(language, {})
    yield from (said(fact, game, names, language) for fact in found.facts if not fact.key.startswith(LED_TO))
    for row in found.rows:
        numbers = [f"{words.get(column, column)} {_number(cell)}" for column, cell in zip(found.columns, row.cells) if cell]
        marks = [said(fact, game, names, language) for fact in row.facts]
        yield f"  {' + '.join(names[seat] for seat in row.seats)}: {', '.join([*numbers, *marks])}"


def _number(cell: Cell) -> str:
    return f"{cell.now} ({cell.change:+})" if cell.change else str(cell.now)


def _shown(value: Value) -> str:
    """A value; of cards their texts, without the kind or the deck that a page tells them from others by."""
    return " ".join(card.rpartition(":")[2] for card in value) if isinstance(value, list) else str(value)
