"""What `determinize` of Naga samples: consistent with all that was seen, and equally likely (RULES.md 2.7)."""

import itertools
import json
from collections import Counter

import pytest

from arena.audit.laws.traces import play_text
from arena.errors import PositionError
from helpers.naga_tables import GAME, at_contest, deal, in_order, played, position
from helpers.views import sampled


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


def worlds(states, seat, count, seed):
    """The same as positions."""
    return map(position, sampled(GAME, states, seat, count, seed))


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
        for world in sampled(GAME, states, seat, samples, 9):
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
