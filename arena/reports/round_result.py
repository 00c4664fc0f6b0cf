"""How a round ended, as lines of text for a terminal: what a page shows, in the same words."""

from collections.abc import Iterator, Sequence

from arena.engine.outcomes import Cell, Fact, RoundResult
from arena.reports.pages.words import catalogue, filled
from arena.reports.table import LANGUAGES


def round_lines(found: RoundResult, game: str, names: Sequence[str], language: str = LANGUAGES[0]) -> Iterator[str]:
    """Yield who ended the round, then a line for each seat or team. `names`: of all seats, as they are shown."""
    words = catalogue(game).get(language, {})

    def said(fact: Fact) -> str:
        named = [names[seat] for seat in fact.seats]
        values = {**fact.values, "name": named[0] if named else "", "others": ", ".join(named[1:])}
        return filled(words.get(fact.key, fact.key), values)

    yield from map(said, found.facts)
    for row in found.rows:
        numbers = [f"{words.get(column, column)} {_number(cell)}" for column, cell in zip(found.columns, row.cells) if cell]
        yield f"  {' + '.join(names[seat] for seat in row.seats)}: {', '.join([*numbers, *map(said, row.facts)])}"


def _number(cell: Cell) -> str:
    return f"{cell.now} ({cell.change:+})" if cell.change else str(cell.now)
