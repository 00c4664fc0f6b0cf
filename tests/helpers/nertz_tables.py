"""Nertz for tests: deals, positions by hand, matches tick by tick, and an account of every dealt card kept on its own."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from arena.audit.laws.traces import play_text
from arena.engine.game import States
from arena.games import load
from arena.games.nertz.state import CARD, CARDS

GAME = load("nertz")
RANKS = "A23456789TJQK"
DECK = [suit + rank for suit in "SHDC" for rank in RANKS]
Position = dict[str, Any]


def deal(seed: int = 1, seats: int = 2, **options: Any) -> States:
    return GAME.deal(seats, GAME.resolve_options(options, seats), seed)


def position(states: States) -> Position:
    return GAME.text.to_position(states[0])


def masked(states: States, seat: int) -> Position:
    return GAME.text.masked_position(GAME.observed(states, seat)[0], seat)


def legal(states: States) -> list[str]:
    return GAME.text.action_texts(states[0], GAME.legal_list(states))


def copy(states: States) -> States:
    return GAME.from_bytes(states.tobytes())


def read(document: Position) -> States:
    return GAME.text.from_position(document)


def after(document: Position, *texts: str) -> Position:
    states = read(document)
    for text in texts:
        play_text(GAME, states, text)
    return position(states)


def made(units: list[dict[str, Any]], foundations: tuple[tuple[str, list[int]], ...] = (), **rest: Any) -> Position:
    """A position: each unit names the cards that matter; what is left of its deck goes to the bottom of its stock."""
    seats = rest.pop("seats", len(units))
    layouts = []
    for unit, given in enumerate(units):
        layout = {"nertz": [], "work": [[], [], [], []], "stock": [], "waste": []} | given
        laid = [suit + RANKS[rank] for suit, owners in foundations for rank, owner in enumerate(owners) if owner == unit]
        used = {
            *layout["nertz"],
            *layout["stock"],
            *layout["waste"],
            *laid,
            *(card for pile in layout["work"] for card in pile),
        }
        left = [card for card in DECK if card not in used]
        room = 35 - len(layout["stock"]) - len(layout["waste"])
        layout["stock"] = layout["stock"] + left[:room]
        layout["nertz"] = left[room:] + layout["nertz"]
        layouts.append(layout)
    piles = [{"suit": suit, "units": owners} for suit, owners in foundations]
    return {"game": "nertz", "seats": seats, "phase": "play", "turn": 0, "units": layouts, "foundations": piles} | rest


@dataclass
class Tick:
    """One resolved tick of a match."""

    before: Position
    actions: list[str]
    """By seat."""
    heard: list[tuple[int, str]]
    """What everybody hears of it."""
    states: States
    """After it; between rounds and at the end, as it was left."""


def ticks(seed: int, seats: int = 2, limit: int = 100_000, **options: Any) -> Iterator[Tick]:
    """A random match, tick by tick."""
    states, rng, count = deal(seed, seats, **options), random.Random(seed), 0
    while not GAME.engine.is_terminal(states) and count < limit:
        if GAME.engine.is_round_over(states):
            GAME.rules.next_round(states[0])
        before, actions = position(states), []
        for seat in range(seats):
            code = rng.choice(GAME.legal_list(states))
            actions.append(GAME.action_text(states, code))
            if seat == seats - 1:
                heard = GAME.text.event_texts(states[0], GAME.engine.seen_action(states, code, -1))
            GAME.engine.step(states, code)
        count += 1
        yield Tick(before, actions, heard, copy(states))


@dataclass
class Account:
    """Where every dealt card of one unit lies, and who has seen it, from what is public: moves, failures, stuck events.

    Cards are numbers of the deal: 0 to 12 the Nertz pile, 13 to 16 the work piles, 17 to 51 the stock from the top.
    """

    cards: list[str]
    """The true card of each number."""
    nertz: list[int] = field(default_factory=lambda: list(range(13)))
    work: list[list[int]] = field(default_factory=lambda: [[13], [14], [15], [16]])
    waste: list[int] = field(default_factory=list)
    stock: list[int] = field(default_factory=lambda: list(range(17, 52)))
    own: set[int] = field(default_factory=lambda: {12, 13, 14, 15, 16})
    """What the unit has seen."""
    shown: set[int] = field(default_factory=lambda: {12, 13, 14, 15, 16})
    """What everybody has seen."""

    @classmethod
    def of(cls, layout: dict[str, Any]) -> "Account":
        return cls([*layout["nertz"], *(pile[0] for pile in layout["work"]), *layout["stock"]])

    def move(self, text: str, flip: int) -> None:
        """One move that did not fail."""
        words = text.split()
        if words[0] == "flip":
            if self.stock:
                self.waste += self.stock[:flip]
                self.own.update(self.stock[:flip])
                self.stock = self.stock[flip:]
            else:
                self.waste, self.stock = [], self.waste
        elif words[0] in ("nertz", "waste"):
            card = (self.nertz if words[0] == "nertz" else self.waste).pop()
            if words[1] == "work":
                self.work[int(words[2])].append(card)
        elif words[0] == "work" and words[2] == "found":
            self.work[int(words[1])].pop()
        elif words[0] == "work":
            source, target = self.work[int(words[1])], self.work[int(words[3])]
            below = RANKS.index(self.cards[target[-1]][1]) if target else RANKS.index(self.cards[source[-1]][1]) + 1
            part = next(at for at, card in enumerate(source) if RANKS.index(self.cards[card][1]) == below - 1)
            target += source[part:]
            del source[part:]
        seen = {*self.nertz[-1:], *self.waste[-1:]}
        self.own |= seen
        self.shown |= seen

    def loosen(self) -> None:
        """Everybody is stuck."""
        self.stock = self.waste + self.stock
        self.waste = []
        self.stock = self.stock[1:] + self.stock[:1]

    def problems(self, world: States, unit: int, *, is_own: bool) -> list[str]:
        """Why a world cannot be for someone who has seen what this account says; empty: it fits."""
        s, found = world[0], []
        line = [int(value) & CARD for value in s.line[unit]]
        places = [
            *zip(self.nertz, (int(card) for card in s.nertz[unit])),
            *zip([*self.waste, *self.stock], line),
        ]
        there = {number: CARDS.text(card - 1) if card else "?" for number, card in places}
        known = self.own if is_own else self.shown
        for number, card in there.items():
            if number in known and card != self.cards[number]:
                found.append(f"unit {unit}: card {number} is {card}, was seen as {self.cards[number]}")
        if sorted(there.values()) != sorted(self.cards[number] for number in there):
            found.append(f"unit {unit}: other cards than are left: {sorted(there.values())}")
        if [int(s.num_nertz[unit]), int(s.num_waste[unit]), int(s.num_line[unit])] != [
            len(self.nertz), len(self.waste), len(self.waste) + len(self.stock),
        ]:  # fmt: skip
            found.append(f"unit {unit}: other sizes")
        for pile, numbers in enumerate(self.work):
            if CARDS.listing(int(s.work[unit, pile]))[::-1] != [self.cards[number] for number in numbers]:
                found.append(f"unit {unit}: another work pile {pile}")
        return found


def accounts(tick: Tick, before: list[Account] | None) -> list[Account]:
    """The accounts of all units after a tick; `before`: None at the start of a round."""
    books = before or [Account.of(layout) for layout in tick.before["units"]]
    moves = dict(tick.heard)
    s = tick.states[0]
    for seat in tick.before["priority"]:
        if seat in moves and not int(s.failed) >> seat & 1:
            books[seat >> int(s.teams)].move(moves[seat], tick.before["options"]["flip"])
    if int(s.stuck) > tick.before["stuck"]:
        for book in books:
            book.loosen()
    return books
