"""A second Hisatsu Shigotonin, written from RULES.md alone in plain Python: the oracle of the compiled rules' tests.

It also decides which worlds a seat can be in (`is_consistent`), knowing nothing of `determinize`.
"""

import csv
import json
from typing import Any

from helpers.paths import PACKAGE

Document = dict[str, Any]
HIDDEN = "?"
OPTIONS = {"pass_discard": "face_up", "tiebreak": "none"}

with (PACKAGE / "games" / "hisatsu" / "requests.csv").open(encoding="utf-8") as file:
    DEFAULT_DECK = [[name, *map(int, numbers)] for name, *numbers in csv.reader(file) if name != "name"]


class Impossible(Exception):
    """An action that the rules do not allow."""


class Referee:
    """Plays a position on; cards on requests are dictionaries that remember which action placed them."""

    def __init__(self, position: Document) -> None:
        """`position`: a first deal."""
        document = json.loads(json.dumps(position))
        self.fixed = {key: document.get(key) for key in ("game", "seats", "round", "starter")}
        self.options = {**OPTIONS, **document["options"]}
        self.deck = {row[0]: row[1:] for row in document.get("deck") or DEFAULT_DECK}
        self.own_deck = document.get("deck")
        self.seats: int = document["seats"]
        self.turn: int = document["turn"]
        self.row = [{"name": slot["name"], "chips": slot["chips"], "cards": []} for slot in document["row"]]
        self.stock: list[str] = document["stock"]
        self.hands = [set(range(1, 8)) for _ in range(self.seats)]
        self.discards: list[list[int]] = [[] for _ in range(self.seats)]
        self.passed: list[list[tuple[int, int]]] = [[] for _ in range(self.seats)]  # value, number of the action
        self.points = [0] * self.seats
        self.captured: list[list[str]] = [[] for _ in range(self.seats)]
        self.failed: list[list[str]] = [[] for _ in range(self.seats)]
        self.log: list[tuple[int, str, bool]] = []  # seat, action, whether its card lies face down

    @property
    def is_over(self) -> bool:
        return len(self.log) == 6 * self.seats

    def legal(self) -> list[str]:
        hand = sorted(self.hands[self.turn])
        texts = []
        for place, slot in enumerate(self.row):
            if slot is not None:
                texts += [f"place {value} {place}" for value in hand if value < 7 or slot["chips"] == 0]
        return texts + [f"discard {value}" for value in hand]

    def play(self, text: str) -> None:
        """An action, then the check of the next seat or the final one."""
        if self.is_over or text not in self.legal():
            raise Impossible(text)
        kind, value, *rest = text.split()
        seat, number, card = self.turn, len(self.log), int(value)
        self.hands[seat].remove(card)
        if kind == "discard":
            is_hidden = self.options["pass_discard"] == "face_down"
            if is_hidden:
                self.passed[seat].append((card, number))
            else:
                self.discards[seat].append(card)
        else:
            slot = self.row[int(rest[0])]
            is_hidden = slot["chips"] > 0
            slot["cards"].append({"seat": seat, "value": card, "hidden": is_hidden, "number": number})
            if is_hidden:
                slot["chips"] -= 1
                self.points[seat] += 1
        self.log.append((seat, text, is_hidden))
        self.turn = (seat + 1) % self.seats
        for place, slot in enumerate(self.row):
            last = slot["cards"][-1] if slot and slot["cards"] else None
            if last and not last["hidden"] and (self.is_over or last["seat"] == self.turn):
                self._capture(place, last["seat"])

    def _capture(self, place: int, seat: int) -> None:
        slot = self.row[place]
        _, hp, _ = self.deck[slot["name"]]
        succeeds = sum(card["value"] for card in slot["cards"]) <= hp
        (self.captured if succeeds else self.failed)[seat].append(slot["name"])
        for card in slot["cards"]:
            self.discards[card["seat"]].append(card["value"])
        self.row[place] = None
        if self.stock and not self.is_over:
            name = self.stock.pop(0)
            self.row[place] = {"name": name, "chips": self.deck[name][0], "cards": []}

    def scores(self) -> list[int]:
        return [
            sum(self.deck[name][2] for name in self.captured[seat]) - 2 * len(self.failed[seat]) + self.points[seat]
            for seat in range(self.seats)
        ]

    def places(self) -> list[int]:
        won = [len(names) if self.options["tiebreak"] == "captures" else 0 for names in self.captured]
        keys = list(zip(self.scores(), won))
        return [1 + sum(other > key for other in keys) for key in keys]

    def position(self, viewer: int | None = None) -> Document:
        """All of it, or what a seat knows."""

        def known(seat: int) -> bool:
            return viewer in (None, seat)

        def slot_document(slot: Document) -> Document:
            cards = [
                [
                    card["seat"],
                    HIDDEN if card["hidden"] and not known(card["seat"]) else card["value"],
                    "down" if card["hidden"] else "up",
                ]
                for card in slot["cards"]
            ]
            return {"name": slot["name"], "chips": slot["chips"], "cards": cards}

        taken = [sum(seat == other for other, _, _ in self.log) for seat in range(self.seats)]
        document = {
            **self.fixed,
            "options": self.options,
            "turn": None if self.is_over else self.turn,
            "phase": "over" if self.is_over else "act",
            "row": [slot and slot_document(slot) for slot in self.row],
            "stock": list(self.stock) if viewer is None else [HIDDEN] * len(self.stock),
            "hands": [
                "".join(map(str, sorted(hand))) if known(seat) else HIDDEN * len(hand) for seat, hand in enumerate(self.hands)
            ],
            "discards": ["".join(map(str, cards)) for cards in self.discards],
            "points": list(self.points),
            "captured": [list(names) for names in self.captured],
            "failed": [list(names) for names in self.failed],
            "turns": taken,
        }
        if self.own_deck:
            document["deck"] = self.own_deck
        if self.options["pass_discard"] == "face_down":
            document["passed"] = [
                "".join(str(value) if known(seat) else HIDDEN for value, _ in cards) for seat, cards in enumerate(self.passed)
            ]
        return document

    def heard(self, viewer: int) -> list[tuple[int, str]]:
        """The actions so far, as a seat knows them at the moment."""
        return [(seat, hide(text) if is_hidden and seat != viewer else text) for seat, text, is_hidden in self.log]

    def covered(self) -> dict[int, tuple[str, int, int]]:
        """The actions whose cards still lie face down: by number, where: ("row", slot, place) or ("passed", seat, place)."""
        found: dict[int, tuple[str, int, int]] = {}
        for place, slot in enumerate(self.row):
            for at, card in enumerate(slot["cards"] if slot else []):
                if card["hidden"]:
                    found[card["number"]] = ("row", place, at)
        for seat, cards in enumerate(self.passed):
            found |= {number: ("passed", seat, at) for at, (_, number) in enumerate(cards)}
        return found


def hide(text: str) -> str:
    """`place ? 2`, `discard ?`."""
    kind, _, *rest = text.split()
    return " ".join([kind, HIDDEN, *rest])


def is_consistent(world: Document, start: Document, truth: Referee, viewer: int, seen: list[Document]) -> bool:
    """Whether `viewer` could have seen all that it saw in the match `truth` from `start`, with `world` behind it.

    `seen`: its knowledge (`truth.position(viewer)`) after each action. The match is played again from the start with the
    world's cards in the place of those that are still face down, and with its stock; it must be legal, look the same to
    the viewer after every action, and end in `world`.
    """
    if sorted(world["stock"]) != sorted(truth.stock):
        return False
    cards = truth.covered()
    drawn = len(start["stock"]) - len(truth.stock)
    again = Referee({**start, "stock": start["stock"][:drawn] + world["stock"]})
    for number, (_, text, _) in enumerate(truth.log):
        played = text
        if number in cards:
            pile, place, at = cards[number]
            value = world["row"][place]["cards"][at][1] if pile == "row" else world["passed"][place][at]
            kind, _, *rest = text.split()
            played = " ".join([kind, str(value), *rest])
        try:
            again.play(played)
        except Impossible:
            return False
        if again.position(viewer) != seen[number]:
            return False
    return again.heard(viewer) == truth.heard(viewer) and again.position() == {
        key: value for key, value in world.items() if key != "rng"
    }
