"""Tables of Naga for the tests: deals, positions, random matches."""

import itertools
import random
from collections import Counter

from arena.audit.laws.traces import play_text
from arena.games import load

GAME = load("naga")
CARDS = [f"{attribute}{number}" for attribute in "dlfawte" for number in range(1, 8)] + ["I", "K"]


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
