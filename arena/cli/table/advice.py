"""What a person may ask at the table: why a card cannot be played, what a perfect memory knows, what a search would do."""

from collections.abc import Sequence
from typing import Any

from arena.agent.view import View
from arena.cli.table.screen import tell
from arena.reports.pages.words import catalogue, filled
from arena.reports.table import LANGUAGES
from arena.server.table_process.coach import known, refusals
from arena.server.table_process.hints import SEARCH, hint


def show_hint(view: View) -> None:
    """Print what the compiled search would play with what the seat knows, and what other choices lose."""
    found = hint(view, 0, SEARCH)
    if len(view.legal) == 1:
        tell(f"hint: {found.best} (there is nothing else)")
        return
    tell(f"hint: {found.best}  ({found.simulations:,} matches imagined)")
    best = found.choices[0].value
    for choice in found.choices:
        value = "never tried" if choice.value is None else f"value {choice.value:.2f}"
        lost = "" if choice is found.choices[0] or None in (best, choice.value) else f", {_lost(best, choice.value)}"
        tell(f"{choice.action}: {value}{lost}, tried {choice.visits:,} times", "  ")


def show_why(view: View, card: str) -> None:
    """Print why cards cannot be played now: of `card`, or of all that can be explained."""
    found = refusals(view)
    chosen = [one for one in found if not card or card.lower() in (one.card.lower(), _plain(one.card).lower())]
    for one in chosen:
        values = {name: _shown(value) for name, value in one.values.items()}
        tell(f"{_plain(one.card)}: {filled(_word(view.game, one.why), values)}  (rules {one.rule})", "  ")
    if chosen:
        return
    named = [action for action in view.legal if card and card.lower() in action.lower().split()]
    if named:
        tell(f"{card} can be played: {', '.join(named[:3])}{' ...' if len(named) > 3 else ''}")
    elif card:
        others = f"; there is something about: {', '.join(dict.fromkeys(_plain(one.card) for one in found))}" if found else ""
        tell(f"Nothing to say about {card!r}{others}. `rules` shows the rules.")
    else:
        tell("No card here needs a reason; `rules` shows the rules.")


def show_known(view: View, names: Sequence[str]) -> None:
    """Print what a perfect memory knows beyond the table. `names`: of the seats."""
    groups = known(view)
    if not groups:
        tell("Nothing beyond what the table shows.")
    for group in groups:
        cards = ", ".join(_plain(card) if count == 1 else f"{_plain(card)} x{count}" for card, count in group.cards)
        values = {} if group.seat is None else {"name": names[group.seat], "seat": group.seat}
        tell(f"{filled(_word(view.game, group.title), values)}: {cards}", "  ")


def _plain(card: str) -> str:
    """A card's text without the kind or the deck that a page tells it from others by, such as `S3` for `0:S3`."""
    return card.rpartition(":")[2]


def _lost(best: float | None, value: float | None) -> str:
    assert best is not None and value is not None
    return f"{max(0.0, best - value):.2f} less"


def _word(game: str, key: str) -> str:
    """A sentence of the room in English; its key where it has none."""
    return catalogue(game).get(LANGUAGES[0], {}).get(key, key)


def _shown(value: Any) -> str:
    return " ".join(map(_shown, value)) if isinstance(value, list) else _plain(str(value))
