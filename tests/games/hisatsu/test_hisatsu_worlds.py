"""Hisatsu Shigotonin, RULES.md 3.4: what a seat sees, and that sampled worlds fit it and are equally likely."""

import itertools
import json
import math
import random
from collections import Counter

import pytest

from arena.audit.laws.traces import play_text
from arena.games import load
from arena.games.hisatsu.knowledge import hidden_cards
from helpers.hisatsu_referee import DEFAULT_DECK, Referee, is_consistent
from helpers.views import sampled

GAME = load("hisatsu")
BANG = {name: bang for name, bang, _, _ in DEFAULT_DECK}
TABLES = [(seats, facing) for seats in (3, 4, 5) for facing in ("face_up", "face_down")]
SOME = {(3, "face_up"), (4, "face_down")}
"""The tables of the short run."""


def position(states):
    return GAME.text.to_position(states[0])


def followed(seed, seats, facing):
    """A random match, decision by decision, the end too: start, state, referee, what each seat saw after each action."""
    options = GAME.resolve_options({"pass_discard": facing}, seats)
    states, rng = GAME.deal(seats, options, seed), random.Random(seed)
    start = position(states)
    referee = Referee(start)
    seen = [[] for _ in range(seats)]
    yield start, states, referee, seen
    while not referee.is_over:
        text = rng.choice(referee.legal())
        play_text(GAME, states, text)
        referee.play(text)
        for seat in range(seats):
            seen[seat].append(referee.position(seat))
        yield start, states, referee, seen


class TestKnowledge:
    def test_observed_state_holds_no_seed_stock_or_hidden_card_of_others(self):
        for _, states, *_ in followed(1, 4, "face_down"):
            for seat in range(4):
                seen = GAME.observed(states, seat)[0]
                assert not seen.seed.any()
                assert not seen.stock.any()
                for other in range(4):
                    if other != seat:
                        assert not seen.hand[other]
                        assert not seen.passed[other].any()
                for place in range(3):
                    for i in range(hidden_cards(states[0], place)):
                        card = int(states[0].cards[place, i])
                        assert seen.cards[place, i] == (card if card >> 3 == seat else card & ~7)

    def test_own_hidden_cards_are_remembered(self):
        """O-H8."""
        *_, (_, states, *_) = itertools.islice(followed(3, 3, "face_down"), 16)
        truth = position(states)
        for seat in range(3):
            masked = GAME.text.masked_position(GAME.observed(states, seat)[0], seat)
            pairs = [pair for row in zip(truth["row"], masked["row"]) for pair in zip(row[0]["cards"], row[1]["cards"])]
            assert all(known == card for card, known in pairs if card[0] == seat or card[2] == "up")
            assert all(known == [card[0], "?", "down"] for card, known in pairs if card[0] != seat and card[2] == "down")
            assert masked["passed"][seat] == truth["passed"][seat]


class TestDeterminize:
    @pytest.mark.parametrize(
        ("seats", "facing"), [table if table in SOME else pytest.param(*table, marks=pytest.mark.slow) for table in TABLES]
    )
    def test_sampled_worlds_are_consistent(self, seats, facing):
        """10,000 of them over the tables: every decision and the end, every seat."""
        checked = 0
        for seed in range({3: 8, 4: 5, 5: 3}[seats]):
            for number, (start, states, truth, seen) in enumerate(followed(seed, seats, facing)):
                for seat in range(seats):
                    assert is_consistent(position(states), start, truth, seat, seen[seat])
                    for world in sampled(GAME, states, seat, 4, number):
                        assert is_consistent(position(world), start, truth, seat, seen[seat])
                        checked += 1
        assert checked > 10_000 / len(TABLES)

    def test_consistency_can_be_denied(self):
        denied = Counter()
        for start, states, truth, seen in followed(5, 3, "face_down"):
            seat, document = truth.turn, position(states)
            other = (seat + 1) % 3
            hidden = [(place, at) for kind, place, at in truth.covered().values() if kind == "row"]
            for change in ("hand", "card", "seven", "stock", "passed", "points"):
                world = json.loads(json.dumps(document))
                if change == "hand" and not truth.is_over:
                    world["hands"][seat], world["hands"][other] = world["hands"][other], world["hands"][seat]
                elif change in ("card", "seven") and hidden:
                    place, at = hidden[0]
                    world["row"][place]["cards"][at][1] = (
                        7 if change == "seven" else world["row"][place]["cards"][at][1] % 6 + 1
                    )
                elif change == "stock":
                    world["stock"][0] = truth.row[0]["name"] if truth.row[0] else world["stock"][1]
                elif change == "passed" and world["passed"][seat]:
                    world["passed"][seat] = world["passed"][seat][::-1] + "1"
                elif change == "points":
                    world["points"][seat] += 1
                if world != document:
                    assert not is_consistent(world, start, truth, seat, seen[seat])
                    denied[change] += 1
        assert len(denied) == 6

    @staticmethod
    def worlds_of(document, seat):
        """Every world that looks the same: each owner's unseen cards in all orders, and the stock's orders; equally likely."""
        owners = [owner for owner in range(document["seats"]) if owner != seat]
        spots = {owner: [] for owner in owners}
        for place, slot in enumerate(document["row"]):
            for at, (owner, _, facing) in enumerate(slot["cards"]):
                if owner != seat and facing == "down":
                    spots[owner].append((place, at))
        choices = []
        for owner in owners:
            passed = len(document.get("passed", [""] * 5)[owner])
            unseen = [*document["hands"][owner], *document.get("passed", [""] * 5)[owner]]
            unseen += [str(document["row"][place]["cards"][at][1]) for place, at in spots[owner]]
            hidden = len(spots[owner])
            choices.append(
                {
                    (order[:hidden], "".join(order[hidden : hidden + passed]), "".join(sorted(order[hidden + passed :])))
                    for order in itertools.permutations(unseen)
                    if "7" not in order[:hidden]
                }
            )
        found = set()
        for chosen in itertools.product(*choices):
            world = json.loads(json.dumps(document))
            for owner, (cards, passed, hand) in zip(owners, chosen):
                for (place, at), card in zip(spots[owner], cards):
                    world["row"][place]["cards"][at][1] = int(card)
                world["hands"][owner] = hand
                if "passed" in world:
                    world["passed"][owner] = passed
            for stock in itertools.permutations(document["stock"]):
                found.add(secret({**world, "stock": list(stock)}))
        return found

    def test_uniform_over_hidden_cards(self):
        """Seats 1 and 2 have hidden two cards each of 2 3 4 7 and of 1 5 6 7, never the 7; two orders of the stock."""
        document = {
            "seats": 3, "phase": "act", "turn": 0, "turns": [5, 5, 5], "stock": ["C", "D"],
            "deck": [["A", 2, 9, 1], ["B", 2, 9, 2], ["C", 1, 9, 3], ["D", 0, 9, 4]],
            "row": [
                {"name": "A", "cards": [[1, 2, "down"], [2, 5, "down"]]},
                {"name": "B", "cards": [[2, 6, "down"], [1, 3, "down"]]},
            ],
            "hands": ["67", "47", "17"], "discards": ["12345", "156", "234"], "points": [0, 2, 2],
        }  # fmt: skip
        self.check(document, worlds=6 * 6 * 2)

    def test_uniform_over_hidden_cards_and_face_down_passes(self):
        """Seat 1 has hidden one of 2 3 4 7 and passed another, seat 2 has passed two of 1 5 6 7: passes may be the 7."""
        document = {
            "seats": 3, "phase": "act", "turn": 0, "turns": [5, 5, 5], "stock": ["C", "D"],
            "options": {"pass_discard": "face_down"},
            "deck": [["A", 2, 9, 1], ["B", 2, 9, 2], ["C", 1, 9, 3], ["D", 0, 9, 4], ["E", 0, 99, 1], ["F", 0, 99, 1]],
            "row": [{"name": "A", "chips": 1, "cards": [[1, 3, "down"]]}, {"name": "B", "chips": 2}],
            "hands": ["67", "27", "17"], "discards": ["12345", "156", "234"], "passed": ["", "4", "56"],
            "captured": [["E"], ["F"], []], "points": [0, 1, 0],
        }  # fmt: skip
        self.check(document, worlds=3 * 3 * 4 * 3 * 2)

    def check(self, document, worlds):
        states = GAME.text.from_position(document)
        expected = self.worlds_of(position(states), 0)
        assert len(expected) == worlds
        assert_uniform(states, 0, expected)


def secret(document):
    """The hidden part of a position."""
    hidden = [document["row"], document["hands"], document.get("passed"), document["stock"]]
    return json.dumps(hidden)


def assert_uniform(states, seat, expected, each=200):
    """Chi-square of sampled worlds against equal shares, at 0.1 % (Wilson and Hilferty 1931)."""
    samples = each * len(expected)
    counts, names = Counter(), {}
    for world in sampled(GAME, states, seat, samples, 9):
        key = b"".join(world[name].tobytes() for name in ("hand", "cards", "passed", "stock"))
        counts[key] += 1
        names.setdefault(key, world)
    assert {secret(position(world)) for world in names.values()} == expected
    statistic = sum((count - each) ** 2 / each for count in counts.values())
    freedom = len(expected) - 1
    assert statistic < freedom * (1 - 2 / (9 * freedom) + 3.09 * math.sqrt(2 / (9 * freedom))) ** 3
