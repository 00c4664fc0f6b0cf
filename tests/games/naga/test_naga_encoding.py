"""The features of Naga: the worked example of RULES.md 2.8, hands against the strengths of the rules, both seats alike."""

import itertools
import random

import numpy as np
import pytest

from arena.games import encoding as encoding_of
from arena.games.naga import encoding, hands, rules
from arena.games.naga.prospects import EARTHEN, HEAVENLY, MOON, TRUMP, chance
from arena.games.naga.state import DESIGNATE, FIRST_CARD, TRUMPS
from helpers.naga_tables import CARDS, GAME, copied, deal, position
from helpers.views import action_planes, ones, planes

FEW = [*CARDS[:4], *CARDS[7:11], *CARDS[14:18], "I", "K"]
THREE_OF_A_KIND = 3


def mask(cards):
    return sum(1 << CARDS.index(card) for card in cards)


def dealt(hands_of, **keys):
    """Contest 1 with these hands; l7 lies in Kut, whose trump is dark, and 1s, 3s, 5s of fire, wind and water elsewhere."""
    places = {"1": ["l7"], "2": ["f1"], "3": ["f3"], "4": ["a1", "a3", "a5"], "5": ["w1"], "6": ["w3"], "7": ["w5"]}
    lying = {*itertools.chain(*places.values(), *hands_of)}
    document = {"places": places, "hands": hands_of, "stock": [card for card in CARDS if card not in lying], "parent": 1}
    return GAME.text.from_position({**position(deal()), "turn": 0, **document, **keys})


LEFT, RIGHT = ["d2", "l4", "f2", "a7", "w2"], ["w6", "t6", "e6", "e1", "I"]
EXAMPLE = dealt([LEFT, RIGHT], phase="select", place=1)


class TestExample:
    """RULES.md 2.8: `f2 w2 d2` and `w6 t6 e6` in Kut."""

    def test_hand(self):
        found = planes(EXAMPLE, 0, GAME)
        cards = np.reshape(found["hand"], (5, 17))
        assert [ones(card) for card in cards] == [[1, 7], [3, 8], [1, 9], [6, 10], [1, 11]]  # number, 7 + attribute
        assert [ones(card) for card in np.reshape(planes(EXAMPLE, 1, GAME)["hand"], (5, 17))][4] == [14]  # Ilbeck
        assert len(ones(found["unseen"])) == 51 - 9 - 5
        assert (ones(found["phase"]), ones(found["contest"]), ones(found["roles"])) == ([1], [0], [1, 2])
        assert ones(planes(EXAMPLE, 1, GAME)["roles"]) == [0]

    def test_place(self):
        kut, *others = np.round(np.reshape(planes(EXAMPLE, 0, GAME)["places"], (6, 14)), 3).tolist()
        # open and contested; a 7, not the trump, of heaven; one 7, one dark card, one of light; 7 alone or so; three 2s
        assert kut == [1, 1, 0, 0, 0, 1, 0, 0, 1, 0.2, 0.2, 0.2, 0.5, 0.5]
        assert [place[:2] for place in others] == [[1, 0]] * 5
        assert np.round(planes(EXAMPLE, 0, GAME)["contested"], 3).tolist() == kut[5:]

    def test_selections(self):
        left, right = action_planes(EXAMPLE, GAME), {}
        states = copied(EXAMPLE)
        GAME.engine.step(states, GAME.legal_list(states)[0])
        right = action_planes(states, GAME)
        twos, sixes, moon = left["select d2 f2 w2"], right["select w6 t6 e6"], right["select w6 e1 I"]
        assert ones(twos["category"]) == ones(sixes["category"]) == [THREE_OF_A_KIND]
        assert twos["strength"] > sixes["strength"] > moon["strength"]  # class before number; a pair only
        assert ones(moon["category"]) == [1]
        found = planes(EXAMPLE, 0, GAME)
        assert found["selections"] == [row["strength"][0] for row in left.values()]
        assert found["best"] == twos["category"] + twos["strength"]
        assert (ones(twos["place"]), ones(twos["kind"]), ones(twos["cards"])) == ([0], [1], [0, 2, 4])
        assert np.round(twos["chosen"], 3).tolist() == [0.333, 0.333, 0, 0, 0.286]  # d2 is the trump and of heaven; 2 of 7
        assert np.round(moon["chosen"], 3).tolist() == [0, 0, 0, 0.5, 0.5]
        kept = right["select w6 t6 I"]["kept"]  # e6 and e1: of one attribute; a1 lies in Eltam, f1 and w1 elsewhere
        assert kept == [0, 0, 0.5, 0.5, 0, 1, 0, 0.5]

    def test_kept_cards_and_prospects(self):
        rows = action_planes(EXAMPLE, GAME)
        kept = rows["select d2 f2 w2"]["kept_cards"]  # l4 and a7
        assert [ones(np.array(kept) * 2)] == [[3, 6, 7 + 1, 7 + 3]]
        chances = {text: row["prospects"][0] for text, row in rows.items()}
        assert chances["select d2 f2 w2"] == max(chances.values()) > 0.5  # three 2s with the trump
        assert min(row["prospects"][10] for row in rows.values()) == 0  # the best one is behind none
        nothing_kept = action_planes(dealt([LEFT, RIGHT], phase="designate"), GAME).values()
        assert all(row["prospects"][1:5] == [0, 0, 0, 0] for row in nothing_kept)

    def test_own_selection_is_remembered_and_the_other_one_hidden(self):
        states = copied(EXAMPLE)
        GAME.engine.step(states, GAME.legal_list(states)[0])
        chosen = [planes(states, seat, GAME)["hand"][16::17] for seat in range(2)]
        assert [ones(seat) for seat in chosen] == [[0, 1, 2], []]

    def test_designations(self):
        found = action_planes(dealt([LEFT, RIGHT], phase="designate"), GAME)
        assert [ones(row["place"]) for row in found.values()] == [[0], [1], [2], [4], [5], [6]]
        assert ones(found["field 1"]["category"]) == [THREE_OF_A_KIND]
        assert found["field 1"]["field"][2:4] == [0, 1] and found["field 2"]["field"][2:4] == [1, 0]  # trump, heaven


@pytest.mark.parametrize("duplicates", [0, 1])
def test_best_category_is_that_of_the_strongest_selection(duplicates):
    rng = random.Random(duplicates)
    for _ in range(1000):
        deck = rng.sample(rng.choice([CARDS, FEW]), 6)
        hand, field = mask(deck[:5]), CARDS.index(deck[5])
        strengths = [
            hands.strength(mask(chosen) | 1 << field, 4, rng.randrange(7), 0, 0, duplicates)
            for chosen in itertools.combinations(deck[:5], 3)
        ]
        shape = encoding.hand_shape(hand & (1 << hands.ILBECK) - 1)
        found = encoding.best_category(shape, (hand >> hands.ILBECK).bit_count(), field)
        assert found == max(map(hands.category_of, strengths)), deck


@pytest.mark.parametrize("options", [{}, {"none_compare": "all"}, {"moon_class": "identity", "moon_duplicate": False}])
def test_the_stronger_hand_has_the_higher_strength(options):
    rng = random.Random(len(options))
    for seed in range(25):
        states = deal(seed, **options)
        free = [card for card in range(51) if card not in states[0].field]
        for place, cards in ((1, 3), (4, 2)):
            drawn = [mask(CARDS[card] for card in rng.sample(free, cards)) for _ in range(12)]
            pairs = sorted((rules.contest_strength(states[0], hand, place), hand) for hand in drawn)
            powers = [encoding.power(states[0], hand, place) for _, hand in pairs]
            assert powers == sorted(powers)
            assert [int(power * 10) for power in powers] == [five_card_category(value, cards) for value, _ in pairs]


def five_card_category(value, cards):
    category = hands.category_of(value)
    return 7 if cards == 3 and category == 6 else category


@pytest.mark.parametrize("kind", [EARTHEN, HEAVENLY, TRUMP, MOON])
def test_random_hands_win_half_of_the_time_against_random_hands(kind):
    """So `chance` knows how strong they are at places with each kind of field card."""
    rng = random.Random(kind)
    found = []
    for seed in range(10_000):
        states = deal(seed)
        s = states[0]
        free = [card for card in range(51) if card not in s.field]
        for place in encoding.SINGLES:
            card = s.field[FIRST_CARD[place]]
            if kind_of(card, place) == kind:
                hand = rng.sample(free, 5)
                best = max(
                    encoding.power(s, sum(1 << int(one) for one in chosen), place) for chosen in itertools.combinations(hand, 3)
                )
                found.append(chance(s, place, best))
        if len(found) >= 250:
            break
    assert abs(np.mean(found) - 0.5) < 0.08 and np.std(found) > 0.2


def kind_of(card, place):
    """The kind of a field card at a place."""
    if card >= hands.ILBECK:
        return MOON
    attribute = card // hands.NUMBERS
    return TRUMP if attribute == TRUMPS[place] else HEAVENLY if attribute < hands.HEAVEN else EARTHEN


def test_both_seats_are_alike():
    for seed in range(12):
        states, rng = deal(seed), random.Random(seed)
        while not GAME.engine.is_terminal(states):
            if states[0].phase == DESIGNATE:
                turned = exchanged(states)
                for seat in range(2):
                    assert features(states, seat) == features(turned, 1 - seat)
            GAME.engine.advance(states, rng.choice(GAME.legal_list(states)))


def features(states, seat):
    return encoding_of(GAME).features(GAME.observed(states, seat), seat).tobytes()


def exchanged(states):
    """The same table, the seats exchanged."""
    turned = copied(states)
    s, t = states[0], turned[0]
    for seat in range(2):
        t.hand[seat], t.games[seat] = s.hand[1 - seat], s.games[1 - seat]
    t.parent, t.turn = 1 - s.parent, 1 - s.turn
    for contest in range(0, int(s.num_shown), 6):
        t.shown[contest : contest + 6] = np.roll(s.shown[contest : contest + 6], 3)
    for place in range(8):
        t.won[place] = {1: 2, 2: 1}.get(int(s.won[place]), int(s.won[place]))
    return turned
