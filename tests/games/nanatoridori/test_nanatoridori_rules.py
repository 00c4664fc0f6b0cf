"""Nana Toridori's course of a match (RULES.md 1.1-1.8): worked examples, invariants, malformed positions."""

import itertools
import random
import statistics
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.engine.rng import seed_words
from arena.errors import ConfigError, PositionError
from arena.games.nanatoridori.state import DROP, KIND, TOSS
from helpers.nanatoridori_tables import (
    GAME,
    NINE_OF_EACH,
    after,
    cards_in,
    deal,
    ended,
    legal,
    made,
    masked,
    model_after,
    model_legal,
    played,
    position,
    runs_of,
    view_of,
)

SEEDS = st.integers(0, 2**128 - 1)
TABLES = [(2, "duel"), *((seats, variant) for seats in (3, 4, 5, 6) for variant in ("basic", "advanced"))]
DECISIONS = 50_000  # a round that needs more does not end


class TestSetUp:
    """1.1, 1.4: hands, stock, front cards, the first starter."""

    @pytest.mark.parametrize(("seats", "stock"), [(3, 39), (4, 31), (5, 23), (6, 15)])
    def test_eight_cards_each(self, seats, stock):
        start = position(deal(seats=seats))
        assert [len(hand) for hand in start["hands"]] == [8] * seats
        assert (len(start["stock"]), start["discard"], start["table"], start["phase"]) == (stock, "", None, "turn")
        assert start["penguins"] == [2] * seats
        assert cards_in(start) == NINE_OF_EACH

    def test_duel(self):
        start = position(deal(seats=2))
        assert ([len(hand) for hand in start["hands"]], [len(cards) for cards in start["fronts"]]) == ([11, 11], [2, 2])
        assert (len(start["unused"]), start["stock"], start["penguins"]) == (37, "", [1, 1])
        assert cards_in(start) == NINE_OF_EACH

    @pytest.mark.parametrize(("seats", "variant"), [(2, "duel"), (3, "basic"), (6, "basic")])
    def test_variant_follows_the_seats(self, seats, variant):
        assert GAME.resolve_options({}, seats)["variant"] == variant

    @pytest.mark.parametrize(("seats", "variant"), [(2, "basic"), (2, "advanced"), (3, "duel"), (6, "duel")])
    def test_two_play_the_duel_and_nobody_else(self, seats, variant):
        with pytest.raises(ConfigError, match=r"options\.variant"):
            GAME.resolve_options({"variant": variant}, seats)

    def test_first_starter_is_drawn(self):
        starters = Counter(position(deal(seed, seats=4))["starter"] for seed in range(400))
        assert all(65 < starters[seat] < 135 for seat in range(4))  # 4 standard deviations

    def test_every_value_comes_to_every_place_of_the_deal(self):
        deals = [position(deal(seed)) for seed in range(200)]
        places = [[start["hands"][seat][at] for start in deals] for seat in range(3) for at in range(8)]
        assert all(set(cards) == set("1234567") for cards in [*places, [start["stock"][-1] for start in deals]])
        assert all(start["turn"] == start["starter"] for start in deals)


class TestPlays:
    """1.2, 1.4, 1.6: what may be played."""

    @pytest.mark.parametrize(
        ("hand", "table", "plays"),
        [
            ("12536631", "", "1 2 5 3 6 66 3 1"), ("12536631", "7", "66"), ("12536631", "55", "66"), ("12536631", "66", ""),
            ("12536631", "5", "6 66"), ("12536631", "6", "66"),
            ("44471111", "", "4 44 444 7 1 11 111 1111"), ("44471111", "777", "1111"), ("44471111", "333", "444 1111"),
            ("44471111", "444", "1111"), ("44471111", "7", "44 444 11 111 1111"), ("44471111", "1111", ""),
        ],
    )  # fmt: skip
    def test_worked_examples(self, hand, table, plays):
        states = after(made([hand, "2", "2"], table=(table, 2) if table else None))
        view = view_of(states)
        assert " ".join(str(play.value) * play.cards for play in view.plays.values()) == plays
        assert ("pass" in view.legal) == bool(table)

    @pytest.mark.parametrize(
        ("hand", "fronts", "table", "plays"),
        [
            ("335", "37", "", "3 33 33 333 5"), ("335", "33", "", "3 33 333 33 333 3333 5"), ("335", "77", "", "3 33 5"),
            ("335", "", "66", ""), ("4", "44", "77", "444"), ("4", "44", "66", "444"), ("75", "57", "66", "77"),
        ],
    )  # fmt: skip
    def test_front_cards(self, hand, fronts, table, plays):
        document = made([hand, "124"], table=(table, 1) if table else None, fronts=[fronts, "16"])
        found = view_of(after(document)).plays.values()
        assert " ".join(str(play.block.value) * play.block.size for play in found) == plays

    def test_a_place_inside_a_run_is_not_legal(self):
        with pytest.raises(PositionError, match="'play 1 1' is not legal"):
            after(made(["335", "2", "2"]), "play 1 1")

    @settings(max_examples=15)
    @given(seed=SEEDS, table=st.sampled_from(TABLES), visible=st.booleans())
    def test_legal_lists_and_positions_are_what_the_words_say(self, seed, table, visible):
        seats, variant = table
        for before, text, following in itertools.islice(played(seed, seats, variant=variant, front_visible=visible), 250):
            states = after(before)
            assert legal(states) == model_legal(before)
            expected = model_after(before, text)
            if expected["turn"] is not None:
                assert {**following, "memory": None} == {**expected, "memory": None}
            elif following["phase"] == "over":
                assert all(following[key] == expected[key] for key in ("hands", "discard", "table", "out"))
            assert cards_in(following) == NINE_OF_EACH

    @settings(max_examples=10)
    @given(seed=SEEDS, table=st.sampled_from(TABLES))
    def test_number_of_plays(self, seed, table):
        """A leader has as many plays as cards; against c0 cards of v0 a run offers max(0, L - c0 + [v > v0 and L >= c0])."""
        for before, _, _ in itertools.islice(played(seed, table[0], variant=table[1]), 200):
            if before["phase"] != "turn":
                continue
            hand, lying = before["hands"][before["turn"]], before["table"] or {"value": 0, "count": 0}
            count = sum(
                max(0, len(cards) - lying["count"] + (int(cards[0]) > lying["value"] and len(cards) >= lying["count"]))
                for _, cards in runs_of(hand)
            )
            if not before["table"]:
                assert count - len(runs_of(hand)) == len(hand) == len(model_legal_without_fronts(before))
            else:
                assert count == len(model_legal_without_fronts(before))


def model_legal_without_fronts(document):
    return [text for text in legal(after(document)) if text.startswith("play") and "+" not in text]


class TestTaking:
    """1.2: the beaten block."""

    @pytest.mark.parametrize(
        ("action", "hand", "discard"),
        [
            ("take 0", "33236", ""),
            ("take 1", "23336", ""),
            ("take 2", "23336", ""),
            ("take 3", "23633", ""),
            ("drop", "236", "33"),
        ],
    )
    def test_any_gap_or_none(self, action, hand, discard):
        found = position(after(made(["24436", "157", "157"], table=("33", 2)), "play 1 2", action))
        assert (found["hands"][0], found["discard"], found["turn"]) == (hand, discard, 1)

    def test_a_block_may_split_a_run(self):
        found = position(after(made(["2255", "367", "367"], table=("11", 2)), "play 0 2", "take 1"))
        assert found["hands"][0] == "5115"

    def test_a_gap_closes(self):
        assert position(after(made(["373", "124", "124"]), "play 1 1"))["hands"][0] == "33"

    def test_out_before_taking(self):
        found = position(after(made(["1111", "256", "256"], table=("777", 2)), "play 0 4"))
        assert (found["out"], found["discard"], found["phase"], found["turn"]) == ([0], "777", "turn", 1)

    def test_a_leader_takes_nothing(self):
        found = position(after(made(["24436", "157", "157"]), "play 1 2"))
        assert (found["phase"], found["turn"]) == ("turn", 1)


class TestPassing:
    """1.2, 1.4: draws, cleared tables, who leads."""

    def test_drawn_card(self):
        document = made(["123", "456", "456"], table=("7", 2), stock="52")
        found = position(after(document, "pass"))
        assert (found["phase"], found["drawn"], found["stock"], found["passes"]) == ("drawn", "5", "2", 1)
        assert position(after(document, "pass", "keep 1"))["hands"][0] == "1523"
        assert position(after(document, "pass", "toss"))["discard"][-1] == "5"

    def test_all_pass_and_the_player_leads(self):
        document = made(["66", "125", "134", "247"], table=("7", 0), turn=1)
        states = after(document, "pass", "toss", "pass", "keep 0", "pass", "keep 3")
        assert (position(states)["table"], position(states)["turn"]) == (None, 0)
        assert not [text for text in legal(states) if text.startswith("pass")]

    def test_who_went_out_does_not_lead(self):
        document = made(["125", "66", "134", "247"], table=("55", 0), turn=1, stock="")
        states = after(document, "play 0 2", "pass", "pass")
        assert (position(states)["turn"], position(states)["table"]["value"]) == (0, 6)
        states = after(document, "play 0 2", "pass", "pass", "pass")
        assert (position(states)["turn"], position(states)["table"], position(states)["discard"][-2:]) == (2, None, "66")

    def test_empty_stock(self):
        found = position(after(made(["125", "66", "134"], table=("7", 0), turn=1, stock=""), "pass"))
        assert (found["turn"], found["phase"], found["hands"][1], found["passes"]) == (2, "turn", "66", 1)

    def test_front_cards_are_lives(self):
        document = made(["125", "46"], table=("77", 1), fronts=["13", "16"])
        assert legal(after(document)) == ["pass 1", "pass 3"]
        found = position(after(document, "pass 3", "keep 2"))
        assert (found["hands"][0], found["fronts"], found["table"], found["turn"]) == ("1235", ["1", "16"], None, 1)

    def test_elimination(self):
        states = after(made(["125", "46"], table=("77", 1), fronts=["", "16"]), "pass")
        assert GAME.final(states, 2) == ([0.0, 1.0], [2, 1])
        assert position(states)["out"] == [1]

    def test_two_penguins_are_two_rounds(self):
        document = made(["125", "46"], table=("77", 1), fronts=["", "16"], options={"duel_penguins": 2})
        found = position(after(document, "pass"))
        assert (found["penguins"], found["round"], found["starter"]) == ([1, 2], 2, 0)


class TestRounds:
    """1.3, O-N2: penguins, points, the next starter, places."""

    def test_the_last_one_loses_a_penguin(self):
        found = position(ended())
        assert (found["penguins"], found["starter"], found["round"], found["out"]) == ([2, 1, 2], 1, 2, [])

    def test_no_penguin_left(self):
        states = ended(penguins=[2, 1, 2], round_number=2)
        assert GAME.engine.is_terminal(states)
        assert GAME.final(states, 3) == ([2.0, 0.0, 2.0], [1, 3, 1])
        assert GAME.engine.has_one_loser(states)

    def test_points(self):
        states = ended("advanced")
        assert position(states)["points"] == [4, 0, 2]
        assert not GAME.engine.has_one_loser(states)

    @pytest.mark.parametrize(("next_start", "starter"), [("loser", 1), ("winner", 0), ("rotate", 1)])
    def test_next_starter(self, next_start, starter):
        for variant in ("basic", "advanced"):
            assert position(ended(variant, options={"next_start": next_start}))["starter"] == starter
            rotated = ended(variant, options={"next_start": next_start}, starter=2)
            assert position(rotated)["starter"] == (0 if next_start == "rotate" else starter)

    @pytest.mark.parametrize(("next_start", "starter"), [("loser", 0), ("winner", 1), ("rotate", 0)])
    def test_next_starter_of_a_duel(self, next_start, starter):
        """Seat 0 is eliminated, or seat 1 empties its hand: seat 1 has won either way."""
        options = {"duel_penguins": 2, "next_start": next_start}
        eliminated = made(["125", "46"], table=("77", 1), fronts=["", "16"], options=options, starter=1)
        emptied = made(["125", "4"], table=("3", 0), turn=1, fronts=["7", "16"], options=options, starter=1)
        for found in (position(after(eliminated, "pass")), position(after(emptied, "play 0 1"))):
            assert (found["penguins"], found["starter"], found["turn"]) == ([1, 2], starter, starter)

    def test_next_starter_at_random(self):
        options = {"next_start": "random"}
        starters = Counter(position(ended(options=options, rng=f"{seed:032x}"))["starter"] for seed in range(300))
        assert all(67 < starters[seat] < 133 for seat in range(3))  # 4 standard deviations

    @pytest.mark.parametrize(
        ("points", "total", "places"),
        [([8, 6, 4], [12, 6, 6], [1, 2, 2]), ([4, 8, 6], [8, 8, 8], None), ([6, 4, 8], [10, 4, 10], [1, 3, 1])],
    )
    def test_ten_points_end_the_match(self, points, total, places):
        states = ended("advanced", points=points, round_number=4)
        assert position(states)["points"] == (total if places else [4 + points[0], points[1], 2 + points[2]])
        assert GAME.engine.is_terminal(states) == bool(places)
        if places:
            assert GAME.final(states, 3) == (total, places)

    @settings(max_examples=10)
    @given(seed=SEEDS, seats=st.integers(3, 6), next_start=st.sampled_from(["loser", "rotate", "random", "winner"]))
    def test_basic_match(self, seed, seats, next_start):
        """Each round costs one penguin; 2 to n + 1 rounds; one loser."""
        rounds = list(ends_of_rounds(seed, seats, variant="basic", next_start=next_start))
        assert 2 <= len(rounds) <= seats + 1
        for number, (before, following) in enumerate(rounds, 1):
            assert sum(following["penguins"]) == 2 * seats - number
            loser = next(seat for seat in range(seats) if following["penguins"][seat] < before["penguins"][seat])
            if number < len(rounds):
                first = [*before["out"], before["turn"]][0]
                starts = {"loser": loser, "rotate": (before["starter"] + 1) % seats, "winner": first}
                assert following["starter"] == starts.get(next_start, following["starter"])
        assert sorted(following["penguins"])[0] == 0 < sorted(following["penguins"])[1]

    @settings(max_examples=10)
    @given(seed=SEEDS, seats=st.integers(3, 6))
    def test_advanced_match(self, seed, seats):
        """Each round brings 2n points; 3 to 5 rounds."""
        rounds = list(ends_of_rounds(seed, seats, variant="advanced"))
        assert 3 <= len(rounds) <= 5
        for number, (before, following) in enumerate(rounds, 1):
            gained = sorted(new - old for old, new in zip(before["points"], following["points"], strict=True))
            assert gained == [0, *[2] * (seats - 2), 4]
            assert (max(following["points"]) >= 10) == (number == len(rounds))


def ends_of_rounds(seed, seats, **options):
    """(position before, position after) for the last action of each round."""
    for before, _, following in played(seed, seats, **options):
        if following["phase"] == "over" or following["round"] > before["round"]:
            yield before, following


class TestCourse:
    """What holds in every match (1.2, 1.6)."""

    @settings(max_examples=10)
    @given(seed=SEEDS, table=st.sampled_from(TABLES))
    def test_tricks_get_stronger_and_end(self, seed, table):
        decisions = Counter()
        for before, _, following in played(seed, table[0], variant=table[1]):
            decisions[before["round"]] += 1
            if following["round"] > before["round"]:
                continue
            old, new = before["table"], following["table"]
            if old and new and old != new:
                assert (new["count"], new["value"]) > (old["count"], old["value"])
            if old and not new:
                assert len(following["discard"]) > len(before["discard"])
                assert following["passes"] == 0
        assert max(decisions.values()) < DECISIONS

    @settings(max_examples=10)
    @given(seed=SEEDS, table=st.sampled_from(TABLES))
    def test_the_order_of_a_hand_never_changes(self, seed, table):
        """One contiguous piece comes in or goes out, of the seat to act alone."""
        for before, text, following in played(seed, table[0], variant=table[1]):
            if following["round"] > before["round"]:
                continue
            for seat, (old, new) in enumerate(zip(before["hands"], following["hands"], strict=True)):
                if seat != before["turn"] or text.split()[0] not in ("play", "take", "keep"):
                    assert old == new
                else:
                    longer, shorter = max(old, new, key=len), min(old, new, key=len)
                    size = len(longer) - len(shorter)
                    pieces = {longer[:at] + longer[at + size :]: longer[at : at + size] for at in range(len(shorter) + 1)}
                    assert len(set(pieces[shorter])) == 1
                    assert (longer is old) == text.startswith("play")

    @pytest.mark.parametrize(("seats", "median"), [(3, 123), (4, 167), (5, 195), (6, 226)])
    def test_length_of_a_random_round(self, seats, median):
        """The figures of an independent program (1.6), where a coin decides whether cards are picked up."""
        lengths, rng = [], random.Random(20161121)
        for seed in range(150):
            states, decisions = deal(seed, seats), 0
            while not GAME.engine.is_round_over(states):
                GAME.engine.step(states, choose_code(rng, GAME.legal_list(states)))
                decisions += 1
            lengths.append(decisions)
        assert abs(statistics.median(lengths) - median) < 10

    def test_random_rounds_end(self):
        states, out, rng = GAME.new_states(), GAME.new_actions(), seed_words(3)
        for seats, variant in TABLES:
            options = GAME.options_vector(GAME.resolve_options({"variant": variant}, seats))
            decisions = GAME.engine.play_many(states, seats, options, 1, 200, rng, out)
            assert decisions / 200 < 7 * 1000


def choose_code(rng, codes):
    if codes[-1] >> KIND in (DROP, TOSS):
        return codes[-1] if rng.random() < 0.5 else rng.choice(codes[:-1])
    return rng.choice(codes)


class TestKnowledge:
    """1.5: who sees and hears what."""

    def heard(self, document, text):
        states = after(document)
        code = GAME.legal_list(states)[legal(states).index(text)]
        return [
            GAME.text.event_texts(states[0], GAME.engine.seen_action(states, code, seat)) for seat in range(document["seats"])
        ]

    def test_a_play_shows_its_cards_and_not_its_place(self):
        own, other, third = self.heard(made(["36624", "1", "2"]), "play 1 2")
        assert own == [(0, "play 1 2")]
        assert other == third == [(0, "play ? 2 of 6")]

    def test_where_a_block_goes_is_not_heard(self):
        document = made(["236", "157", "157"], table=("44", 0), phase="take", beaten={"value": 3, "count": 2})
        assert self.heard(document, "take 2") == [[(0, "take 2")], [(0, "take")], [(0, "take")]]
        assert self.heard(document, "drop") == [[(0, "drop")]] * 3
        for seat in (1, 2):
            seen = [masked(after(document, f"take {gap}"), seat) for gap in range(4)]
            assert all(one == seen[0] for one in seen)
            assert seen[0]["memory"] == {"known": [["33"], [], []]}

    def test_a_drawn_card_is_seen_by_its_drawer(self):
        document = made(["236", "157", "157"], table=("7", 2), phase="drawn", drawn="5", passes=1)
        states = after(document)
        assert [masked(states, seat)["drawn"] for seat in range(3)] == ["5", "?", "?"]
        assert self.heard(document, "keep 1") == [[(0, "keep 1")], [(0, "keep")], [(0, "keep")]]
        assert self.heard(document, "toss") == [[(0, "toss")], [(0, "toss 5")], [(0, "toss 5")]]
        assert masked(after(document, "keep 1"), 1)["memory"] is None

    @pytest.mark.parametrize("visible", [True, False])
    def test_front_cards(self, visible):
        options = {"front_visible": visible}
        document = made(["125", "46"], table=("77", 1), fronts=["13", "16"], options=options)
        states = after(document)
        assert masked(states, 0)["fronts"] == ["13", "16" if visible else "??"]
        assert masked(states, 1)["fronts"] == ["13" if visible else "??", "16"]
        shown = "3" if visible else "?"
        assert self.heard(document, "pass 3") == [[(0, "pass 3")], [(0, f"pass {shown}")]]
        assert masked(after(document, "pass 3"), 1)["drawn"] == shown
        known = {"known": [["3"], []]} if visible else None
        assert masked(after(document, "pass 3", "keep 0"), 1)["memory"] == known

    def test_elimination_is_heard(self):
        document = made(["125", "46"], table=("77", 1), fronts=["", "16"], options={"front_visible": False})
        assert self.heard(document, "pass") == [[(0, "pass")]] * 2

    @pytest.mark.parametrize(
        ("known", "played_cards", "left"),
        [
            (["33"], "33", []), (["333"], "3", ["33"]), (["3", "33"], "33", ["3"]), (["3", "33"], "3", ["33"]),
            (["33", "33"], "333", ["3"]), (["33"], "333", []), (["3333"], "33", ["33"]), (["2", "33"], "3", ["2", "3"]),
            (["22"], "33", ["22"]), ([], "33", []), (["3", "3", "3"], "33", ["3"]), (["333333333"], "3", ["33333333"]),
        ],
    )  # fmt: skip
    def test_what_is_remembered_after_a_play(self, known, played_cards, left):
        held = "".join(known)
        spare = "3" * max(0, len(played_cards) - held.count("3"))
        hand = "".join(sorted(held + spare, reverse=True)) + "1"
        document = made([hand, "2", "2"], memory={"known": [known, [], []]})
        found = position(after(document, f"play 0 {len(played_cards)}"))["memory"]
        assert (found["known"][0] if found else []) == left
