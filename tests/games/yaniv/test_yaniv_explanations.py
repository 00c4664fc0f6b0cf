"""What people are told at a table of Yaniv, held against the rules, and against the books that somebody keeps who looks on."""

import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from arena.audit.laws.traces import play_text
from arena.games.yaniv.explanations import known, refusals
from helpers.views import view_of, views
from helpers.yaniv_tables import GAME, deal, deck, legal, masked

MATCHES = 25


def test_each_card_that_lies_open_is_playable_or_refused_for_a_true_reason() -> None:
    reasons = set()
    for table, view in views(GAME, MATCHES):
        position = view.position
        told = {(zone, card): (why, values) for zone, card, why, _rule, values in refusals(view)}
        lying = {(zone, card) for zone in ("previous", "laid") for card in position[zone]}
        lying |= {(f"hand-{view.seat}", card) for card in position["hands"][view.seat]}
        playable = can_be_played(position, view.seat)
        assert playable | set(told) == lying and not playable & set(told), f"{playable}, {told}: {position} ({table})"
        for (zone, card), (why, values) in told.items():
            reasons.add(why)
            assert values["card"] == [card] and REASONS[why](position, zone, card, values), f"{zone} {card} {why}: {table}"
    assert reasons == set(REASONS)


def test_what_is_known_is_what_an_onlooker_has_written_down() -> None:
    reshuffles = 0
    for seed, seats in ((1, 2), (2, 3), (3, 4), (4, 6)):
        states, rng = deal(seed, seats=seats, turn_limit=60, threshold=7), random.Random(seed)
        books, number = Books(seats, 1), 1
        while masked(states, 0)["round"] == 1 and number < 60 * seats:
            view, position = view_of(GAME, states, 0), masked(states, 0)
            books.look(position)
            told = {title if seat is None else f"{title} {seat}": Counter(dict(cards)) for title, cards, seat in known(view)}
            unseen = Counter(deck(position["options"]["decks"]))
            for cards in (position["hands"][0], position["previous"], position["laid"], books.buried, *books.held[1:]):
                unseen -= Counter(cards)
            assert told.get("known_unseen", Counter()) == unseen
            assert told.get("known_buried", Counter()) == books.buried
            assert told.get("known_own", Counter()) == books.held[0]
            for seat in range(1, seats):
                assert told.get(f"known_hand {seat}", Counter()) == books.held[seat]
            assert told.get("known_earlier", Counter()) <= unseen
            if seats == 2 and "known_earlier" in told:  # then the other hand holds them all
                assert told["known_earlier"] <= Counter(GAME.text.to_position(states[0])["hands"][1])
            texts = [text for text in legal(states) if text != "call"]
            action = rng.choice(texts)
            books.hear(position, action)
            play_text(GAME, states, action)
            number += 1
        reshuffles += books.reshuffles
    assert reshuffles, "no round came to a reshuffle: the books were never closed"


@dataclass
class Books:
    """What somebody writes down who hears every event."""

    seats: int
    decks: int
    buried: Counter[str] = field(default_factory=Counter)
    held: list[Counter[str]] = field(default_factory=list)
    stock: int | None = None
    reshuffles: int = 0

    def __post_init__(self) -> None:
        self.held = [Counter() for _ in range(self.seats)]

    def look(self, position: dict[str, Any]) -> None:
        self.stock = len(position["stock"])

    def hear(self, position: dict[str, Any], action: str) -> None:
        seat, previous = position["turn"], list(position["previous"])
        kind, *rest = action.split()
        if kind == "discard":
            self.held[seat] -= Counter(rest)
        elif action == "draw stock":
            if not self.stock:
                self.reshuffles += 1
                self.buried = Counter()
            self.buried += Counter(previous)
        elif kind == "draw":
            taken = previous.pop({"first": 0, "last": -1}.get(rest[0]) if rest[0] in ("first", "last") else int(rest[0]))
            self.held[seat][taken] += 1
            self.buried += Counter(previous)


def can_be_played(position: dict[str, Any], seat: int) -> set[tuple[str, str]]:
    """(zone, card) of what the seat may lay or take now (the rules, 5.2)."""
    hand, previous, is_any = f"hand-{seat}", position["previous"], position["options"]["set_take"] == "any"
    if position["phase"] == "start":
        return {(hand, card) for card in position["hands"][seat]}
    if position["phase"] == "slap":
        return {(hand, position["drawn"])}
    is_set = len({card[-1] for card in previous}) == 1
    return {("previous", card) for card in (previous if is_any and is_set else [previous[0], previous[-1]])}


REASONS = {
    "why_discard_first": lambda position, zone, card, values: position["phase"] == "start" and zone == "previous",
    "why_draw_now": lambda position, zone, card, values: position["phase"] == "draw" and zone.startswith("hand"),
    "why_just_laid": lambda position, zone, card, values: zone == "laid" and card in position["laid"],
    "why_drawn_already": lambda position, zone, card, values: position["phase"] == "slap" and zone == "previous",
    "why_slap_drawn_only": lambda position, zone, card, values: (
        position["phase"] == "slap" and values["drawn"] == [position["drawn"]] and card != position["drawn"]
    ),
    "why_no_end": lambda position, zone, card, values: (
        zone == "previous"
        and card not in values["ends"]
        and values["ends"] == [position["previous"][0], position["previous"][-1]]
    ),
}
"""Why, whether it is so."""
