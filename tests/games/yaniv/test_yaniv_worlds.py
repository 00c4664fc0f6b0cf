"""What `determinize` samples in Yaniv (RULES.md 5.5), against an account of origins written apart."""

import itertools
import json
import random
from collections import Counter

import pytest

from arena.audit.laws.traces import play_text
from helpers.views import sampled
from helpers.yaniv_tables import (
    GAME,
    after,
    deal,
    deck,
    in_order,
    legal,
    made,
    position,
)


def followed(seed, seats, **options):
    """The first round of a random match without calls: the states after each action, and where the cards came from."""
    rng = random.Random(seed)
    states = deal(seed, seats, **options)
    origins = Origins(position(states))
    while True:
        before, texts = position(states), legal(states)
        text = rng.choice([text for text in texts if text != "call"] or texts)
        if "draw stock" in texts and rng.random() < 0.6:
            text = "draw stock"
        origins.play(before, text)
        play_text(GAME, states, text)
        if states[0].round_number > 1 or GAME.engine.is_terminal(states):
            return
        yield states, origins


class Origins:
    """Where every card that was seen in a round can have come from; whether a world fits that.

    Written apart from `determinize`. A stock is a multiset that everybody knows; every card that was not taken openly came from
    one of the stocks. Where equal cards leave it open from which, all possibilities are followed (`cases`).
    """

    def __init__(self, start):
        """`start`: the position after the deal."""
        whole = Counter(deck(start["options"]["decks"])) - Counter(start["previous"])
        self.cases = [([[0] * len(hand) for hand in start["hands"]], [whole])]  # slots: a stock's number, or a known card
        self.is_ambiguous = False

    def play(self, before, text):
        """One action, of which only what everybody sees is used."""
        turn, (kind, *words) = before["turn"], text.split()
        if kind == "discard":
            for card in words:
                self.show(turn, card)
        elif kind == "slap":
            for hands, stocks in self.cases:
                hands[turn].remove(len(stocks) - 1)
                stocks[-1][before["drawn"]] -= 1
        elif text == "draw stock":
            for hands, stocks in self.cases:
                if not before["stock"]:
                    stocks.append(Counter(before["buried"]))
                hands[turn].append(len(stocks) - 1)
        elif kind == "draw":
            place = {"first": 0, "last": -1}.get(words[0])
            for hands, _ in self.cases:
                hands[turn].append(before["previous"][int(words[0]) if place is None else place])

    def show(self, turn, card):
        cases = {}
        for hands, stocks in self.cases:
            slots = {slot for slot in hands[turn] if slot != card and not isinstance(slot, str) and stocks[slot][card] > 0}
            for slot in [card] if card in hands[turn] else slots:
                new_hands, new_stocks = [list(hand) for hand in hands], [Counter(stock) for stock in stocks]
                new_hands[turn].remove(slot)
                if slot != card:
                    new_stocks[slot][card] -= 1
                cases[repr(([sorted(map(str, hand)) for hand in new_hands], [sorted(s.items()) for s in new_stocks]))] = (
                    new_hands,
                    new_stocks,
                )
        self.cases = list(cases.values())
        self.is_ambiguous |= len(self.cases) > 1

    def fit(self, world):
        """Whether the world's hands and stock can be what was left."""
        return any(self.fits_case(world, *case) for case in self.cases)

    def fits_case(self, world, hands, stocks):
        stocks, cards = [Counter(stock) for stock in stocks], []
        for held, slots in zip(world["hands"], hands, strict=True):
            known = Counter(slot for slot in slots if isinstance(slot, str))
            if known - Counter(held):
                return False
            free = Counter(slot for slot in slots if not isinstance(slot, str))
            cards += [(card, free) for card in (Counter(held) - known).elements()]
        return self.places(cards, stocks, Counter(world["stock"]))

    def places(self, cards, stocks, rest):
        """Give each hidden card a slot; the last stock keeps what the world's stock holds, the earlier ones nothing."""
        if not cards:
            return +stocks[-1] == rest and not any(+stock for stock in stocks[:-1])
        (card, free), *others = cards
        for slot in sorted(free):
            if free[slot] > 0 and stocks[slot][card] > 0:
                free[slot] -= 1
                stocks[slot][card] -= 1
                if self.places(others, stocks, rest):
                    return True
                free[slot] += 1
                stocks[slot][card] += 1
        return False


def is_consistent(world, truth, seat, origins):
    """Whether `seat` could have seen all that it has seen, with `world` behind it instead of `truth`."""
    same = all(world[key] == truth[key] for key in truth if key not in ("stock", "hands", "rng", "memory", "drawn"))
    sizes = [len(hand) for hand in world["hands"]] == [len(hand) for hand in truth["hands"]]
    return same and sizes and world["hands"][seat] == truth["hands"][seat] and origins.fit(world)


class TestDeterminize:
    """5.5: sampled worlds are consistent with all that was seen, and equally likely."""

    @pytest.mark.parametrize(
        ("seed", "seats", "decks"), [(1, 2, 1), (2, 2, 1), (3, 3, 1), (4, 4, 1), (5, 5, 1), (6, 2, 2), (7, 5, 2), (8, 8, 2)]
    )
    def test_sampled_worlds_are_consistent(self, seed, seats, decks):
        checked = Counter()
        rounds = (followed(number, seats, decks=decks, turn_limit=60, slap_down=True) for number in (seed, seed + 100))
        for number, (states, origins) in enumerate(itertools.chain(*rounds)):
            if len(origins.cases) > 50:
                break  # equal cards everywhere
            if number % 9 == 0:
                truth = position(states)
                for seat in range(seats):
                    assert is_consistent(truth, truth, seat, origins)
                    for world in sampled(GAME, states, seat, 2, number):
                        assert is_consistent(position(world), truth, seat, origins) or origins.is_ambiguous
                        checked[origins.is_ambiguous, bool(states[0].reshuffles)] += 1
        assert checked[False, False] > 30
        assert decks == 2 or checked[False, True] > 10

    def test_consistency_can_be_denied(self):
        states, origins = next((s, o) for s, o in followed(2, 2, turn_limit=60) if s[0].reshuffles and s[0].num_stock > 5)
        truth = position(states)
        assert is_consistent(truth, truth, 0, origins)
        for seat in range(2):
            swapped = json.loads(json.dumps(truth))
            swapped["hands"][seat][0], swapped["stock"][0] = swapped["stock"][0], swapped["hands"][seat][0]
            assert not is_consistent(swapped, truth, 0, origins)
        assert not is_consistent({**truth, "turns": truth["turns"] + 1}, truth, 0, origins)

    def chi_square(self, document, seat, weights, samples=20_000):
        """The statistic of worlds (others' hands, stock, drawn card) against their enumerated weights."""
        states = GAME.text.from_position(document)
        counts, by_secret, examples = Counter(), Counter(), {}
        for world in sampled(GAME, states, seat, samples, 9):
            secret = b"".join(world[name].tobytes() for name in ("hand", "stock", "drawn"))
            by_secret[secret] += 1
            examples[secret] = world
        for secret, world in examples.items():
            found = position(world)
            counts[json.dumps([found["hands"], found["stock"], found["drawn"]])] += by_secret[secret]
        total = sum(weights.values())
        assert set(counts) <= set(weights)
        return sum((counts[key] - samples * w / total) ** 2 / (samples * w / total) for key, w in weights.items())

    @staticmethod
    def enumerated(document, seat, groups, may=lambda _hands, _drawn: True):
        """Every physical order of the unseen cards. `groups`: per stock (cards, [(seat, how many)], how many stay)."""
        weights = Counter()
        orders = [list(itertools.permutations(cards)) for cards, _, _ in groups]
        for chosen in itertools.product(*orders):
            hands = [list(hand) for hand in document["hands"]]
            for other, hand in enumerate(hands):
                if other != seat:
                    origins = (document.get("memory") or {}).get("origins") or ["1" * len(h) for h in document["hands"]]
                    hands[other] = [card for card, origin in zip(hand, origins[other], strict=True) if origin == "0"]
            stock, drawn = [], None
            for order, (_, takers, stays) in zip(chosen, groups, strict=True):
                cards = list(order)
                for other, many in takers:
                    if document["phase"] == "slap" and other == document["turn"] and drawn is None:
                        drawn = cards[0]
                    hands[other] += cards[:many]
                    del cards[:many]
                assert len(cards) == stays
                stock += cards
            if may(hands, drawn):
                weights[json.dumps([[in_order(hand) for hand in hands], stock, drawn])] += 1
        return weights

    def test_uniform_with_known_cards_one_deck(self):
        document = made(["S4 D9", "SA H5 *"], stock="H9 CQ *", memory={"origins": ["11", "011"]})
        weights = self.enumerated(document, 0, [(["H5", "*", "H9", "CQ", "*"], [(1, 2)], 3)])
        assert len(weights) == 33
        assert self.chi_square(document, 0, weights) < 62.5  # 32 degrees of freedom, 0.1 %

    def test_uniform_with_known_and_equal_cards_two_decks(self):
        options = {"decks": 2}
        document = made(["S4", "H5 H5 CQ", "D2"], stock="D2 H9", options=options, memory={"origins": ["1", "011", "1"]})
        weights = self.enumerated(document, 0, [(["H5", "CQ", "D2", "D2", "H9"], [(1, 2), (2, 1)], 2)])
        assert len(weights) == 33
        assert self.chi_square(document, 0, weights) < 62.5

    def test_cards_of_an_earlier_stock_stay_in_the_hands(self):
        document = made(["S4", "H5 DQ CQ", "D2 C9"], stock="D3 H9", memory={"origins": ["1", "122", "21"], "reshuffles": 1})
        groups = [(["DQ", "CQ", "D2"], [(1, 2), (2, 1)], 0), (["H5", "C9", "D3", "H9"], [(1, 1), (2, 1)], 2)]
        weights = self.enumerated(document, 0, groups)
        assert len(weights) == 72
        assert self.chi_square(document, 0, weights) < 112.3  # 71 degrees of freedom, 0.1 %

    def test_a_card_that_may_be_slapped_has_the_rank_of_the_discard(self):
        document = made(
            ["S4", "S7 D2"],
            laid="H7",
            previous="CJ",
            stock="D7 H9",
            phase="slap",
            turn=1,
            drawn="S7",
            options={"slap_down": True},
        )

        def may(_hands, drawn):
            return drawn[1] == "7"

        weights = self.enumerated(document, 0, [(["S7", "D2", "D7", "H9"], [(1, 2)], 2)], may)
        assert len(weights) == 12
        assert self.chi_square(document, 0, weights) < 31.3  # 11 degrees of freedom, 0.1 %

    def test_after_a_reshuffle_with_two_seats_the_other_hand_is_known(self):
        document = made(["S2 SK", "H2 C8 *"], stock="")
        states = after(document, "discard SK", "draw stock")
        for world in sampled(GAME, states, 0, 50, 3):
            assert position(world)["hands"][1] == ["H2", "C8", "*"]

    def test_classes_are_merged_where_equal_cards_leave_it_open(self):
        """A joker from one of two stocks: the true world stays possible."""
        memory = {"origins": ["1", "1212"], "reshuffles": 1}
        document = made(["S4", "H5 DQ CQ *"], stock="D3 *", turn=1, memory=memory)
        states = after(document, "discard *", "draw first")
        found = {json.dumps(position(world)["hands"][1]) for world in sampled(GAME, states, 0, 400, 3)}
        assert json.dumps(position(states)["hands"][1]) in found
