"""Which cards lie where in a position: what a drawing of it must show, by game."""

from collections.abc import Callable
from typing import Any

from arena.cards import RANKS

Zones = dict[str, list[str]]
"""Zone, its cards as the text before the `#` of their keys; `?` for a card that is drawn as a back."""


def naga(position: dict[str, Any]) -> Zones:
    """Chosen cards lie in front of the hand; the last contest has zones of its own, beside those of the earlier ones."""
    zones: Zones = {"stock": ["?"] * len(position["stock"])}
    for place, cards in position["places"].items():
        zones[f"place-{place}"] = cards
    for seat, hand in enumerate(position["hands"]):
        chosen = position["pending"][seat] or []
        hidden = chosen[:1] == ["?"]
        zones[f"hand-{seat}"] = hand[len(chosen) :] if hidden else [card for card in hand if card not in chosen]
        zones[f"chosen-{seat}"] = chosen
    zones["shown"] = position["shown"]
    return zones


def nanatoridori(position: dict[str, Any]) -> Zones:
    """The unused cards of a duel are drawn nowhere."""
    table, beaten = position["table"], position["beaten"]
    zones: Zones = {
        "stock": ["?"] * len(position["stock"]),
        "discard": list(position["discard"]),
        "table": [str(table["value"])] * table["count"] if table else [],
        "beaten": [str(beaten["value"])] * beaten["count"] if beaten else [],
        "drawn": list(position["drawn"] or ""),
    }
    for seat, hand in enumerate(position["hands"]):
        zones[f"hand-{seat}"] = list(hand)
    for seat, front in enumerate(position.get("fronts", ())):
        zones[f"front-{seat}"] = list(front)
    return zones


def hisatsu(position: dict[str, Any]) -> Zones:
    """Number cards as `owner:value`, requests by name."""
    zones: Zones = {"stock": ["?"] * len(position["stock"])}
    for place, slot in enumerate(position["row"]):
        if slot:
            zones[f"request-{place}"] = [f"request:{slot['name']}"]
            zones[f"row-{place}"] = [_number_card(owner, value) for owner, value, _side in slot["cards"]]
    for seat in range(position["seats"]):
        for name, cards in (("hand", position["hands"]), ("discard", position["discards"]), ("passed", position.get("passed"))):
            zones[f"{name}-{seat}"] = [_number_card(seat, value) for value in (cards or [""] * (seat + 1))[seat]]
        for name in ("captured", "failed"):
            zones[f"{name}-{seat}"] = [f"request:{request}" for request in position[name][seat]]
    return zones


def nertz(position: dict[str, Any]) -> Zones:
    """Cards as `unit:text`, whose deck they are from; stocks and covered Nertz cards are backs, even where all is known."""
    zones: Zones = {}
    for unit, layout in enumerate(position["units"]):
        *covered, top = layout["nertz"] or ["?"]
        zones[f"nertz-{unit}"] = ["?"] * len(covered) + _of_unit(unit, [top]) if layout["nertz"] else []
        zones[f"waste-{unit}"] = _of_unit(unit, layout["waste"])
        zones[f"stock-{unit}"] = ["?"] * len(layout["stock"])
        for pile, cards in enumerate(layout["work"]):
            zones[f"work-{unit}-{pile}"] = _of_unit(unit, cards)
    for number, pile in enumerate(position["foundations"]):
        zones[f"foundation-{number}"] = [f"{unit}:{pile['suit']}{rank}" for unit, rank in zip(pile["units"], RANKS)]
    return zones


def _of_unit(unit: int, cards: list[str]) -> list[str]:
    return [card if card == "?" else f"{unit}:{card}" for card in cards]


def yaniv(position: dict[str, Any]) -> Zones:
    """A rival's hand shows the cards that were taken openly; who has dropped out has none."""
    zones: Zones = {"stock": ["?"] * len(position["stock"])}
    known = (position["memory"] or {}).get("known", [[]] * position["seats"])
    for seat, hand in enumerate(position["hands"]):
        hidden = hand.count("?")
        zones[f"hand-{seat}"] = [*known[seat], *["?"] * (hidden - len(known[seat]))] if hidden else hand
    for name in ("previous", "laid", "buried"):
        zones[name] = position[name]
    return zones


def _number_card(owner: int, value: int | str) -> str:
    return "?" if value == "?" else f"{owner}:{value}"


ZONES: dict[str, Callable[[dict[str, Any]], Zones]] = {
    "naga": naga,
    "nanatoridori": nanatoridori,
    "hisatsu": hisatsu,
    "nertz": nertz,
    "yaniv": yaniv,
}
"""Game, what lies where in a position of it. A game with a table that is missing here fails the tests."""
