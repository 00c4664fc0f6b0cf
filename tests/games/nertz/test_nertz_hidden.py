"""What a seat may know of a Nertz match (RULES.md 4.6): worlds against an account kept apart, and against enumeration."""

import itertools
import random
from collections import Counter

import pytest

from arena.engine.rng import SEED_BITS, seed_words
from helpers.nertz_tables import GAME, accounts, copy, deal, legal, made, masked, position, read, ticks

WORLDS = 10_000
KINGS = [["SK"], ["CK"], ["SQ"], ["CQ"]]


def world_of(states, seat, rng):
    world = copy(states)
    GAME.engine.determinize(world, seat, seed_words(rng.getrandbits(SEED_BITS)))
    return world


def test_sampled_worlds_are_consistent_with_all_that_was_seen():
    """Worlds for each seat, at moments of whole matches, against where every dealt card is and who has seen it."""
    rng, checked, truths = random.Random(1), 0, 0
    for seed in itertools.count():
        seats = GAME.seats[seed % len(GAME.seats)]
        books = None
        for tick in ticks(seed, seats, limit=300, max_rounds=3, flip=1 + seed % 3):
            books = accounts(tick, None if tick.before["tick"] == 0 else books)
            if rng.random() < 0.2:
                seat = rng.randrange(seats)
                own = seat >> int(tick.states[0].teams)
                for unit, book in enumerate(books):
                    assert book.problems(tick.states, unit, is_own=unit == own) == []  # the truth is one of the worlds
                truths += 1
                for _ in range(20):
                    world = world_of(tick.states, seat, rng)
                    assert [
                        line for unit, book in enumerate(books) for line in book.problems(world, unit, is_own=unit == own)
                    ] == []
                    checked += 1
        if checked >= WORLDS:
            break
    assert truths >= WORLDS / 20


def test_the_account_finds_a_world_that_forgets():
    """The check must be able to fail: a world for another seat contradicts what this seat has seen."""
    rng, found = random.Random(2), 0
    books = None
    for tick in itertools.islice(ticks(3), 40):
        books = accounts(tick, books)
    for _ in range(20):
        world = world_of(tick.states, 1, rng)
        found += bool(books[0].problems(world, 0, is_own=True))
    assert found > 10


def test_memory_shows_in_the_masked_position():
    """After one pass through the stock its owner knows all of it, the others every third card."""
    states = deal(4)
    for _ in range(13):
        for action in (1, 1):
            GAME.engine.step(states, action)
    own, other = masked(states, 0)["units"]
    assert own["stock"] == position(states)["units"][0]["stock"]
    assert [at for at, card in enumerate(other["stock"]) if card != "?"] == [*range(2, 35, 3), 34]
    assert own["nertz"][:-1] == other["nertz"][:-1] == ["?"] * 12


def test_a_waste_card_that_opens_is_seen_by_all():
    document = made([{"waste": ["H9", "S3", "S2"], "work": KINGS}, {"work": KINGS}], (("S", [1]),))
    states = read(document)
    assert masked(states, 1)["units"][0]["waste"] == ["?", "?", "S2"]
    for text in ("waste found", "wait"):
        GAME.engine.advance(states, GAME.text.parse_action(states[0], text))
    assert masked(states, 1)["units"][0]["waste"] == ["?", "S3"]
    assert masked(states, 0)["units"][0]["waste"] == ["H9", "S3"]


def chi_square(counts, cells):
    total = sum(counts.values())
    assert set(counts) <= cells
    return sum((counts[cell] - total / len(cells)) ** 2 / (total / len(cells)) for cell in cells)


def small_deal():
    """All of unit 0's deck lies open but six cards: two covered Nertz cards, a waste card, three of the stock."""
    laid = (("H", [0] * 13), ("D", [0] * 13), ("C", [0] * 11), ("S", [0] * 6))
    work = [["SK"], ["CK"], ["SQ"], []]
    unit = {"nertz": ["S7", "S8", "CQ"], "waste": ["S9", "ST"], "stock": ["SJ"], "work": work}
    document = made([unit, {"work": KINGS}], laid)
    layout = document["units"][0]
    assert (layout["nertz"], layout["stock"]) == (["S7", "S8", "CQ"], ["SJ"])
    return document


@pytest.mark.parametrize(
    ("seat", "hidden"),
    [(0, ["S7", "S8", "SJ"]), (1, ["S7", "S8", "S9", "SJ"])],  # seat 0 has seen its waste, seat 1 only the top of it
)
def test_small_deals_follow_the_enumerated_distribution(seat, hidden):
    states, rng = read(small_deal()), random.Random(seat)
    cells = set(itertools.permutations(hidden))
    counts = Counter()
    for _ in range(2400):
        unit = position(world_of(states, seat, rng))["units"][0]
        places = [*unit["nertz"][:2], *unit["waste"][:1], *unit["stock"]] if seat else [*unit["nertz"][:2], *unit["stock"]]
        assert unit["waste"][-1] == "ST"
        counts[tuple(places)] += 1
    assert chi_square(counts, cells) < {6: 20.5, 24: 49.7}[len(cells)]  # 0.1 % at 5 and 23 degrees of freedom


def test_hidden_choices_are_drawn_from_the_legal_ones():
    document = made([{"nertz": ["S3"], "work": KINGS}, {"work": KINGS}], (("S", [1, 1]),))
    states = read({**document, "turn": 1, "pending": ["nertz found", None]})
    rng, counts = random.Random(5), Counter()
    cells = set(legal(read(document)))
    for _ in range(1000):
        counts[position(world_of(states, 1, rng))["pending"][0]] += 1
    assert len(cells) == 3
    assert chi_square(counts, cells) < 13.8  # 0.1 % at 2 degrees of freedom


def test_running_moves_are_drawn_from_what_was_legal_and_still_runs():
    """4.4: the seat is seen to be busy; a world gives it a move that was legal when it began and is not over yet."""
    options = {"latency": "declared", "delays": [[1, 1, 3, 4, 2], 0]}
    document = made(
        [{"nertz": ["S3"], "work": [["SK"], ["CK"], ["H4"], ["S8"]]}, {"work": KINGS}], (("S", [1, 1]),), options=options
    )
    states = read(document)
    assert legal(states) == ["wait", "flip", "nertz found", "nertz work 2"]
    for text in ("nertz found", "wait", "wait", "flip"):
        GAME.engine.advance(states, GAME.text.parse_action(states[0], text))
    assert position(states)["due"] == [3, None]
    assert (masked(states, 1)["pending"], masked(states, 1)["due"]) == (["?", None], ["?", None])
    rng = random.Random(6)
    found = Counter()
    for _ in range(400):
        world = position(world_of(states, 1, rng))
        found[world["pending"][0], world["due"][0]] += 1
    assert set(found) == {("nertz found", 3), ("nertz work 2", 4)}  # a flip would be over
    assert 140 < found["nertz found", 3] < 260


def test_nobody_sees_a_choice_before_the_tick_is_resolved():
    """State, text and events of all other seats, mates included, are the same whatever an earlier seat chose."""
    for seats in (2, 6, 12):
        for tick in itertools.islice(ticks(seats, seats, teams=seats > 4), 10, 40, 6):
            states = read(tick.before)
            seen = {}
            for code in GAME.legal_list(states):
                world = copy(states)
                heard = [GAME.engine.seen_action(world, code, viewer) for viewer in range(seats)]
                assert heard[1:] == [0] * (seats - 1)
                GAME.engine.step(world, code)
                for viewer in range(1, seats):
                    seen.setdefault(viewer, set()).add(GAME.observed(world, viewer).tobytes())
            assert all(len(views) == 1 for views in seen.values())
