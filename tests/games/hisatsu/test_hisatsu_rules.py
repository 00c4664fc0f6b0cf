"""Hisatsu Shigotonin (RULES.md 3.1 to 3.5): examples, invariants of random matches, and the rules against a second referee."""

import json
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.audit.laws.traces import play_text
from arena.errors import ConfigError, PositionError
from arena.games import load
from helpers.hisatsu_referee import DEFAULT_DECK, Referee

GAME = load("hisatsu")
BANG = {name: bang for name, bang, _, _ in DEFAULT_DECK}
SEEDS = st.integers(0, 2**128 - 1)
ZEROS = [[f"Zero {number}", 0, 5, 1] for number in range(40)]


def deal(seed=1, seats=3, **options):
    return GAME.deal(seats, GAME.resolve_options(options, seats), seed)


def position(states):
    return GAME.text.to_position(states[0])


def plain(states):
    """A position without its generator."""
    return {key: value for key, value in position(states).items() if key != "rng"}


def legal(states):
    return GAME.text.action_texts(states[0], GAME.legal_list(states))


def made(*row, seats=3, turn=0, **keys):
    """A first deal with these requests open; the others in the stock, in the deck's order."""
    deck = [name for name, *_ in keys.get("deck", DEFAULT_DECK)]
    bang = {name: row[0] for name, *row in keys.get("deck", DEFAULT_DECK)}
    return GAME.text.from_position(
        {
            "seats": seats,
            "phase": "act",
            "turn": turn,
            "row": [{"name": name, "chips": bang[name]} for name in row],
            "stock": [name for name in deck if name not in row],
            "hands": ["1234567"] * seats,
            **keys,
        }
    )


def after(states, *texts):
    for text in texts:
        play_text(GAME, states, text)
    return position(states)


def played(seed, seats=3, **options):
    """(position, action text, position after it) of a random match."""
    states, rng = deal(seed, seats, **options), random.Random(seed)
    before = position(states)
    while not GAME.engine.is_terminal(states):
        text = rng.choice(legal(states))
        play_text(GAME, states, text)
        following = position(states)
        yield before, text, following
        before = following


def cards_in(place):
    return place["cards"] if place else []


class TestSetUp:
    """3.1: cards, row, stock, starter."""

    @pytest.mark.parametrize("seats", [3, 4, 5])
    def test_row_and_stock(self, seats):
        start = position(deal(seats=seats))
        assert len(start["row"]) == seats - 1
        assert len(start["stock"]) == 20 - (seats - 1)
        assert all(slot == {"name": slot["name"], "chips": BANG[slot["name"]], "cards": []} for slot in start["row"])
        assert start["hands"] == ["1234567"] * seats
        assert sorted([*start["stock"], *(slot["name"] for slot in start["row"])]) == sorted(BANG)

    def test_every_seat_starts_as_often(self):
        starters = Counter(position(deal(seed, 5))["starter"] for seed in range(1000))
        assert all(150 < starters[seat] < 250 for seat in range(5))  # 4 standard deviations

    def test_every_request_comes_to_every_place(self):
        deals = [position(deal(seed)) for seed in range(400)]
        assert {start["row"][0]["name"] for start in deals} == set(BANG)
        assert {start["stock"][-1] for start in deals} == set(BANG)

    def test_default_deck_is_the_one_of_this_version(self):
        """A resolved option leaves the default deck out, so another default needs another VERSION."""
        numbers = [(bang, hp, points) for _, bang, hp, points in DEFAULT_DECK]
        assert GAME.version == 1
        assert (len(DEFAULT_DECK), sum(b for b, _, _ in numbers), sum(h for _, h, _ in numbers)) == (20, 34, 207)
        assert sum(p for _, _, p in numbers) == 64
        assert [name for name, *_ in DEFAULT_DECK] == [
            "Sparrow", "Hedgehog", "Hare", "Raccoon dog", "Marten", "Fox", "Badger", "Otter", "Kite", "Macaque", "Serow",
            "Deer", "Boar", "Crane", "Goose", "Lynx", "Wolf", "Bear", "Eagle", "Tiger",
        ]  # fmt: skip


class TestTurn:
    """3.2: placing, the capture check, the refill."""

    def test_hidden_card_takes_a_chip_and_the_next_one_is_open(self):
        states = made("Fox", "Bear")
        following = after(states, "place 4 0")
        assert following["row"][0] == {"name": "Fox", "chips": 0, "cards": [[0, 4, "down"]]}
        assert (following["points"], following["hands"][0]) == ([1, 0, 0], "123567")
        following = after(states, "place 7 0")
        assert following["row"][0]["cards"] == [[0, 4, "down"], [1, 7, "up"]]
        assert following["points"] == [1, 0, 0]

    def test_seven_needs_a_request_without_chips(self):
        states = made("Fox", "Hare")
        assert "place 7 0" not in legal(states)
        assert "place 7 1" in legal(states)

    def test_claim_is_checked_at_the_claimants_next_turn(self):
        following = after(made("Fox", "Bear"), "place 4 0", "place 3 0", "discard 7", "discard 7")
        assert following["captured"] == [[], ["Fox"], []]
        assert following["discards"] == ["74", "3", "7"]
        assert following["row"][0] == {"name": "Sparrow", "chips": 0, "cards": []}
        assert (following["turn"], len(following["stock"])) == (1, 17)

    def test_one_above_the_hit_points_fails(self):
        following = after(made("Fox", "Bear"), "place 5 0", "place 3 0", "discard 7", "discard 7")
        assert (following["captured"], following["failed"]) == ([[], [], []], [[], ["Fox"], []])
        assert following["discards"] == ["75", "3", "7"]

    def test_claim_is_taken_over(self):
        states = made("Fox", "Bear")
        assert after(states, "place 4 0", "place 3 0", "place 1 0", "discard 7")["row"][0]["name"] == "Fox"
        assert after(states, "discard 7")["failed"] == [[], [], ["Fox"]]

    def test_hidden_card_is_no_claim(self):
        following = after(made("Deer", "Bear"), "place 3 0", "discard 1", "discard 1")
        assert following["row"][0] == {"name": "Deer", "chips": 1, "cards": [[0, 3, "down"]]}

    def test_several_claims_are_resolved_from_the_left(self):
        """In play a seat never has two, as it places one card between two checks; a position may have them."""
        states = made(
            "Hare", "Sparrow", seats=3, turn=1, turns=[1, 0, 0], hands=["234567", "1234567", "1234567"], discards=["1", "", ""]
        )
        both = position(states)
        both["row"] = [{"name": "Hare", "cards": [[1, 4, "up"], [2, 3, "up"]]}, {"name": "Sparrow", "cards": [[2, 2, "up"]]}]
        both |= {"turns": [3, 2, 2], "hands": ["4567", "12357", "14567"], "discards": ["123", "6", ""]}
        following = after(GAME.text.from_position(both), "discard 7")
        assert (following["captured"], following["failed"]) == ([[], [], ["Sparrow"]], [[], [], ["Hare"]])
        assert [slot["name"] for slot in following["row"]] == both["stock"][:2]
        assert following["discards"] == ["123", "674", "32"]

    def test_nothing_can_be_placed_on_an_empty_slot(self):
        deck = [["One", 0, 3, 1], ["Two", 1, 5, 2]]
        states = made("One", "Two", deck=deck)
        following = after(states, "place 1 0", "discard 7", "discard 7")
        assert (following["row"][0], following["captured"]) == (None, [["One"], [], []])
        assert {text.split()[-1] for text in legal(states) if text.startswith("place")} == {"1"}
        following = after(states, "place 2 1", "place 1 1", "discard 6", "discard 6", "discard 6")
        assert following["row"] == [None, None]
        assert legal(states) == [f"discard {value}" for value in following["hands"][2]]


class TestEnd:
    """3.3: the final check and the score."""

    @settings(max_examples=30)
    @given(seed=SEEDS, seats=st.sampled_from([3, 4, 5]))
    def test_only_hidden_cards_stay(self, seed, seats):
        *_, (before, _, last) = played(seed, seats)
        assert all(card[2] == "down" for slot in last["row"] for card in cards_in(slot))
        assert last["stock"] == before["stock"]
        assert (last["phase"], last["turn"]) == ("over", None)

    def test_score(self):
        rng = random.Random(5)
        signs = Counter()
        for seed in range(60):
            states = deal(seed, 4)
            while not GAME.engine.is_terminal(states):
                GAME.engine.advance(states, rng.choice(GAME.legal_list(states)))
            last, (scores, _) = position(states), GAME.final(states, 4)
            worth = {name: points for name, _, _, points in DEFAULT_DECK}
            for seat in range(4):
                won = sum(worth[name] for name in last["captured"][seat])
                assert scores[seat] == won - 2 * len(last["failed"][seat]) + last["points"][seat]
                signs[scores[seat] > 0] += 1
        assert min(signs.values()) > 20

    @pytest.mark.parametrize(("tiebreak", "places"), [("none", [1, 1, 3]), ("captures", [2, 1, 3])])
    def test_tiebreak(self, tiebreak, places):
        """Seat 0: five one-point cards; seat 1: two captures of 4 + 1 points."""
        states = GAME.text.from_position(
            {
                "seats": 3,
                "options": {"tiebreak": tiebreak},
                "phase": "act",
                "turn": 2,
                "turns": [6, 6, 5],
                "row": [{"name": "Tiger", "chips": 0, "cards": [[0, v, "down"] for v in (1, 2, 3, 4)]}, {"name": "Hedgehog"}],
                "stock": [name for name in BANG if name not in ("Tiger", "Hedgehog", "Raccoon dog", "Hare")],
                "hands": ["7", "7", "67"],
                "discards": ["56", "123456", "12345"],
                "points": [5, 0, 0],
                "captured": [[], ["Raccoon dog", "Hare"], []],
            }
        )
        play_text(GAME, states, "discard 7")
        assert GAME.final(states, 3) == ([5.0, 5.0, 0.0], places)


class TestCourse:
    """3.4: what holds in every match, at every table, under every option."""

    @settings(max_examples=60)
    @given(
        seed=SEEDS,
        seats=st.sampled_from([3, 4, 5]),
        pass_discard=st.sampled_from(["face_up", "face_down"]),
        tiebreak=st.sampled_from(["none", "captures"]),
        deck=st.sampled_from(
            [DEFAULT_DECK, ZEROS, ZEROS[:5], [["A", 6, 1, 9], ["B", 0, 1, 9], ["C", 2, 30, 0], ["D", 1, 6, 3]]]
        ),
    )
    def test_same_as_the_referee(self, seed, seats, pass_discard, tiebreak, deck):
        states = deal(seed, seats, pass_discard=pass_discard, tiebreak=tiebreak, deck=deck)
        referee, rng = Referee(position(states)), random.Random(seed)
        while not referee.is_over:
            assert plain(states) == referee.position()
            assert legal(states) == referee.legal()
            assert int(GAME.engine.current_seat(states)) == referee.turn
            for seat in range(seats):
                seen = GAME.text.masked_position(GAME.observed(states, seat)[0], seat)
                assert seen == referee.position(seat)
            text = rng.choice(legal(states))
            code = GAME.text.parse_action(states[0], text)
            heard = [GAME.text.event_texts(states[0], GAME.engine.seen_action(states, code, seat)) for seat in range(seats)]
            play_text(GAME, states, text)
            referee.play(text)
            assert heard == [referee.heard(seat)[-1:] for seat in range(seats)]
        assert plain(states) == referee.position()
        assert GAME.final(states, seats) == (referee.scores(), referee.places())

    @settings(max_examples=40)
    @given(seed=SEEDS, seats=st.sampled_from([3, 4, 5]), pass_discard=st.sampled_from(["face_up", "face_down"]))
    def test_accounting(self, seed, seats, pass_discard):
        hidden_placements, decisions = [0] * seats, 0
        for before, text, following in played(seed, seats, pass_discard=pass_discard):
            decisions += 1
            kind, _, *slot = text.split()
            if kind == "place" and before["row"][int(slot[0])]["chips"]:
                hidden_placements[before["turn"]] += 1
            assert following["points"] == hidden_placements
            on_row = [card for place in following["row"] for card in cards_in(place)]
            for seat in range(seats):
                own = [str(value) for owner, value, _ in on_row if owner == seat]
                own += [*following["hands"][seat], *following["discards"][seat], *following.get("passed", [""] * seats)[seat]]
                assert sorted(own) == list("1234567")
            for place in filter(None, following["row"]):
                facings = [facing for _, _, facing in place["cards"]]
                assert facings.count("down") == min(len(facings), BANG[place["name"]]) == BANG[place["name"]] - place["chips"]
            won = [name for names in (*following["captured"], *following["failed"]) for name in names]
            assert sorted([*won, *following["stock"], *(s["name"] for s in following["row"] if s)]) == sorted(BANG)
            assert all(following["row"]) or following["phase"] == "over"
        assert decisions == 6 * seats
        assert [len(hand) for hand in following["hands"]] == [1] * seats
        assert following["turns"] == [6] * seats

    @settings(max_examples=30)
    @given(seed=SEEDS, seats=st.sampled_from([3, 4, 5]))
    def test_legal_count(self, seed, seats):
        for before, _, _ in played(seed, seats):
            hand = before["hands"][before["turn"]]
            count = len(hand) + sum(len(hand) - (slot["chips"] > 0 and "7" in hand) for slot in before["row"])
            assert len(legal(GAME.text.from_position(before))) == count

    def test_the_longest_legal_list(self):
        assert len(legal(deal(seats=5, deck=ZEROS))) == 35

    def test_all_cards_on_one_request(self):
        """Every claim is taken over: 30 cards lie on one request, and the last one's owner fails."""
        states = made(*(name for name, *_ in ZEROS[:4]), seats=5, deck=ZEROS)
        for value in range(1, 7):
            after(states, *[f"place {value} 0"] * 5)
        assert position(states)["failed"] == [[], [], [], [], ["Zero 0"]]
        assert position(states)["discards"] == ["123456"] * 5


class TestDeck:
    """O-H9: a deck of one's own."""

    ROWS = (["Ant", 0, 3, 1], ["Bee", 1, 5, 2], ["Cat", 0, 7, 3], ["Dog", 0, 9, 4])

    def test_the_default_deck_is_left_out(self):
        assert GAME.resolve_options({"deck": DEFAULT_DECK}, 3) == GAME.resolve_options({}, 3)
        assert "deck" not in position(deal(deck=DEFAULT_DECK))

    def test_another_deck_is_in_the_position(self):
        start = position(deal(deck=list(self.ROWS)))
        assert start["deck"] == [list(row) for row in self.ROWS]
        assert GAME.text.from_position(start).tobytes() == deal(deck=list(self.ROWS)).tobytes()

    def test_order_of_the_rows_counts(self):
        assert GAME.resolve_options({"deck": DEFAULT_DECK[::-1]}, 3) != GAME.resolve_options({}, 3)

    @pytest.mark.parametrize(
        ("rows", "problem"),
        [
            ([["Ant", 0, 3, 1]], "options.deck: 1 requests are too few for 3 seats, at least 2 are needed"),
            ([["Ant", 0, -3, 1], ["Bee", 0, 3, 1]], "options.deck: row 1: hp: a whole number from 1 to 999"),
            ([["Ant", 0, 3, 1], ["Bee", 7, 3, 1]], "options.deck: row 2: bang: a whole number from 0 to 6"),
            ([["Ant", 0, 3, 1], ["Ant", 0, 3, 1]], 'options.deck: row 2: name: "Ant" is the name of an earlier row too'),
            ([["Ant", 0, 3, 1], ["Bee", 0, 3]], r"options.deck: row 2: \[name, bang, hp, points\] is needed"),
            ([[f"Ant {number}", 0, 3, 1] for number in range(61)], "options.deck: row 61: at most 60 rows"),
        ],
    )
    def test_refused(self, rows, problem):
        with pytest.raises(ConfigError, match=problem):
            GAME.resolve_options({"deck": rows}, 3)

    @staticmethod
    def warnings(seats, deck):
        return GAME.option_warnings(seats, GAME.resolve_options({"deck": deck}, seats))

    def test_warning_of_a_deck_that_could_run_out(self):
        assert [self.warnings(seats, DEFAULT_DECK) for seats in (3, 4, 5)] == [[], [], []]
        (warning,) = self.warnings(3, ZEROS[:11])
        assert warning.startswith("options.deck: 11 requests could run out with 3 seats: the cheapest 10 captures need 10 of")
        twos = [[f"Two {number}", 2, 9, 1] for number in range(20)]
        assert [len(self.warnings(3, twos[:count])) for count in (6, 7)] == [1, 0]  # 5 captures need 15 cards, 6 need 18

    @pytest.mark.parametrize(("requests", "runs_out"), [(11, True), (12, False)])
    def test_the_warning_is_exact_for_requests_without_chips(self, requests, runs_out):
        """Two of three seats claim a request in each turn: five captures on each slot before the final check."""
        deck = ZEROS[:requests]
        assert bool(self.warnings(3, deck)) == runs_out
        states = made(deck[0][0], deck[1][0], deck=deck)
        empty = []
        for value in range(1, 7):
            for action in (f"place {value} 0", f"place {value} 1", f"discard {value}"):
                following = position(states)
                empty.append(None in following["row"])
                after(states, action if action in legal(states) else f"discard {value}")
        assert empty == [False] * 16 + [runs_out] * 2


class TestWords:
    """Actions as text: docs/notation.md, "Actions"."""

    @pytest.mark.parametrize(
        "text",
        [
            "place 1 2",
            "place 0 0",
            "place 8 0",
            "place 1",
            "place 1 -1",
            "place ? 0",
            "discard",
            "discard ?",
            "pass",
            "Discard 1",
        ],
    )
    def test_no_action(self, text):
        with pytest.raises(PositionError, match="is needed"):
            GAME.text.parse_action(deal()[0], text)

    def test_card_that_is_not_held(self):
        states = made("Hare", "Fox")
        after(states, "discard 4", "discard 4", "discard 4")
        with pytest.raises(PositionError, match="is not legal"):
            play_text(GAME, states, "place 4 0")

    def test_view(self):
        states = made("Fox", "Deer")
        after(states, "place 4 0", "place 3 0", "place 5 1")
        seen = GAME.observed(states, 0)
        view = GAME.view(GAME, seen, 0, codes=GAME.legal_list(seen), events=list, clock=None)
        fox, deer = view.row
        assert (fox.name, fox.hp, fox.points, fox.chips, fox.claimant) == ("Fox", 7, 3, 0, 1)
        assert [tuple(card) for card in fox.cards] == [(0, 4, False), (1, 3, True)]
        assert [tuple(card) for card in deer.cards] == [(2, None, False)]
        assert (deer.chips, deer.claimant) == (1, None)
        assert view.unseen == [[1, 2, 3, 4, 5, 6, 7], [1, 2, 4, 5, 6, 7], [1, 2, 3, 4, 5, 6, 7]]
        assert (view.hand, view.hand_sizes, view.turns_left, view.scores) == ([1, 2, 3, 5, 6, 7], [6] * 3, [5] * 3, [1, 0, 1])
        assert view.placements["place 1 0"] == (fox, 1)
        assert view.passes["discard 7"] == 7
        assert json.dumps(view.position).count("?") == 1 + 2 * 6 + 18
