"""Yaniv's course of a match (RULES.md 5.1-5.4): worked examples and invariants."""

import itertools
import json
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.audit.laws.traces import play_text
from arena.engine.rng import seed_words
from arena.errors import ConfigError
from helpers.yaniv_tables import (
    CARDS,
    GAME,
    RANKS,
    SEEDS,
    after,
    copied,
    deal,
    deck,
    discards,
    flat,
    in_order,
    legal,
    made,
    masked,
    played,
    position,
)


class TestSetUp:
    """5.1: decks, five cards each, the opened card, the starter."""

    @pytest.mark.parametrize(("seats", "decks"), [(2, 1), (3, 1), (4, 1), (5, 2), (6, 2), (7, 2), (8, 2), (9, 2), (10, 2)])
    def test_decks_follow_the_seats(self, seats, decks):
        start = position(deal(seats=seats))
        assert start["options"]["decks"] == decks
        assert [len(hand) for hand in start["hands"]] == [5] * seats
        assert (len(start["previous"]), len(start["stock"])) == (1, 54 * decks - 5 * seats - 1)
        assert in_order([*flat(start["hands"]), *start["previous"], *start["stock"]]) == deck(decks)

    def test_decks_can_be_chosen(self):
        assert len(position(deal(seats=2, decks=2))["stock"]) == 97
        assert len(position(deal(seats=5, decks=1))["stock"]) == 28
        with pytest.raises(ConfigError, match=r"options\.decks"):
            deal(seats=6, decks=1)

    def test_limit_follows_the_mode(self):
        assert GAME.resolve_options({}, 2)["limit"] == 101
        assert GAME.resolve_options({"mode": "elim201"}, 2)["limit"] == 201
        assert GAME.resolve_options({"mode": "elim201", "limit": 150}, 2)["limit"] == 150

    def test_first_starter_is_drawn_and_the_next_seat_follows(self):
        starters = Counter(position(deal(seed, seats=4))["starter"] for seed in range(400))
        assert all(65 < starters[seat] < 135 for seat in range(4))  # 4 standard deviations
        for before, _, following in played(5, seats=4):
            if following["round"] > before["round"]:
                assert following["starter"] == following["turn"] == (before["starter"] + 1) % 4

    def test_every_card_comes_to_every_place_of_the_deal(self):
        deals = [position(deal(seed)) for seed in range(600)]
        assert {start["previous"][0] for start in deals} == set(CARDS)
        assert {start["stock"][-1] for start in deals} == set(CARDS)
        assert {card for start in deals for card in start["hands"][1]} == set(CARDS)


def all_discards(hand):
    """Every discard by the words of 5.2, as (places, text): written apart from the rules, every physical card for itself."""
    found = []
    for size in range(1, len(hand) + 1):
        for chosen in itertools.combinations(range(len(hand)), size):
            cards = [hand[place] for place in chosen]
            naturals = [card for card in cards if card != "*"]
            if size == 1:
                found.append((chosen, cards[0]))
            if size > 1 and len({card[1] for card in naturals}) == 1 and len(naturals) == size:
                for first, last in itertools.combinations(range(size), 2):
                    middle = [card for at, card in enumerate(cards) if at not in (first, last)]
                    found.append((chosen, " ".join([cards[first], *middle, cards[last]])))
            for start in range(13 - size + 1):
                wanted = RANKS[start : start + size]
                suits = {card[0] for card in naturals}
                ranks = [card[1] for card in naturals]
                if size >= 3 and len(suits) == 1 and len(set(ranks)) == len(ranks) and set(ranks) <= set(wanted):
                    suit = naturals[0][0]
                    found.append((chosen, " ".join(suit + rank if rank in ranks else "*" for rank in wanted)))
    return found


class TestDiscards:
    """5.2, 5.6: what may be laid, and how."""

    @pytest.mark.parametrize(
        ("hand", "physical", "listed"),
        [
            ("S4 S5 S6 H6 C9", 7, 7),
            ("C9 S9 D9 H2 SK", 11, 11),
            ("S8 S9 * H2 DK", 7, 7),
            ("H4 H5 * H7 CA", 9, 9),
            ("SQ SK * SA D3", 6, 6),
            ("SA S2 * HK D9", 6, 6),
            ("* * S8 H3 C5", 14, 13),
            ("* * H3 C3", 11, 10),
            ("S6 H6 D6 C6 *", 29, 29),
            ("S3 S4 S5 S6 S7", 11, 11),
            ("SK SA S2", 3, 3),
            ("S9 SJ *", 4, 4),
            ("S3 S4 S5 * *", 40, 32),
            ("H2 D3", 2, 2),
        ],
    )
    def test_counts_of_the_worked_examples(self, hand, physical, listed):
        assert len(all_discards(hand.split())) == physical
        assert len(discards(hand)) == listed

    @settings(max_examples=150)
    @given(data=st.data(), decks=st.integers(1, 2))
    def test_legal_list_is_what_the_words_say(self, data, decks):
        cards = st.permutations(range(54 * decks)).map(lambda order: [deck(decks)[place] for place in order[:5]])
        size = data.draw(st.integers(1, 5))
        hand = in_order(data.draw(cards)[:size])
        if data.draw(st.booleans()):  # many cards of few ranks
            few = [card for card in deck(decks) if card == "*" or (card[1] in "567" and card[0] in "SH")]
            hand = in_order(data.draw(st.permutations(few))[:size])
        if "CT" in hand or "CJ" in hand:
            return
        listed = discards(" ".join(hand), decks=decks)
        assert len(set(listed)) == len(listed)
        assert set(listed) == {text for _, text in all_discards(hand)}

    def test_two_decks_have_at_most_85(self):
        assert len(all_discards(["S3", "S3", "H3", "H3", "C3"])) == 85
        assert len(discards("S3 S3 H3 H3 C3", decks=2)) == 35

    def test_the_ends_are_chosen(self):
        document = made(["S6 H6 D6 C9", "CT"])
        assert position(after(document, "discard H6 S6 D6"))["laid"] == ["H6", "S6", "D6"]
        assert legal(after(document, "discard H6 S6 D6", "draw first", "discard CT")) == [
            "draw stock",
            "draw first",
            "draw last",
        ]

    def test_joker_pair(self):
        assert "* *" not in discards("S4 * * D9")
        assert "* *" in discards("S4 * * D9", joker_pair=True)
        assert "* * *" in discards("S4 * * *", joker_pair=True, decks=2)
        assert discards("* * * *", decks=2) == ["*"]  # O-Y4

    @pytest.mark.parametrize(
        ("threshold", "hand", "may"),
        [
            (5, "H2 D3", True), (5, "H2 D4", False), (7, "H3 D4", True), (7, "H3 D5", False), (5, "H6", False),
            (10, "HK", True), (10, "HK SA", False), ("none", "HK DK SK H9 H8", True), (5, "* *", True), (5, "", True),
        ],
    )  # fmt: skip
    def test_threshold(self, threshold, hand, may):
        texts = legal(after(made([hand, "CT"], options={"threshold": threshold})))
        assert ("call" in texts) == may
        assert "call" not in texts[1:]

    def test_empty_hand_must_call(self):
        assert legal(after(made(["", "CT"], options={"slap_down": True}))) == ["call"]


class TestDrawing:
    """5.2, 5.6 15-18: ends, middle cards, the stock."""

    @pytest.mark.parametrize(
        ("previous", "takeable"),
        [("S6", "S6"), ("S6 D6", "S6 D6"), ("D9 S9 C9", "D9 C9"), ("* S8 S9", "* S9"), ("H4 H5 * H7", "H4 H7")],
    )
    def test_only_the_ends_can_be_taken(self, previous, takeable):
        takeable = takeable.split()
        document = made(["C2", "D2"], previous=previous, laid="SK", phase="draw")
        texts = legal(after(document))
        assert texts == ["draw stock", "draw first", "draw last"][: 1 + len(takeable)]
        for text, card in zip(texts[1:], takeable, strict=True):
            states = after(document, text)
            assert position(states)["hands"][0] == in_order(["C2", card])
            assert position(states)["buried"] == in_order((Counter(previous.split()) - Counter([card])).elements())
            assert position(states)["previous"] == ["SK"]

    def test_any_card_of_a_set(self):
        options = {"set_take": "any"}
        document = made(["C2", "D2"], previous="D9 S9 H9 C9", laid="SK", phase="draw", options=options)
        assert legal(after(document)) == ["draw stock", "draw first", "draw last", "draw 1", "draw 2"]
        assert position(after(document, "draw 2"))["hands"][0] == ["H9", "C2"]
        run = made(["C2", "D2"], previous="* S8 S9", laid="SK", phase="draw", options=options)
        assert "draw 1" not in legal(after(run))

    def test_own_discard_is_not_available(self):
        document = made(["SK C2", "D2"], previous="CJ")
        assert position(after(document, "discard SK", "draw first"))["hands"][0] == ["C2", "CJ"]

    def test_what_was_taken_is_known_until_it_is_laid(self):
        states = after(made(["SK C2", "D2 D3"], previous="CJ"), "discard SK", "draw first")
        assert masked(states, 1)["memory"]["known"] == [["CJ"], []]
        for text in ("discard D2", "draw last", "draw stock", "discard CJ"):
            if text in legal(states):
                play_text(GAME, states, text)
        assert masked(states, 1)["memory"]["known"] == [[], []]

    def test_stock_draw_is_hidden_from_others(self):
        document = made(["C2", "D2"], laid="SK", phase="draw", stock="H5 H6")
        states = after(document)
        code = GAME.legal_list(states)[0]
        events = [GAME.text.event_texts(states[0], GAME.engine.seen_action(states, code, seat)) for seat in range(2)]
        assert events == [[(0, "draw stock")]] * 2
        states = after(document, "draw stock")
        assert masked(states, 1)["hands"] == [["?", "?"], ["D2"]]
        assert masked(states, 0)["hands"] == [["H5", "C2"], ["?"]]


class TestReshuffle:
    """5.2, O-Y6: the buried cards become the stock at the moment of the draw that needs it."""

    DOCUMENT = made(["S2 SK", "H2 * *"], stock="")

    def test_stock_stays_empty_until_the_draw(self):
        states = after(self.DOCUMENT, "discard SK")
        assert position(states)["stock"] == []
        assert legal(states) == ["draw stock", "draw first"]

    def test_all_but_the_two_discards_are_shuffled(self):
        states = after(self.DOCUMENT, "discard SK", "draw stock")
        found = position(states)
        drawn = (Counter(found["hands"][0]) - Counter(["S2"])).elements()
        assert in_order([*found["stock"], *drawn]) == self.DOCUMENT["buried"]
        assert (found["previous"], found["buried"]) == (["SK"], ["CJ"])

    def test_no_buried_cards_no_stock(self):
        options = {"decks": 1}
        hands = ["S2 S3 S4 S5 S6", "H2 H3 H4 H5 H6", "D2 D3 D4 D5 D6", "C2 C3 C4 C5 C6", "SA HA DA CA *"]
        document = made(hands, options=options)
        document["buried"], document["stock"] = [], document["stock"]
        assert legal(after(document, "discard S2"))[0] == "draw stock"

    def test_order_depends_on_the_seed_only(self):
        found = set()
        for seed in range(20):
            states = after({**self.DOCUMENT, "rng": f"{seed:032x}"}, "discard SK", "draw stock")
            again = after({**self.DOCUMENT, "rng": f"{seed:032x}"}, "discard SK", "draw stock")
            assert states.tobytes() == again.tobytes()
            found.add(json.dumps(position(states)["stock"]))
        assert len(found) == 20

    def test_second_reshuffle_is_another_order(self):
        first = after({**self.DOCUMENT, "rng": f"{7:032x}"}, "discard SK", "draw stock")
        memory = {"origins": ["11", "111"], "reshuffles": 1}
        second = after({**self.DOCUMENT, "rng": f"{7:032x}", "memory": memory}, "discard SK", "draw stock")
        assert position(first)["stock"] != position(second)["stock"]

    @pytest.mark.parametrize("seats", [2, 3])
    def test_later_deals_are_not_shifted(self, seats):
        """A round with reshuffles and one without lead to the same next deal."""
        deals = set()
        for patience in (0, 150):
            states = deal(11, seats, threshold="none", turn_limit=1000)
            for _ in range(patience):
                play_text(GAME, states, legal(states)[1])  # the first discard
                play_text(GAME, states, "draw stock")
            assert (states[0].reshuffles > 0) == (patience > 0)
            play_text(GAME, states, "call")
            found = position(states)
            assert found["round"] == 2
            deals.add(json.dumps([found["hands"], found["stock"], found["previous"], found["starter"]]))
        assert len(deals) == 1


SLAP = {"slap_down": True}


class TestSlap:
    """5.2, 5.6 28, O-Y7, O-Y12."""

    def test_slap_or_hold(self):
        document = made(["C2", "D2"], previous="S2", laid="H7", phase="draw", options=SLAP)
        document["stock"].remove("S7")
        document["stock"].insert(0, "S7")
        states = after(document, "draw stock")
        assert legal(states) == ["hold", "slap"]
        assert (masked(states, 0)["drawn"], masked(states, 1)["drawn"]) == ("S7", "?")
        slapped, held = (position(after(document, "draw stock", text)) for text in ("slap", "hold"))
        assert (slapped["previous"], slapped["hands"][0], slapped["turns"]) == (["H7", "S7"], ["C2"], 1)
        assert (held["previous"], held["hands"][0], held["turns"]) == (["H7"], ["S7", "C2"], 1)

    @pytest.mark.parametrize(
        ("laid", "drawn", "options", "may"),
        [
            ("H7", "S7", {}, True), ("S7 D7", "H7", {}, True), ("S6 S7 S8", "D7", {}, False), ("S6 S7 S8", "D6", {}, False),
            ("*", "*", {}, False), ("*", "*", {"joker_pair": True}, True), ("H7", "*", {"joker_pair": True}, False),
            ("H7", "S8", {}, False), ("H7", "H7", {"decks": 2}, True), ("* * S4", "*", {"decks": 2, "joker_pair": True}, False),
        ],
    )  # fmt: skip
    def test_same_rank_after_a_single_card_or_a_set(self, laid, drawn, options, may):
        document = made(["C2", "D2"], previous="S2", laid=laid, phase="draw", options={**SLAP, **options})
        document["stock"].remove(drawn)
        document["stock"].insert(0, drawn)
        assert (position(after(document, "draw stock"))["phase"] == "slap") == may

    def test_not_when_taken_from_the_discard(self):
        document = made(["C2", "D2"], previous="S7", laid="H7", phase="draw", options=SLAP)
        assert position(after(document, "draw first"))["phase"] == "start"

    def test_holding_back_is_no_event_for_others(self):
        document = made(["S7 C2", "D2"], previous="S2", laid="H7", phase="slap", drawn="S7", options=SLAP)
        states = after(document)
        hold, slap = GAME.legal_list(states)
        assert GAME.engine.seen_action(states, hold, 1) == 0
        assert GAME.text.event_texts(states[0], GAME.engine.seen_action(states, hold, 0)) == [(0, "hold")]
        for seat in range(2):
            assert GAME.text.event_texts(states[0], GAME.engine.seen_action(states, slap, seat)) == [(0, "slap")]

    def test_six_cards_of_one_rank(self):
        document = made(
            ["S7 S7 H7 D7 C7", "D2"], options={**SLAP, "decks": 2, "set_take": "any"}
        )  # fmt: skip
        document["stock"].remove("H7")
        document["stock"].insert(0, "H7")
        states = after(document, "discard S7 S7 H7 D7 C7", "draw stock", "slap", "discard D2")
        assert legal(states) == ["draw stock", "draw first", "draw last", "draw 1", "draw 2", "draw 3", "draw 4"]


class TestScoring:
    """5.3, 5.4, 5.6 19-27: points, lower totals, the end, places."""

    @pytest.mark.parametrize(
        ("hands", "totals"),
        [
            (["S4", "H2 DT", "SK HQ C5"], [0, 12, 25]),
            (["S4", "D4", "SK HQ C5"], [34, 4, 25]),
            (["S5", "S3", "H3", "SK HK"], [35, 3, 3, 20]),
            (["* *", ""], [30, 0]),
            (["SA", "", "SK"], [31, 0, 10]),
        ],
    )
    def test_points_of_a_round(self, hands, totals):
        assert position(after(made(hands), "call"))["totals"] == totals

    @pytest.mark.parametrize(
        ("before", "points", "then", "options"),
        [
            (38, "DT D2", 25, {}), (90, "DT", 50, {}), (40, "DT", 25, {}), (91, "DT", 101, {}),
            (40, "DT", 50, {"mode": "elim201"}), (90, "DT", 50, {"mode": "elim201"}), (140, "DT", 150, {"mode": "elim201"}),
            (190, "DT", 100, {"mode": "elim201"}), (90, "DT", 50, {"mode": "elim201", "reduction": "minus50"}),
            (140, "DT", 100, {"mode": "elim201", "reduction": "minus50"}),
            (40, "DT", 50, {"mode": "elim201", "reduction": "minus50"}),
            (190, "DT", 150, {"mode": "elim201", "reduction": "minus50"}), (40, "DT", 25, {"reduction": "minus50"}),
        ],
    )  # fmt: skip
    def test_totals_are_lowered_in_one_step(self, before, points, then, options):
        document = made(["SA", points, "DK"], options=options, totals=[0, before, 0])
        assert position(after(document, "call"))["totals"][1] == then

    @pytest.mark.parametrize(("change", "then"), [(True, 50), (False, 25)])
    def test_a_total_that_stays(self, change, then):
        document = made(["SA", "DK"], options={"halve_requires_change": change}, totals=[50, 3])
        assert position(after(document, "call"))["totals"] == [then, 13]

    @pytest.mark.parametrize(("limit", "over"), [(100, True), (101, True), (102, False)])
    def test_limit(self, limit, over):
        states = after(made(["SA", "DK"], options={"limit": limit}, totals=[2, 91]), "call")
        assert GAME.engine.is_terminal(states) == over
        if over:
            assert GAME.final(states, 2) == ([2.0, 101.0], [1, 2])

    def test_the_lowest_total_is_shared(self):
        states = after(made(["S4", "H2 DT", "SK HQ C5"], totals=[15, 3, 90]), "call")
        assert GAME.final(states, 3) == ([15.0, 15.0, 115.0], [1, 1, 3])

    def test_dropping_out(self):
        options = {"mode": "elim201"}
        states = after(made(["SA", "HT", "D9"], options=options, totals=[0, 195, 7]), "call")
        found = position(states)
        assert (found["dropped"], found["starter"]) == ([0, 1, 0], 2)
        assert [len(hand) for hand in found["hands"]] == [5, 0, 5]
        assert len(found["stock"]) == 54 - 11
        for text in (legal(states)[-1], "draw first"):
            play_text(GAME, states, text)
        assert position(states)["turn"] == 0

    def test_the_last_one_left_wins_and_the_later_drop_is_better(self):
        options = {"mode": "elim201"}
        document = made(["SA", "HT", ""], options=options, totals=[150, 195, 202], dropped=[0, 0, 3], round=5)
        assert GAME.final(after(document, "call"), 3) == ([150.0, 205.0, 202.0], [1, 2, 3])

    def test_all_drop_at_once(self):
        options = {"mode": "elim201"}
        document = made(["S4", "D3", ""], options=options, totals=[190, 199, 230], dropped=[0, 0, 2], round=4)
        assert GAME.final(after(document, "call"), 3) == ([224.0, 202.0, 230.0], [2, 1, 3])

    def test_turn_limit(self):
        document = made(["S2 D9", "H2 D8"], options={"turn_limit": 3}, turn=1, turns=5)
        found = position(after(document, "discard D8", "draw first"))
        assert (found["round"], found["totals"]) == (2, [11, 12])

    def test_turn_limit_counts_the_seats_in_play(self):
        options = {"turn_limit": 3, "mode": "elim201"}
        document = made(
            ["S2 D9", "H2 D8", ""], options=options, turn=1, turns=5, totals=[0, 0, 300], dropped=[0, 0, 1], round=2
        )
        assert position(after(document, "discard D8", "draw first"))["round"] == 3

    def test_max_rounds(self):
        document = made(["S4", "D5"], options={"max_rounds": 1}, totals=[20, 3])
        assert GAME.final(after(document, "call"), 2) == ([20.0, 8.0], [2, 1])


class TestCourse:
    """What holds in every match."""

    @settings(max_examples=15)
    @given(
        seed=SEEDS,
        seats=st.integers(2, 10),
        slap=st.booleans(),
        take=st.sampled_from(["ends", "any"]),
        mode=st.sampled_from(["default", "elim201"]),
    )
    def test_accounting(self, seed, seats, slap, take, mode):
        options = {"slap_down": slap, "set_take": take, "mode": mode, "max_rounds": 2, "threshold": 10, "turn_limit": 12}
        for before, text, following in played(seed, seats, **options):
            cards = [*following["stock"], *following["buried"], *following["previous"], *following["laid"]]
            assert in_order([*cards, *flat(following["hands"])]) == deck(following["options"]["decks"])
            assert max(map(len, following["hands"])) <= 5
            if following["round"] == before["round"] and following["phase"] != "over":
                sizes = [len(hand) for hand in before["hands"]], [len(hand) for hand in following["hands"]]
                grown = [new - old for old, new in zip(*sizes, strict=True)]
                assert all(grown[seat] == 0 for seat in range(seats) if seat != before["turn"])
                assert text.startswith("draw") == (grown[before["turn"]] == 1)
                assert following["turns"] - before["turns"] == (following["turn"] != before["turn"])

    @settings(max_examples=15)
    @given(seed=SEEDS, seats=st.integers(2, 10))
    def test_match_ends_at_the_limit(self, seed, seats):
        states, out, rng = deal(seed, seats), GAME.new_actions(), seed_words(seed)
        before = copied(states)
        while not GAME.engine.is_terminal(states):
            before = copied(states)
            GAME.engine.play_random(states, rng, out, 1)
        assert max(states[0].totals) >= 101 > max(before[0].totals)

    @settings(max_examples=10)
    @given(seed=SEEDS, seats=st.integers(2, 5))
    def test_elimination_leaves_one(self, seed, seats):
        *_, (_, _, last) = played(seed, seats, mode="elim201", threshold="none")
        assert sum(not out for out in last["dropped"]) <= 1 or last["round"] == 200

    def test_hands_are_open_at_the_end(self):
        states = after(made(["S4", "D5"], options={"max_rounds": 1}), "call")
        assert masked(states, 0)["hands"] == masked(states, 1)["hands"] == [["S4"], ["D5"]]
