"""Tables of Yaniv for the tests: positions from short texts, and random matches."""

import itertools
import random
from collections import Counter

from hypothesis import strategies as st

from arena.audit.laws.traces import play_text
from arena.games import load

GAME = load("yaniv")
CARDS = [suit + rank for suit in "SHDC" for rank in "A23456789TJQK"] + ["*"]
RANKS = "A23456789TJQK"
POINTS = {card: 0 if card == "*" else min(RANKS.index(card[1]) + 1, 10) for card in CARDS}
SEEDS = st.integers(0, 2**128 - 1)


def in_order(cards):
    return sorted(cards, key=CARDS.index)


def flat(lists):
    return list(itertools.chain.from_iterable(lists))


def deck(decks=1):
    return in_order(([*CARDS[:-1], "*", "*"]) * decks)


def value(hand):
    return sum(POINTS[card] for card in hand)


def deal(seed=1, seats=2, **options):
    return GAME.deal(seats, GAME.resolve_options(options, seats), seed)


def position(states):
    return GAME.text.to_position(states[0])


def masked(states, seat):
    return GAME.text.masked_position(GAME.observed(states, seat)[0], seat)


def legal(states):
    return GAME.text.action_texts(states[0], GAME.legal_list(states))


def made(hands, *, previous="CJ", laid="", buried="", stock=None, phase="start", turn=0, memory=None, **rest):
    """A position from hands such as "S4 S5"; the stock holds all other cards unless it is given, then they are buried."""
    options = rest.pop("options", {})
    hands = [hand.split() for hand in hands]
    resolved = GAME.resolve_options(options, len(hands))
    left = Counter(deck(resolved["decks"])) - Counter(flat(hands) + previous.split() + laid.split() + buried.split())
    if stock is None:
        stock, buried = in_order(left.elements()), buried.split()
    else:
        stock = stock.split()
        buried = buried.split() + list((left - Counter(stock)).elements())
    return {
        "game": "yaniv",
        "options": options,
        "seats": len(hands),
        "turn": turn,
        "phase": phase,
        "starter": 0,
        "hands": hands,
        "stock": stock,
        "previous": previous.split(),
        "laid": laid.split(),
        "buried": in_order(buried),
        "totals": [0] * len(hands),
        "memory": memory,
    } | rest


def after(document, *texts):
    states = GAME.text.from_position(document)
    for text in texts:
        play_text(GAME, states, text)
    return states


def discards(hand, **options):
    """The legal discards of a hand, as texts without the verb."""
    texts = legal(after(made([hand, "CT"], options=options)))
    return [text.removeprefix("discard ") for text in texts if text != "call"]


def played(seed, seats=2, **options):
    """(position, action text, position after it) of a random match."""
    states, rng = deal(seed, seats, **options), random.Random(seed)
    before = position(states)
    while not GAME.engine.is_terminal(states):
        text = rng.choice(legal(states))
        play_text(GAME, states, text)
        following = position(states)
        yield before, text, following
        before = following


def copied(states):
    return GAME.from_bytes(states.tobytes())
