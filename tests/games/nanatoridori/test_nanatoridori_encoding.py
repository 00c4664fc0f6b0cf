"""The features of Nana Toridori: the worked examples of RULES.md 1.7, unseen cards, all seats alike."""

import random

import numpy as np
import pytest

from arena.games import encoding as encoding_of
from arena.games.nanatoridori import encoding, knowledge
from arena.games.nanatoridori.state import FRONTS, MARKS, ROUND_OVER, ROW
from helpers.nanatoridori_tables import GAME, after, copied, deal, made
from helpers.views import action_planes, ones, planes

OTHERS = ["77755444", "33222111"]


def runs(found):
    """Value, length, whether it can beat the table, whether its neighbours are equal."""
    rows = np.reshape(found["runs"], (encoding.RUNS, 10))
    return [(ones(row[:7])[0] + 1, round(row[7] * 9), row[8], row[9]) for row in rows if row.any()]


class TestExamples:
    """RULES.md 1.7."""

    def test_runs(self):
        found = planes(after(made(["12536631", *OTHERS], table=("5", 2))), 0, GAME)
        assert runs(found) == [
            (1, 1, 0, 0), (2, 1, 0, 0), (5, 1, 0, 0), (3, 1, 0, 0), (6, 2, 1, 1), (3, 1, 0, 0), (1, 1, 0, 0),
        ]  # fmt: skip
        assert (ones(found["table_value"]), ones(found["table_count"][:5]), ones(found["owner"])) == ([4], [0], [2])
        assert (ones(found["turn"]), found["hand"][3:]) == ([0], [1, 0])
        values = np.round(np.reshape(found["values"], (4, 7)) * [[9], [9], [4], [9]]).tolist()
        assert values[:3] == [[2, 1, 2, 0, 1, 2, 0], [1, 1, 1, 0, 1, 2, 0], [2, 1, 2, 0, 1, 1, 0]]
        assert values[3] == [7, 8, 7, 9, 7, 7, 9]  # a 5 lies on the table

    def test_plays(self):
        found = action_planes(after(made(["12536631", *OTHERS], table=("5", 2))), GAME)
        single, pair, passing = found["play 4 1"], found["play 4 2"], found["pass"]
        assert [ones(row["kind"]) for row in (single, pair, passing)] == [[0], [0], [1]]
        assert (ones(single["run"]), ones(pair["run"])) == ([], [0, 1])  # with both 6s away the 3s meet
        assert np.round(pair["left"], 3).tolist() == [6 / 16, round(5 / 12, 3)]
        assert np.round(pair["count"] + pair["margin"], 3).tolist() == [0.222, 0, 0.111]
        assert [ones(side) for side in (single["neighbours"], pair["neighbours"])] == [[2, 7 + 5], [2, 7 + 2]]
        assert pair["saved"][0] > single["saved"][0] and passing["saved"] == [0]

    def test_whole_hand(self):
        states = after(made(["1111", *OTHERS], table=("777", 2)))
        assert planes(states, 0, GAME)["hand"][3:] == [1, 1]
        assert [row["out"] for row in action_planes(states, GAME).values()] == [[1], [0]]

    def test_block_is_taken(self):
        states = after(made(["24436", *OTHERS], table=("33", 2)), "play 1 2")
        found = planes(states, 0, GAME)
        assert (ones(found["phase"]), ones(found["block"][:7]), round(found["block"][7], 3)) == ([1], [2], 0.222)
        rows = action_planes(states, GAME)
        joins = {text: ones(row["run"]) for text, row in rows.items()}
        assert joins == {"take 0": [], "take 1": [2], "take 2": [2], "take 3": [], "drop": []}
        assert len({tuple(row["place"]) for text, row in rows.items() if text != "drop"}) == 4
        GAME.engine.step(states, GAME.legal_list(states)[1])
        known = np.round(np.reshape(planes(states, 2, GAME)["known"], (6, 7)) * 9).tolist()
        assert known[1] == [0, 0, 2, 0, 0, 0, 0] and not np.any(known[2:])  # seat 0 is the next one of seat 2

    def test_block_splits_a_pair(self):
        states = after(made(["556", *OTHERS], table=("1", 2)), "play 2 1")
        assert {text: ones(row["run"]) for text, row in action_planes(states, GAME).items()}["take 1"] == [3]

    def test_front_cards(self):
        found = action_planes(after(made(["335", "1234567"], fronts=["37", "12"])), GAME)
        assert {text: row["count"][1] for text, row in found.items()} == {
            "play 0 1": 0, "play 0 1 +1": 0.5, "play 0 2": 0, "play 0 2 +1": 0.5, "play 2 1": 0,
        }  # fmt: skip
        states = after(made(["4", "1234567"], fronts=["44", "12"], table=("77", 1)))
        assert planes(states, 0, GAME)["hand"][3:] == [1, 1]  # three 4s
        fronts = planes(states, 1, GAME)["fronts"]
        assert (fronts[:7], fronts[7:14], fronts[14]) == ([0.5, 0.5, 0, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0, 0], 0)


@pytest.mark.parametrize("seats", GAME.seats)
def test_unseen_cards_and_all_seats_alike(seats):
    rng = random.Random(seats)
    states = (
        deal(seats, seats, front_visible=False) if seats == 2 else deal(seats, seats, variant=rng.choice(["basic", "advanced"]))
    )
    for _ in range(150):
        by = rng.randrange(1, seats)
        turned = moved(states, seats, by)
        for seat in range(seats):
            assert features(states, seat) == features(turned, (seat + by) % seats)
            seen, cards = GAME.observed(states, seat)[0], np.empty(63, np.int64)
            unseen = cards[: knowledge._unseen_cards(seen, seat, cards)].tolist()
            found = planes(states, seat, GAME)["values"][21:]
            assert np.round(np.array(found) * 9).tolist() == [unseen.count(value) for value in range(1, 8)]
        if GAME.engine.is_terminal(states):
            return
        if GAME.engine.is_round_over(states):
            GAME.rules.next_round(states[0])
        GAME.engine.step(states, rng.choice(GAME.legal_list(states)))


def features(states, seat):
    return encoding_of(GAME).features(GAME.observed(states, seat), seat).tobytes()


def moved(states, seats, by):
    """The same table, everybody `by` seats further on."""
    turned = copied(states)
    s, t = states[0], turned[0]
    for seat in range(seats):
        to = (seat + by) % seats
        for name in ("totals", "hand_size", "num_fronts"):
            t[name][to] = s[name][seat]
        for name, width in (("hand", 1 << ROW), ("known", 1 << MARKS), ("fronts", FRONTS)):
            t[name][to * width : (to + 1) * width] = s[name][seat * width : (seat + 1) * width]
    for place in range(s.num_out):
        t.out[place] = (s.out[place] + by) % seats
    t.starter = (s.starter + by) % seats
    if s.phase < ROUND_OVER:  # else nobody's
        t.turn = (s.turn + by) % seats
    if s.table_count > 0:
        t.table_owner = (s.table_owner + by) % seats
    return turned
