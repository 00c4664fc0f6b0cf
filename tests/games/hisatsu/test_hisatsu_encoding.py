"""The features of Hisatsu: the worked example of RULES.md 3.6, chances against the game's estimates, all seats alike."""

import random

import numpy as np
import pytest

from arena.audit.laws.traces import play_text
from arena.games import encoding as encoding_of
from arena.games import load
from arena.games.hisatsu import encoding, estimates
from helpers.hisatsu_referee import DEFAULT_DECK
from helpers.views import action_planes, ones, planes

GAME = load("hisatsu")
ROW = ("Fox", "Bear")  # ! 1, 7 hit points, 3 points; ! 3, 16, 4
BY_SEAT = ("hand", "points", "discards", "passed", "captured", "failed")
COUNTS = ("num_discards", "num_passed", "num_captured", "num_failed")


def example(*texts):
    """RULES.md 3.6: three seats, Fox and Bear in the row."""
    states = GAME.text.from_position(
        {
            "seats": 3, "phase": "act", "turn": 0, "hands": ["1234567"] * 3,
            "row": [{"name": name, "chips": bang} for name, bang, _, _ in DEFAULT_DECK if name in ROW],
            "stock": [name for name, *_ in DEFAULT_DECK if name not in ROW],
        }
    )  # fmt: skip
    for text in texts:
        play_text(GAME, states, text)
    return states


def fox(states, seat):
    return planes(states, seat, GAME)["slots"][: encoding._SLOT]


class TestExample:
    """RULES.md 3.6: seat 0 hides a 4 on the Fox, seat 1 adds an open 3."""

    def test_request(self):
        found = fox(example(), 0)
        assert np.round(found[:6], 3).tolist() == [1, 0.35, 0.375, 0.167, 0.167, 0]
        assert found[6:16] == [0] * 10 and found[16:] == [1] * 8  # nobody's; it bears a 7
        row = action_planes(example(), GAME)["place 4 0"]
        assert (ones(row["kind"]), ones(row["card"]), ones(row["slot"]), row["opens"]) == ([0], [3], [0], [1])

    def test_hidden_card(self):
        states = example("place 4 0", "place 3 0")
        own, rival = fox(states, 0), fox(states, 2)
        assert own[16:] == [1] + [0] * 7  # it is full, to who knows the 4
        assert np.round(rival[16:], 3).tolist() == [0.667, 0.5, 0.333, 0.167, 0, 0, 0, 0]  # 1 to 4, to 3, to 2, 1
        assert (ones(own[6:11]), ones(rival[6:11])) == ([1], [2])  # the claim of seat 1, which is next to 0 and last from 2
        assert np.round(rival[11:16], 3).tolist() == [0, 0.167, 0, 0, 0]  # seat 0 hid one
        assert np.round([planes(states, seat, GAME)["room"][0] for seat in (0, 2)], 3).tolist() == [0, 0.2]

    def test_claim_is_taken_over(self):
        found = action_planes(example("place 4 0", "place 3 0"), GAME)
        row = found["place 1 0"]
        assert (ones(row["kind"]), ones(row["from"]), round(row["holds"][0], 3)) == ([1], [2], 0.5)
        assert found["place 5 0"]["worth"] == [-0.25]  # two points lost for certain
        assert [ones(row["kind"]) for text, row in found.items() if text.startswith("discard")] == [[2]] * 7

    def test_shown_cards_are_no_longer_unseen(self):
        states = example("place 4 0", "place 3 0", "discard 7", "discard 2")
        unseen = np.reshape(planes(states, 2, GAME)["unseen"], (5, 7))
        assert [ones(seat) for seat in unseen] == [[0, 1, 2, 3, 4, 5], [0, 2, 4, 5, 6], [0, 1, 3, 4, 5, 6], [], []]
        found = planes(states, 1, GAME)
        assert (ones(found["seats"]), ones(found["turn"]), ones(found["captured"][1:])) == ([0], [0], [])
        assert np.round(found["scores"], 3).tolist() == [0.15, 0, 0.05, 0, 0]  # the Fox; nothing; a one-point card
        assert np.round(found["turns_left"], 3).tolist() == [0.833, 0.833, 0.667, 0, 0]


@pytest.mark.parametrize("seats", GAME.seats)
def test_chances_are_those_of_the_estimates(seats):
    rng = random.Random(seats)
    for pass_discard in ("face_up", "face_down"):
        states = GAME.deal(seats, GAME.resolve_options({"pass_discard": pass_discard}, seats), seats)
        while not GAME.engine.is_terminal(states):
            for seat in range(seats):
                check_chances(GAME.observed(states, seat)[0], seat, planes(states, seat, GAME))
            GAME.engine.advance(states, rng.choice(GAME.legal_list(states)))


def check_chances(s, seat, found):
    sums, kept = np.zeros(estimates._SUMS), np.zeros(8)
    for slot in range(int(s.seats) - 1):
        room = int(s.hp[s.request[slot]]) - estimates.hidden_sums(s, seat, slot, 0.0, sums)
        bears = [sums[: max(0, room - value + 1)].sum() for value in range(8)]
        assert np.allclose(found["slots"][(slot + 1) * encoding._SLOT - 8 : (slot + 1) * encoding._SLOT], bears, atol=1e-6)
    estimates._chances_to_keep(s, seat, 1.0, kept)
    assert np.allclose(found["keep"], kept, atol=1e-6)


@pytest.mark.parametrize("seats", GAME.seats)
def test_all_seats_are_alike(seats):
    rng = random.Random(seats)
    states = GAME.deal(seats, GAME.resolve_options({"pass_discard": "face_down"}, seats), seats)
    while not GAME.engine.is_terminal(states):
        by = rng.randrange(1, seats)
        turned = moved(states, seats, by)
        for seat in range(seats):
            assert features(states, seat) == features(turned, (seat + by) % seats)
        GAME.engine.advance(states, rng.choice(GAME.legal_list(states)))


def features(states, seat):
    return encoding_of(GAME).features(GAME.observed(states, seat), seat).tobytes()


def moved(states, seats, by):
    """The same table, everybody `by` seats further on."""
    turned = GAME.from_bytes(states.tobytes())
    s, t = states[0], turned[0]
    for name in (*BY_SEAT, *COUNTS):
        for seat in range(seats):
            t[name][(seat + by) % seats] = s[name][seat]
    t.turn, t.starter = (s.turn + by) % seats, (s.starter + by) % seats
    for slot in range(seats - 1):
        for place in range(s.num_cards[slot]):
            owner, value = divmod(int(s.cards[slot, place]), 8)
            t.cards[slot, place] = (owner + by) % seats * 8 + value
    return turned
