"""Naga's course of a match (RULES.md 2.1, 2.2, 2.6): examples, invariants, and what each seat sees of it (2.7)."""

import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.audit.laws.traces import play_text
from helpers.naga_tables import CARDS, GAME, at_contest, deal, field_cards, flat, in_order, played, position

SEEDS = st.integers(0, 2**128 - 1)
STOCK_BEFORE_CONTEST = {1: 32, 2: 26, 3: 20, 4: 14, 5: 8, 6: 2, 7: 0}


class TestDealing:
    """2.1, 2.2: nine field cards, then blocks from the top of the stock, the parent's block first."""

    def test_set_up(self):
        start = position(deal())
        assert [len(start["places"][str(place)]) for place in range(1, 8)] == [1, 1, 1, 3, 1, 1, 1]
        assert [len(hand) for hand in start["hands"]] == [5, 5]
        assert (start["contest"], start["phase"], len(start["stock"])) == (1, "designate", 32)

    @pytest.mark.parametrize("parent", [0, 1])
    def test_three_cards_each_parents_block_first(self, parent):
        start = next(at for at in map(position, map(deal, range(100))) if at["parent"] == parent)
        states = GAME.text.from_position(start)
        for text in ("field 1", *(f"select {' '.join(hand[:3])}" for hand in start["hands"])):
            play_text(GAME, states, text)
        top = start["stock"]
        dealt = {parent: top[:3], 1 - parent: top[3:6]}
        assert position(states)["hands"] == [in_order(start["hands"][seat][3:] + dealt[seat]) for seat in range(2)]
        assert position(states)["stock"] == top[6:]

    def test_one_card_each_before_eltam(self):
        before = at_contest(6, phase="select", turn=1)
        states = GAME.text.from_position(before)
        play_text(GAME, states, f"select {' '.join(before['hands'][1][:3])}")
        after, parent = position(states), before["parent"]
        if after["contest"] == 7:
            kept = [set(before["hands"][0]) - set(before["pending"][0]), set(before["hands"][1][3:])]
            assert set(after["hands"][parent]) == kept[parent] | {before["stock"][0]}
            assert set(after["hands"][1 - parent]) == kept[1 - parent] | {before["stock"][1]}
            assert after["place"] == 4

    def test_first_parent_is_drawn(self):
        parents = Counter(position(deal(seed))["parent"] for seed in range(400))
        assert 160 < parents[0] < 240  # 4 standard deviations

    def test_every_card_comes_to_every_place_of_the_deal(self):
        deals = [position(deal(seed)) for seed in range(600)]
        assert {start["places"]["1"][0] for start in deals} == set(CARDS)
        assert {start["stock"][-1] for start in deals} == set(CARDS)


class TestCourse:
    """2.2: what holds in every match."""

    @settings(max_examples=30)
    @given(seed=SEEDS, majority=st.sampled_from(["5", "clinch"]), series=st.sampled_from(["first_to:1", "games:3"]))
    def test_accounting(self, seed, majority, series):
        for _, _, after in played(seed, majority=majority, series=series):
            cards = [*after["stock"], *after["shown"], *flat(after["hands"]), *flat(after["places"].values())]
            assert in_order(cards) == CARDS
            if after["phase"] != "over":
                assert len(after["stock"]) == STOCK_BEFORE_CONTEST[after["contest"]]
                assert [len(hand) for hand in after["hands"]] == [3 if after["contest"] == 7 else 5] * 2
            count = field_cards(after["won"])
            still_open = sum(len(cards) for place, cards in after["places"].items() if place not in after["won"])
            assert count[0] + count[1] + count["tie"] + still_open == 9

    @settings(max_examples=30)
    @given(seed=SEEDS)
    def test_chooser_alternates_from_the_child(self, seed):
        for before, text, _ in played(seed, series="games:2"):
            if before["phase"] == "designate":
                child = 1 - before["parent"]
                assert before["turn"] == (child if before["contest"] % 2 == 1 else before["parent"])
                assert text.startswith("field ")

    @settings(max_examples=30)
    @given(seed=SEEDS)
    def test_at_most_twenty_decisions_per_game(self, seed):
        decisions = Counter(before["round"] for before, _, _ in played(seed, series="games:4"))
        assert len(decisions) == 4
        assert max(decisions.values()) <= 20
        assert min(decisions.values()) >= 15  # five contests at least

    @settings(max_examples=30)
    @given(seed=SEEDS)
    def test_game_goes_on_until_five_cards_or_eltam(self, seed):
        for before, _, after in played(seed):
            count = field_cards(after["won"])
            over = max(count[0], count[1]) >= 5 or "4" in after["won"]
            if before["phase"] == "select" and before["turn"] == 1 and after["round"] == before["round"]:
                assert (after["phase"] == "over") == over

    def test_forced_designation_is_a_decision(self):
        before = at_contest(6)
        states = GAME.text.from_position(before)
        (place,) = {*"123567"} - before["won"].keys()
        assert GAME.text.action_texts(states[0], GAME.legal_list(states)) == [f"field {place}"]

    def test_eltam_is_not_designated(self):
        states = GAME.text.from_position(at_contest(7, phase="select"))
        assert len(GAME.legal_list(states)) == 3
        assert states[0].place == 4

    def test_tie_removes_the_field_card(self):
        ties = 0
        for seed in range(60):
            for before, _, after in played(seed, none_compare="top"):
                if "tie" in after["won"].values() and len(after["won"]) > len(before["won"]):
                    ties += 1
                    assert field_cards(after["won"])["tie"] >= 1
                    assert not {*flat(after["places"].values())} & {*flat(after["hands"])}
        assert ties > 5


class TestSeries:
    """2.6 and O-G6: the next parent, the end, the score."""

    @settings(max_examples=40)
    @given(seed=SEEDS, draw_parent=st.sampled_from(["keep", "swap"]))
    def test_next_parent(self, seed, draw_parent):
        for before, _, after in played(seed, series="games:6", draw_parent=draw_parent):
            if after["round"] == before["round"] + 1:
                gained = [new - old for new, old in zip(after["games"], before["games"], strict=True)]
                drawn = before["parent"] if draw_parent == "keep" else 1 - before["parent"]
                assert after["parent"] == (gained.index(1) if 1 in gained else drawn)

    @settings(max_examples=30)
    @given(seed=SEEDS, count=st.integers(1, 5))
    def test_games_are_all_played(self, seed, count):
        *_, (_, _, last) = played(seed, series=f"games:{count}")
        assert last["round"] == count
        assert sum(last["games"]) <= count

    @settings(max_examples=30)
    @given(seed=SEEDS, count=st.integers(1, 4))
    def test_first_to_ends_with_the_winning_game(self, seed, count):
        *_, (before, _, last) = played(seed, series=f"first_to:{count}")
        assert max(last["games"]) == count > max(before["games"])

    def test_scores_and_places(self):
        for seed in range(20):
            states, rng = deal(seed, series="games:2"), random.Random(seed)
            while not GAME.engine.is_terminal(states):
                GAME.engine.advance(states, rng.choice(GAME.legal_list(states)))
            scores, places = GAME.final(states, 2)
            assert scores == position(states)["games"]
            assert places == {True: [1, 2], False: [2, 1]}.get(scores[0] > scores[1]) or scores[0] == scores[1]
            if scores[0] == scores[1]:
                assert places == [1, 1]


class TestKnowledge:
    """2.7: what a seat sees, and what it cannot."""

    def test_observed_state_holds_no_seed_stock_or_other_hand(self):
        states = deal()
        for seat in range(2):
            seen = GAME.observed(states, seat)[0]
            assert not seen.seed.any()
            assert not seen.stock.any()
            assert seen.hand[1 - seat] == 0
            assert seen.hand[seat] == states[0].hand[seat]

    def test_selection_is_hidden_until_both_are_in(self):
        states = GAME.text.from_position(at_contest(2, phase="select", turn=1))
        masked = GAME.text.masked_position(GAME.observed(states, 1)[0], 1)
        assert masked["pending"] == [["?", "?", "?"], None]
        own = GAME.text.masked_position(GAME.observed(states, 0)[0], 0)
        assert own["pending"] == [position(states)["pending"][0], None]

    def test_reveal_is_heard_by_both(self):
        before = at_contest(2, phase="select", turn=1)
        states = GAME.text.from_position(before)
        action = GAME.legal_list(states)[4]
        text = GAME.action_text(states, action)
        for viewer in range(2):
            seen = GAME.engine.seen_action(states, action, viewer)
            first = "select " + " ".join(before["pending"][0])
            assert GAME.text.event_texts(states[0], seen) == [(0, first), (1, text)]

    def test_first_selection_is_heard_by_nobody_as_an_event(self):
        states = GAME.text.from_position(at_contest(2, phase="select", turn=0))
        action = GAME.legal_list(states)[0]
        assert GAME.engine.seen_action(states, action, 1) == 0
        assert GAME.text.event_texts(states[0], GAME.engine.seen_action(states, action, 0)) == []
