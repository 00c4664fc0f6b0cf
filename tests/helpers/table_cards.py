"""Which cards lie where in a position: what a drawing of it must show, by room."""

from collections.abc import Callable
from typing import Any

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


def _number_card(owner: int, value: int | str) -> str:
    return "?" if value == "?" else f"{owner}:{value}"


ZONES: dict[str, Callable[[dict[str, Any]], Zones]] = {"naga": naga, "nanatoridori": nanatoridori, "hisatsu": hisatsu}
"""Game, what lies where in a position of it. A room with a table that is missing here fails the tests."""
