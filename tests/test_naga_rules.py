"""Naga's course of a match (RULES.md 2.1, 2.2, 2.6, 2.7): examples, invariants, and what `determinize` samples."""

import itertools
import json
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import PositionError
from arena.game import load
from arena.rng import seed_words
from arena.traces import play_text

GAME = load("naga")
CARDS = [f"{attribute}{number}" for attribute in "dlfawte" for number in range(1, 8)] + ["I", "K"]
SEEDS = st.integers(0, 2**128 - 1)
STOCK_BEFORE_CONTEST = {1: 32, 2: 26, 3: 20, 4: 14, 5: 8, 6: 2, 7: 0}


def in_order(cards):
    return sorted(cards, key=CARDS.index)


def flat(lists):
    return list(itertools.chain.from_iterable(lists))


def deal(seed=1, **options):
    return GAME.deal(2, GAME.resolve_options(options, 2), seed)


def position(states):
    return GAME.text.to_position(states[0])


def copied(states):
    return GAME.from_bytes(states.tobytes())


def played(seed, **options):
    """(position, action text, position after it) of a random match."""
    states, rng = deal(seed, **options), random.Random(seed)
    before = position(states)
    while not GAME.engine.is_terminal(states):
        text = rng.choice(GAME.text.action_texts(states[0], GAME.legal_list(states)))
        play_text(GAME, states, text)
        after = position(states)
        yield before, text, after
        before = after


def field_cards(won):
    """Field cards by result: seat 0, seat 1, "tie"."""
    count = Counter()
    for place, result in won.items():
        count[result] += 3 if place == "4" else 1
    return count


def at_contest(contest, *, phase="designate", turn=None, seed=1):
    """A position of a random match before a contest (7 = Eltam), the game still running."""
    for number in itertools.count(seed):
        for _, _, after in played(number):
            if (after["contest"], after["phase"]) == (contest, phase) and turn in (None, after["turn"]):
                return after
    raise AssertionError


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

    @settings(max_examples=30, deadline=None)
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

    @settings(max_examples=30, deadline=None)
    @given(seed=SEEDS)
    def test_chooser_alternates_from_the_child(self, seed):
        for before, text, _ in played(seed, series="games:2"):
            if before["phase"] == "designate":
                child = 1 - before["parent"]
                assert before["turn"] == (child if before["contest"] % 2 == 1 else before["parent"])
                assert text.startswith("field ")

    @settings(max_examples=30, deadline=None)
    @given(seed=SEEDS)
    def test_at_most_twenty_decisions_per_game(self, seed):
        decisions = Counter(before["round"] for before, _, _ in played(seed, series="games:4"))
        assert len(decisions) == 4
        assert max(decisions.values()) <= 20
        assert min(decisions.values()) >= 15  # five contests at least

    @settings(max_examples=30, deadline=None)
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

    @settings(max_examples=40, deadline=None)
    @given(seed=SEEDS, draw_parent=st.sampled_from(["keep", "swap"]))
    def test_next_parent(self, seed, draw_parent):
        for before, _, after in played(seed, series="games:6", draw_parent=draw_parent):
            if after["round"] == before["round"] + 1:
                gained = [new - old for new, old in zip(after["games"], before["games"], strict=True)]
                drawn = before["parent"] if draw_parent == "keep" else 1 - before["parent"]
                assert after["parent"] == (gained.index(1) if 1 in gained else drawn)

    @settings(max_examples=30, deadline=None)
    @given(seed=SEEDS, count=st.integers(1, 5))
    def test_games_are_all_played(self, seed, count):
        *_, (_, _, last) = played(seed, series=f"games:{count}")
        assert last["round"] == count
        assert sum(last["games"]) <= count

    @settings(max_examples=30, deadline=None)
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


def history_of(start, texts, seat):
    """What a seat has seen of one game: its masked position before each action and after the last one."""
    states = GAME.text.from_position(start)
    seen = [GAME.text.masked_position(GAME.observed(states, seat)[0], seat)]
    for text in texts:
        play_text(GAME, states, text)
        seen.append(GAME.text.masked_position(GAME.observed(states, seat)[0], seat))
    return seen


def start_that_leads_to(world, history, seat):
    """A first deal from which the same actions lead to `world`, made from the seat's own history and the world's cards.

    The other seat's cards may have come in any order that has them in hand when they are played: here the played ones
    first, in the order of the contests, then those that it holds now.
    """
    other, parent = 1 - seat, world["parent"]
    shown, contests = world["shown"], len(world["won"])
    arrivals = {other: [shown[6 * at + 3 * other + i] for at in range(contests) for i in range(3)] + world["hands"][other]}
    own = list(history[0]["hands"][seat])
    for before, after in itertools.pairwise(history):
        own += [card for card in after["hands"][seat] if card not in before["hands"][seat]]
    arrivals[seat] = own
    dealt, begin = [], 5
    while begin < len(own):
        end = min(begin + 3, len(own))
        dealt += arrivals[parent][begin:end] + arrivals[1 - parent][begin:end]
        begin = end
    hands = [in_order(arrivals[0][:5]), in_order(arrivals[1][:5])]
    return {**history[0], "hands": hands, "stock": dealt + world["stock"], "rng": world["rng"]}


def is_consistent(world, history, texts, seat):
    """Whether `seat` could have seen this history on the way to `world`: the game is played again from a fitting deal.

    Written apart from `determinize`: it knows only positions, action texts and the rules.
    """
    hidden_choice = world["pending"][0] if seat == 1 and world["turn"] == 1 and world["phase"] == "select" else None
    if hidden_choice:
        texts = [*texts[:-1], "select " + " ".join(hidden_choice)]
    try:
        start = start_that_leads_to(world, history, seat)
        states = GAME.text.from_position(start)
        for text in texts:
            play_text(GAME, states, text)
        return position(states) == world and history_of(start, texts, seat) == history
    except PositionError:
        return False


def sampled(states, seat, count, seed):
    """States that `determinize` samples for a seat."""
    rng = seed_words(seed)
    for _ in range(count):
        world = copied(states)
        GAME.engine.determinize(world, seat, rng)
        yield world


def worlds(states, seat, count, seed):
    """The same as positions."""
    return map(position, sampled(states, seat, count, seed))


class TestDeterminize:
    """RULES.md 2.7: sampled worlds are consistent with all that was seen, and equally likely."""

    @pytest.mark.parametrize("seat", [0, 1])
    @pytest.mark.parametrize("seed", range(6))
    def test_sampled_worlds_are_consistent(self, seed, seat):
        start, texts = position(deal(seed)), []
        states = GAME.text.from_position(start)
        for _, text, after in played(seed):
            if after["phase"] == "over":
                break
            texts.append(text)
            play_text(GAME, states, text)
            history = history_of(start, texts, seat)
            for world in worlds(states, seat, 3, seed):
                assert is_consistent(world, history, texts, seat)

    def test_consistency_can_be_denied(self):
        seed, seat = 2, 0
        start, texts = position(deal(seed)), []
        states = GAME.text.from_position(start)
        for _, text, _ in itertools.islice(played(seed), 7):
            texts.append(text)
            play_text(GAME, states, text)
        world, history = position(states), history_of(start, texts, seat)
        assert is_consistent(world, history, texts, seat)
        other = json.loads(json.dumps(world))
        other["hands"][seat][0], other["stock"][0] = other["stock"][0], other["hands"][seat][0]
        assert not is_consistent(other, history, texts, seat)
        assert not is_consistent({**world, "contest": world["contest"] + 1}, history, texts, seat)

    @pytest.mark.parametrize("contest", [1, 3, 5])
    def test_thousands_of_worlds_hold_the_unseen_cards(self, contest):
        truth = at_contest(contest)
        states, seat = GAME.text.from_position(truth), truth["turn"]
        unseen = in_order(truth["stock"] + truth["hands"][1 - seat])
        for world in worlds(states, seat, 1000, 5):
            assert in_order(world["stock"] + world["hands"][1 - seat]) == unseen
            assert len(world["stock"]) == len(truth["stock"])
            assert all(world[key] == truth[key] for key in truth if key not in ("stock", "hands", "rng"))

    def chi_square(self, states, seat, expected, samples):
        """The statistic of `samples` worlds against equal shares of the enumerated worlds."""
        counts, examples = Counter(), {}
        for world in sampled(states, seat, samples, 9):
            secret = b"".join(world[name].tobytes() for name in ("hand", "stock", "pending"))
            counts[secret] += 1
            examples[secret] = world
        found = {secret: position(world) for secret, world in examples.items()}
        assert {json.dumps([at["hands"][1 - seat], at["stock"], at["pending"]]) for at in found.values()} == expected
        share = samples / len(expected)
        return sum((count - share) ** 2 / share for count in counts.values())

    def enumerated(self, truth, seat, choices):
        """Every other hand with every order of the stock and every hidden choice."""
        unseen = in_order(truth["stock"] + truth["hands"][1 - seat])
        found = set()
        for hand in itertools.combinations(unseen, len(truth["hands"][1 - seat])):
            for stock in itertools.permutations(card for card in unseen if card not in hand):
                for choice in choices(hand):
                    found.add(json.dumps([list(hand), list(stock), choice]))
        return found

    def test_uniform_before_the_last_designation(self):
        truth = at_contest(6)
        seat = truth["turn"]
        expected = self.enumerated(truth, seat, lambda hand: [[None, None]])
        assert len(expected) == 42  # C(7, 5) hands, 2 orders of the stock
        states = GAME.text.from_position(truth)
        assert self.chi_square(states, seat, expected, 8400) < 74.7  # 41 degrees of freedom, 0.1 %

    def test_uniform_over_the_hidden_choice_too(self):
        truth = at_contest(6, phase="select", turn=1)
        expected = self.enumerated(truth, 1, lambda hand: [[list(choice), None] for choice in itertools.combinations(hand, 3)])
        assert len(expected) == 420
        states = GAME.text.from_position(truth)
        assert self.chi_square(states, 1, expected, 42_000) < 512  # 419 degrees of freedom, 0.1 %

    def test_before_eltam_only_the_choice_is_unknown(self):
        states = GAME.text.from_position(at_contest(7, phase="select", turn=1))
        truth = position(states)
        found = Counter(json.dumps(world["pending"][0]) for world in worlds(states, 1, 3000, 3))
        assert len(found) == 3
        assert all(900 < count < 1100 for count in found.values())
        assert {json.dumps(world["hands"]) for world in worlds(states, 1, 100, 3)} == {json.dumps(truth["hands"])}


def changed(**keys):
    return {**position(deal()), **keys}


class TestMalformedPositions:
    """A position that breaks the notation or the rules is refused with the key that does it."""

    @pytest.mark.parametrize(
        ("document", "key"),
        [
            (changed(hand=[]), "hand"),
            (changed(seats=3), "seats"),
            (changed(phase="deal"), "phase"),
            (changed(turn=None), "turn"),
            (changed(turn=position(deal())["parent"]), "turn"),
            (changed(parent=2), "parent"),
            (changed(contest=0), "contest"),
            (changed(contest=7), "won"),
            (changed(place=3), "place"),
            (changed(options={"majority": 6}), "options.majority"),
            (changed(options={"majorty": "5"}), "options.majorty"),
            (changed(round=0), "round"),
            (changed(round="1"), "round"),
            (changed(games=[1, 0]), "games"),
            (changed(games=[0]), "games"),
            (changed(won={"1": 0}), "won"),
            (changed(won={"8": 0}), "won.8"),
            (changed(won={"1": 2}), "won.1"),
            (changed(won={"1": True}), "won.1"),
            (changed(won={"4": 0}), "won"),
            (changed(places={}), "places.1"),
            (changed(places={**position(deal())["places"], "9": []}), "places.9"),
            (changed(hands=[[], []]), "hands[0]"),
            (changed(hands=["d1", "d2"]), "hands[0]"),
            (changed(hands=None), "hands"),
            (changed(stock=[]), "cards"),
            (changed(stock=["x1"]), "stock[0]"),
            (changed(stock=[1]), "stock[0]"),
            (changed(shown=["d1"]), "shown"),
            (changed(pending=[["d1", "d2", "d3"], None]), "pending"),
            (changed(rng="12"), "rng"),
            (changed(game="yaniv"), "game"),
            (changed(starter=1), "starter"),
        ],
    )
    def test_error_names_the_key(self, document, key):
        with pytest.raises(PositionError) as raised:
            GAME.text.from_position(document)
        assert str(raised.value).startswith(key)

    def test_missing_card_is_named(self):
        start = position(deal())
        missing = start["stock"].pop()
        with pytest.raises(PositionError, match=f"missing {missing}"):
            GAME.text.from_position(start)
