"""What `determinize` samples in Nana Toridori (RULES.md 1.5): possible worlds, cards exactly, orders as documented."""

import itertools
import json
import random
from collections import Counter
from functools import cache

import pytest

from arena.audit.laws.traces import play_text
from helpers.nanatoridori_tables import (
    GAME,
    NINE_OF_EACH,
    after,
    cards_in,
    choose,
    copied,
    deal,
    legal,
    made,
    masked,
    position,
)
from helpers.views import sampled

WORLDS = 10_000  # in all
STEPS = 20_000  # of a search for a way back; more would be a case that the search cannot tell


CASES = [
    pytest.param(seats, {"variant": variant, "front_visible": visible}, seed, marks=[pytest.mark.slow] if seed == 2 else [])
    for seats, variant, visible in [
        (2, "duel", True), (2, "duel", False), (3, "basic", True), (4, "advanced", True), (6, "basic", True),
    ]
    for seed in (1, 2)
]  # fmt: skip


class TestConsistentWorlds:
    """Every sampled world could have led to all that the seat has seen."""

    @pytest.mark.parametrize(("seats", "options", "seed"), CASES)
    def test_sampled_worlds_are_consistent(self, seats, options, seed):
        share, checked = WORLDS // len(CASES), 0
        moments = list(followed(seed, seats, **options))
        each = 1 + share // (seats * len(moments))
        for number, (states, histories) in enumerate(moments):
            truth = position(states)
            for seat in range(seats):
                assert holds_what_is_known(truth, histories[seat])
                for world in sampled(GAME, states, seat, each, number):
                    assert is_consistent(position(world), world, states, seat, histories[seat])
                    checked += 1
        assert checked >= share

    def test_the_true_world_is_consistent(self):
        for states, histories in itertools.islice(followed(3, 3), 40):
            truth = position(states)
            assert all(is_consistent(truth, states, states, seat, histories[seat]) for seat in range(3))

    def test_consistency_can_be_denied(self):
        """Cards that the seat knows, cards that must be in a hand, and a block that nothing can have split."""
        states = after(made(["236", "2357", "1577"], table=("44", 0), phase="take", beaten={"value": 3, "count": 2}))
        history = {0: [], 1: [], 2: []}
        hear(history, states, "take 1", 1)
        history = {other: tuple(events) for other, events in history.items()}
        play_text(GAME, states, "take 1")
        truth = position(states)
        assert truth["hands"][0] == "23336"

        def verdict(*hands):
            world = GAME.text.from_position({**truth, "memory": None, "hands": list(hands), "stock": stock_for(truth, hands)})
            world["known"] = states["known"]
            return is_consistent(position(world), world, states, 1, history)

        assert verdict("23336", "2357", "1577")
        assert verdict("53346", "2357", "1177")
        assert not verdict("23336", "2375", "1577")  # not the own hand
        assert not verdict("23536", "2357", "1577")  # the block is split
        assert not verdict("22236", "2357", "1577")  # the block is not there
        assert not verdict("2333", "2357", "15776")  # other sizes


def stock_for(truth, hands):
    """The stock that is left when `hands` hold other cards."""
    left = NINE_OF_EACH - cards_in({**truth, "hands": list(hands), "stock": ""})
    return "".join(sorted(left.elements()))


def followed(seed, seats, **options):
    """The first round of a random match: each state, and what each seat has heard of each other hand."""
    states, rng = deal(seed, seats, **options), random.Random(seed)
    histories = [{other: [] for other in range(seats)} for _ in range(seats)]
    while True:
        text = choose(rng, legal(states))
        for seat in range(seats):
            hear(histories[seat], states, text, seat)
        GAME.engine.step(states, GAME.legal_list(states)[legal(states).index(text)])
        if GAME.engine.is_round_over(states):
            return
        yield copied(states), [{other: tuple(events) for other, events in heard.items()} for heard in histories]


def hear(history, states, text, seat):
    """Note the event as `seat` hears it, with the block or the card that it means as far as that seat has seen them."""
    turn = int(GAME.engine.current_seat(states))
    code = GAME.legal_list(states)[legal(states).index(text)]
    ((_, heard),) = GAME.text.event_texts(states[0], GAME.engine.seen_action(states, code, seat))
    seen, words = masked(states, seat), heard.split()
    if words[0] == "play":
        value = words[-1] if "of" in words else seen["hands"][turn][int(words[1])]
        history[turn].append(("out", value * int(words[2])))
    elif words[0] == "take":
        history[turn].append(("in", str(seen["beaten"]["value"]) * seen["beaten"]["count"]))
    elif words[0] == "keep":
        history[turn].append(("in", seen["drawn"]))


@cache
def least(history):
    """How many cards of each value the hand must hold after each event, whatever was dealt and drawn."""
    needs = [{}]
    for kind, cards in history:
        need = dict(needs[-1])
        if cards != "?":
            change = len(cards) if kind == "in" else -len(cards)
            need[cards[0]] = max(0, need.get(cards[0], 0) + change)
        needs.append(need)
    return needs


def holds_what_is_known(world, histories):
    """Whether each hand holds the cards that went into it openly and did not come out since."""
    return all(is_enough(world["hands"][other], least(history)[-1]) for other, history in histories.items())


def is_enough(cards, need):
    return all(cards.count(value) >= count for value, count in need.items())


def has_way_back(hand, history):
    """Whether a hand in this order can be what is left: undo all events, the last one first, every way that there is."""
    needs = least(history)
    tried = set()
    stack = [(hand, len(history))]
    while stack:
        cards, at = stack.pop()
        if (cards, at) in tried or not is_enough(cards, needs[at]):
            continue
        if at == 0:
            return True
        tried.add((cards, at))
        assert len(tried) < STEPS
        kind, moved = history[at - 1]
        if kind == "out":  # they lay together somewhere; best beside equal ones
            gaps = range(len(cards) + 1)
            ways = {cards[:gap] + moved + cards[gap:]: moved[0] in cards[max(0, gap - 1) : gap + 1] for gap in gaps}
        else:  # they went in together; an unknown card is best one that stands between equal ones
            size = len(moved)
            gaps = [gap for gap in range(len(cards) - size + 1) if moved in ("?", cards[gap : gap + size])]
            ways = {
                cards[:gap] + cards[gap + size :]: gap > 0 and cards[gap - 1 : gap] == cards[gap + 1 : gap + 2] for gap in gaps
            }
        stack += [(way, at - 1) for way in sorted(ways, key=lambda way: ways[way])]
    return False


def is_consistent(world, world_states, states, seat, histories):
    """Whether `seat` could have seen what it has seen, with `world` behind it. Written apart from `determinize`."""
    if cards_in(world) != NINE_OF_EACH or masked(world_states, seat) != masked(states, seat):
        return False
    others = [other for other in histories if other != seat and world["hands"][other]]
    return holds_what_is_known(world, histories) and all(
        has_way_back(world["hands"][other], histories[other]) for other in others
    )


def chi_square(counts, weights):
    """The statistic of counts against weights; nothing else may have been counted."""
    assert set(counts) <= set(weights)
    samples, total = sum(counts.values()), sum(weights.values())
    return sum((counts[key] - samples * w / total) ** 2 / (samples * w / total) for key, w in weights.items())


def enumerated(document, seat, unseen, known):
    """Every physical order of the unseen cards and every order of known blocks and unknown cards in the hands, as weights."""
    weights = Counter()
    others = [other for other in range(document["seats"]) if other != seat]
    free = {other: len(document["hands"][other]) - sum(map(len, known.get(other, []))) for other in others}
    is_hidden = document["phase"] == "drawn" and document["turn"] != seat
    for order in itertools.permutations(unseen):
        cards, choices = list(order), []
        for other in others:
            pieces = [*known.get(other, []), *(cards.pop() for _ in range(free[other]))]
            choices.append(["".join(pieces[at] for at in places) for places in itertools.permutations(range(len(pieces)))])
        drawn = cards.pop() if is_hidden else document.get("drawn")
        for hands in itertools.product(*choices):
            weights[json.dumps([*hands, "".join(cards), drawn])] += 1
    return weights


def counted(document, seat, samples):
    """Sampled worlds in the same words."""
    states, counts = after(document), Counter()
    for world in sampled(GAME, states, seat, samples, 9):
        hands = [GAME.text.hand_of(world[0], other) for other in range(document["seats"]) if other != seat]
        stock = GAME.text.cards_of(world[0].stock, 0, int(world[0].num_stock))[::-1]
        counts[json.dumps([*hands, stock, str(world[0].drawn) if document["phase"] == "drawn" else None])] += 1
    return counts


class TestDistribution:
    """Small deals against full enumerations; limits are the 0.1 % points of chi-square."""

    def test_known_blocks_and_equal_cards(self):
        memory = {"known": [[], ["33"], ["6"]]}
        document = made(["12", "334", "65"], table=("7", 2), stock="44", memory=memory)
        weights = enumerated(document, 0, "4544", {1: ["33"], 2: ["6"]})
        assert len(weights) == 16
        assert chi_square(counted(document, 0, 20_000), weights) < 37.7  # 15 degrees of freedom

    def test_drawn_card_of_another(self):
        document = made(["12", "33", "6"], table=("7", 0), turn=1, phase="drawn", drawn="5", passes=1, stock="2")
        weights = enumerated(document, 0, "33652", {})
        assert len(weights) == 60
        assert chi_square(counted(document, 0, 30_000), weights) < 98.3  # 59 degrees of freedom

    def test_own_drawn_card_is_no_secret(self):
        document = made(["12", "33", "6"], table=("7", 2), phase="drawn", drawn="5", passes=1, stock="2")
        weights = enumerated(document, 0, "3362", {})
        assert len(weights) == 12
        assert chi_square(counted(document, 0, 12_000), weights) < 31.3  # 11 degrees of freedom

    def test_two_blocks_of_one_value(self):
        document = made(["12", "33377", "6"], table=("5", 2), stock="", memory={"known": [[], ["3", "33"], []]})
        weights = enumerated(document, 0, "776", {1: ["3", "33"]})
        assert len(weights) == 27
        assert chi_square(counted(document, 0, 20_000), weights) < 54.1  # 26 degrees of freedom

    @pytest.mark.parametrize(("visible", "hidden"), [(True, 37 + 2), (False, 37 + 2 + 2)])
    def test_front_cards(self, visible, hidden):
        options = {"front_visible": visible}
        document = made(["12", "33"], table=("7", 1), fronts=["1", "66"], options=options)
        states, samples = after(document), 20_000
        unseen = Counter(document["unused"] + document["hands"][1] + ("" if visible else "66"))
        assert unseen.total() == hidden
        hands, fronts = Counter(), Counter()
        for world in sampled(GAME, states, 0, samples, 5):
            hands[GAME.text.hand_of(world[0], 1)] += 1
            fronts[GAME.text.cards_of(world[0].fronts, 2, 2)] += 1
        pairs = Counter("".join(pair) for pair in itertools.permutations(unseen.elements(), 2))
        limit = 88.0  # 49 degrees of freedom at most
        assert len(pairs) <= 50
        assert chi_square(hands, pairs) < limit
        assert chi_square(fronts, Counter({"66": 1}) if visible else pairs) < limit

    def test_blocks_stay_together(self):
        """A block of two and six other cards: seven places for it, each as likely."""
        hand = "1233" + "4567"
        document = made(["12", hand, "6"], table=("5", 2), memory={"known": [[], ["33"], []]})
        places = Counter()
        states, samples = after(document), 7_000
        for world in sampled(GAME, states, 0, samples, 4):
            cards = GAME.text.hand_of(world[0], 1)
            assert "33" in cards
            if cards.count("3") == 2:
                places[cards.index("33")] += 1
        assert chi_square(places, Counter(range(7))) < 22.5  # 6 degrees of freedom
