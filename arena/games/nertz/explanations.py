"""What a person at a table of Nertz is told: what to do, why a card cannot be played now, and what a perfect memory knows."""

from collections.abc import Iterator
from typing import Any

from arena.cards import RANKS, SUITS
from arena.engine.outcomes import Fact
from arena.games.nertz.state import CARDS, PILES
from arena.games.nertz.view import Layout, NertzView

MOVES, TIME = "4.2", "4.4"  # sections of RULES.md
OTHER_COLOUR = {"S": "HD", "C": "HD", "H": "SC", "D": "SC"}
HIDDEN = "?"

Why = tuple[str, str, dict[str, Any]]
"""Key of the sentence, section of the rules, values."""


def task(view: NertzView) -> Fact:
    """Call, or get rid of the Nertz pile."""
    return Fact(key="task_call") if "call" in view.legal else Fact(key="task_play", values={"n": view.own.nertz})


def refusals(view: NertzView) -> list[tuple[str, str, str, str, dict[str, Any]]]:
    """(zone, card, why, rule, values) of each own open card that is part of no legal action."""
    playable = _playable(view)
    return [
        (zone, f"{view.unit}:{card}", *(("why_busy", TIME, {}) if view.seat in view.busy else why))
        for zone, card, why in _open_cards(view)
        if (zone, card) not in playable
    ]


def known(view: NertzView) -> list[tuple[str, list[tuple[str, int]], int | None]]:
    """The next flips, what is left in the own stock, the own cards that were never seen, and what rivals are known to hold."""
    own, step = view.own, int(view.state.flip)
    flips = [own.stock[min(at, len(own.stock) - 1)] for at in range(step - 1, len(own.stock) + step - 1, step)]
    groups: list[tuple[str, int, list[str], int | None]] = [
        ("known_flips", view.unit, flips, None),
        ("known_stock", view.unit, [card for card in CARDS.texts if card in own.stock], None),
        ("known_unseen", view.unit, unseen(view), None),
    ]
    for unit, layout in enumerate(view.layouts):
        if unit != view.unit:
            groups.append(("known_rival", unit, [*layout.waste[:-1], *layout.stock], unit << int(view.state.teams)))
    found = [(title, [(f"{unit}:{card}", 1) for card in cards if card != HIDDEN], seat) for title, unit, cards, seat in groups]
    return [group for group in found if group[1]]


def unseen(view: NertzView) -> list[str]:
    """The cards of the own deck that the seat has not seen in this round: covered in the Nertz pile, or in the stock."""
    own, laid = view.own, CARDS.listing(int(view.state.laid[view.unit]))
    seen = {own.nertz_top, *own.waste, *own.stock, *laid, *(card for pile in own.work for card in pile)}
    return [card for card in CARDS.texts if card not in seen]


def _playable(view: NertzView) -> set[tuple[str, str]]:
    """(zone, card) of the cards that a legal action moves, those that travel along included."""
    found: set[tuple[str, str]] = set()
    for action in view.legal:
        words = action.split()
        if words[-1] != "found" and "work" not in words[1:]:
            continue
        if words[0] != "work":
            top = view.own.nertz_top if words[0] == "nertz" else view.own.waste_top
            found.add((f"{words[0]}-{view.unit}", str(top)))
            continue
        source = int(words[1])
        found |= {(_work(view, source), card) for card in _moved(view, source, words[2:])}
    return found


def _moved(view: NertzView, source: int, target: list[str]) -> tuple[str, ...]:
    """The cards of a work pile that go to a target."""
    pile = view.own.work[source]
    if target[0] == "found" or not view.own.work[int(target[1])]:
        return pile[-1:]
    top = view.own.work[int(target[1])][-1]
    return pile[next(at for at, card in enumerate(pile) if view.fits(card, top)) :]


def _open_cards(view: NertzView) -> Iterator[tuple[str, str, Why]]:
    """(zone, card, why it cannot be played, if it cannot) of each own open card."""
    own, unit = view.own, view.unit
    if own.nertz_top is not None:
        yield f"nertz-{unit}", own.nertz_top, _fits_nowhere(unit, own.nertz_top)
    for card in own.waste[:-1]:
        if card != HIDDEN:
            yield f"waste-{unit}", card, ("why_under_waste", MOVES, {"top": [f"{unit}:{own.waste[-1]}"]})
    if own.waste_top is not None:
        yield f"waste-{unit}", own.waste_top, _fits_nowhere(unit, own.waste_top)
    for pile in range(PILES):
        for at, card in enumerate(own.work[pile]):
            yield _work(view, pile), card, _why_in_work(view, own.work[pile], at)


def _why_in_work(view: NertzView, pile: tuple[str, ...], at: int) -> Why:
    """Why a card of a work pile cannot be moved."""
    card, is_top = pile[at], at == len(pile) - 1
    values = {"card": [f"{view.unit}:{card}"]}
    if not is_top and card in view.wanted:
        return "why_covered", MOVES, {**values, "top": [f"{view.unit}:{pile[-1]}"]}
    if at > 0 and not view.state.partial_moves and _has_target(view.own, view, card):
        return "why_whole_pile", MOVES, values
    if not all(view.own.work) and not view.state.empty_from_work:
        return "why_slot", MOVES, values
    return _fits_nowhere(view.unit, card) if is_top else _run_fits_nowhere(view.unit, card)


def _has_target(own: Layout, view: NertzView, card: str) -> bool:
    return any(pile and view.fits(card, pile[-1]) for pile in own.work)


def _fits_nowhere(unit: int, card: str) -> Why:
    """Why a single card has no place: neither the card before it on a foundation, nor one that it may lie on."""
    suit, rank = card[0], RANKS.index(card[1])
    values = {"card": [f"{unit}:{card}"], "below": [suit + RANKS[rank - 1]]}
    if rank == len(RANKS) - 1:
        return "why_king", MOVES, values
    return "why_fits_nowhere", MOVES, {**values, "on": _hosts(card)}


def _run_fits_nowhere(unit: int, card: str) -> Why:
    values = {"card": [f"{unit}:{card}"]}
    hosts = _hosts(card)
    return ("why_run", MOVES, {**values, "on": hosts}) if hosts else ("why_run_king", MOVES, values)


def _hosts(card: str) -> list[str]:
    """The cards that a card may lie on in a work pile; none for a king."""
    rank = RANKS.index(card[1]) + 1
    return [suit + RANKS[rank] for suit in SUITS if suit in OTHER_COLOUR[card[0]]] if rank < len(RANKS) else []


def _work(view: NertzView, pile: int) -> str:
    return f"work-{view.unit}-{pile}"
