"""What an action led to, as people are told: the facts of each game, in both languages, and no more than a seat knows."""

import random
import re
from collections.abc import Iterator

import msgspec
import numpy as np
import pytest

from arena import games
from arena.engine.game import Game, States
from arena.engine.outcomes import Fact
from arena.engine.random_tables import variants
from arena.games import load
from arena.games.hisatsu.state import DECK
from arena.games.naga.hands import category_name, strength
from arena.games.naga.made import Made, made, why_better
from arena.games.naga.state import ATTRIBUTES, CARDS
from arena.games.yaniv import outcomes as yaniv_outcomes
from arena.games.yaniv.rows import hand_value
from arena.reports.pages.scenes import Replay, Scene, consequences
from arena.reports.pages.words import catalogue
from arena.reports.round_result import said
from arena.reports.table import LANGUAGES
from helpers import naga_tables, nanatoridori_tables, nertz_tables, yaniv_tables

GAMES = [name for name in games.names() if games.outcomes(name) is not None]
NAMES = [f"bot {seat}" for seat in range(12)]


def scenes_of(game: Game, actions: int) -> Iterator[tuple[Scene, int]]:
    """Scenes of random matches of every variant, of the fewest and the most seats, and how many seats there are."""
    rng = random.Random(game.name)
    for seats in {game.seats[0], game.seats[-1]}:
        for variant in variants(game, seats):
            options = {**variant, **{name: 20 for name in ("tick_limit", "turn_limit") if name in variant}}
            seed = rng.getrandbits(40)
            story, states = Replay(game, game.deal(seats, options, seed)), game.deal(seats, options, seed)
            for _ in range(actions):
                if game.engine.is_terminal(states):
                    break
                action = rng.choice(game.legal_list(states))
                game.engine.advance(states, action)
                yield from ((scene, seats) for scene in story.play(action))


@pytest.mark.parametrize("name", GAMES)
def test_every_fact_is_a_sentence_in_both_languages(name: str) -> None:
    game, facts = load(name), {}
    for scene, seats in scenes_of(game, 80):
        for eyes in (None, 0, seats - 1):
            facts |= {(fact.key, *fact.terms.values()): fact for fact in consequences(game, scene, eyes)}
    assert len(facts) > 3
    for fact in facts.values():
        for language in LANGUAGES:
            assert {fact.key, *fact.terms.values()} <= set(catalogue(name)[language])
            assert not re.search(r"\{\w+\}", said(fact, name, NAMES, language)), f"{fact} in {language}"


def led_to(game: Game, states: States, *actions: str, eyes: int | None = None) -> list[Fact]:
    """What the last of some actions led to."""
    story, found = Replay(game, game.from_bytes(states.tobytes())), []
    for text in actions:
        action = dict(zip(game.text.action_texts(states[0], codes := game.legal_list(states)), codes))[text]
        game.engine.step(states, action)
        for scene in story.play(action)[:1]:
            found = consequences(game, scene, eyes)
    return found


def sentences(game: Game, states: States, *actions: str, eyes: int | None = None) -> list[str]:
    """The same in English."""
    return [said(fact, game.name, ["Ann", "Bo", "Cy"]) for fact in led_to(game, states, *actions, eyes=eyes)]


def naga(hands: list[str], field: str) -> States:
    """A contest for Kut, trump dark, with these hands, in the middle of a game."""
    place = {**naga_tables.position(naga_tables.deal(1)), "hands": [hand.split() for hand in hands]}
    place["places"] = {**place["places"], "1": [field]}
    used = {*place["hands"][0], *place["hands"][1], field}
    others = [card for card in naga_tables.CARDS if card not in used]
    for number in "234567":
        place["places"][number] = [others.pop() for _ in place["places"][number]]
    place |= {"stock": others, "turn": 0, "phase": "select", "place": 1}
    return naga_tables.GAME.text.from_position(place)


def test_naga_says_both_hands_and_which_one_wins() -> None:
    states = naga(["f2 w2 d2 a1 e1", "t6 e6 w6 a3 l1"], "l7")
    assert sentences(naga_tables.GAME, states, "select d2 f2 w2", "select w6 t6 e6", eyes=0) == [
        "Ann has three 2s, with the trump",
        "Bo has three 6s",
        "Ann wins the field card of Kut: both have the same hand, and the trump outranks other cards. Field cards 1 : 0",
    ]


def test_naga_tells_nobody_of_a_hand_before_both_have_chosen() -> None:
    assert led_to(naga_tables.GAME, naga(["f2 w2 d2 a1 e1", "t6 e6 w6 a3 l1"], "l7"), "select d2 f2 w2", eyes=1) == []


@pytest.mark.parametrize("size", [4, 5])
def test_naga_compares_the_cards_that_it_names_as_the_rules_do(size: int) -> None:
    rng, alike = random.Random(size), 0
    for _ in range(600):
        trump = rng.randrange(7)
        (one, first), (other, second) = (some_hand(rng, size, trump) for _ in range(2))
        if first.category == second.category:
            alike += 1
            mine, theirs = ([key for key, _ in hand.ranked] for hand in (first, second))
            assert (mine > theirs) - (mine < theirs) == (one > other) - (one < other), f"{first} and {second}"
            assert one == other or why_better(*sorted((first, second), key=lambda hand: hand is not first)) in WHY
    assert alike > 60


WHY = {"because_trump", "because_heaven", "because_number", "because_moon", "because_cards"}


def some_hand(rng: random.Random, size: int, trump: int) -> tuple[int, Made]:
    """A random hand, mostly of few numbers, with the number that the rules compare."""
    low = rng.randint(1, 5)
    pool = [card for card in CARDS.texts if card in "IK" or low <= int(card[1]) <= low + 2]
    cards = rng.sample(pool, size)
    value = int(strength(CARDS.mask(cards), size, trump, 0, 0, 1))
    return value, made(cards, ATTRIBUTES[trump], category_name(value, size))


def hisatsu() -> States:
    """A first deal with a fox (`!`, bears 7, 3 points) and a boar, the hare next."""
    names = [name for name, *_ in DECK.default]
    row = [{"name": "Fox", "chips": 1}, {"name": "Boar", "chips": 2}]
    stock = [*(name for name in names if name not in ("Fox", "Boar", "Hare")), "Hare"]
    position = {"seats": 3, "phase": "act", "turn": 0, "row": row, "stock": stock[::-1], "hands": ["1234567"] * 3}
    return load("hisatsu").text.from_position(position)


def test_hisatsu_says_who_claims_captures_and_fails_and_what_comes_next() -> None:
    game, arrives = load("hisatsu"), "next in the row: Hare (bears 6, worth 1, one-point cards: 0)"
    claim = ["Bo has the last open card on Fox, and gets it next turn if the sum is not too high"]
    assert sentences(game, hisatsu(), "place 4 0", "place 3 0", eyes=2) == claim
    assert sentences(game, hisatsu(), "place 4 0", "place 3 0", "discard 1", "discard 1", eyes=2) == [
        "Bo captures Fox: 4+3 = 7 of at most 7, +3",
        arrives,
    ]
    assert sentences(game, hisatsu(), "place 5 0", "place 3 0", "discard 1", "discard 1", eyes=0) == [
        "Bo fails at Fox: 5+3 = 8 of at most 7, −2",
        arrives,
    ]


def test_yaniv_says_who_pays_and_whose_total_is_lowered() -> None:
    states = yaniv_tables.GAME.text.from_position(yaniv_tables.made(["S2 S3", "D4", "HK HQ"], totals=[10, 20, 30]))
    assert sentences(yaniv_tables.GAME, states, "call", eyes=2) == [
        "Ann called Yaniv with 5, but Bo had no more (assaf): 30 points more for Ann",
        "Ann: +35 points, 45 in all",
        "Bo: +4 points, 24 in all",
        "Cy: +20 points make 50, which is lowered to 25",
    ]


def test_yaniv_tells_plain_numbers_also_where_its_rules_run_without_the_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums of numpy's integers are numpy's there, and no message can hold them."""
    monkeypatch.setattr(yaniv_outcomes, "hand_value", lambda row: np.int64(hand_value(row)))
    states = yaniv_tables.GAME.text.from_position(yaniv_tables.made(["S2 S3", "D4"], totals=[10, 20]))
    before, after = states[0], yaniv_tables.GAME.from_bytes(states.tobytes())
    call = yaniv_tables.GAME.text.parse_action(before, "call")
    yaniv_tables.GAME.engine.step(after, call)
    assert b'"beaten"' in msgspec.json.encode(yaniv_outcomes.result(before, call, after))


def test_yaniv_names_the_card_drawn_to_its_owner_alone() -> None:
    position = yaniv_tables.made(["S2", "D4"], laid="HK", phase="draw", stock="C9 C8")
    drawn = [
        led_to(yaniv_tables.GAME, yaniv_tables.GAME.text.from_position(position), "draw stock", eyes=eyes) for eyes in (0, 1)
    ]
    assert [fact.values for fact in drawn[0]] == [{"card": ["C9"]}] and drawn[1] == []


def test_nana_says_what_was_beaten_taken_dropped_and_cleared() -> None:
    game = nanatoridori_tables.GAME
    table = nanatoridori_tables.made(["6624", "1357", "1234"], table=("55", 2))
    beat = ["Ann beats the 55 of Cy"]
    assert sentences(game, game.text.from_position(table), "play 0 2", eyes=1) == beat
    assert sentences(game, game.text.from_position(table), "play 0 2", "take 1", eyes=1) == ["55 goes into the hand of Ann"]
    assert sentences(game, game.text.from_position(table), "play 0 2", "drop", eyes=1) == ["55 goes to the discards"]
    passed = nanatoridori_tables.made(["6624", "1357", "1234"], table=("77", 2), turn=1, passes=1, stock="")
    assert sentences(game, game.text.from_position(passed), "pass") == [
        "all others have passed: 77 is cleared away, and Cy leads"
    ]


def test_nana_says_who_is_out_and_who_pays() -> None:
    game = nanatoridori_tables.GAME
    last = nanatoridori_tables.made(["66", "1357", ""], table=("55", 2), out=[2])
    assert sentences(game, game.text.from_position(last), "play 0 2", eyes=1) == [
        "Ann beats the 55 of Cy",
        "Ann has no cards left: out as number 2",
        "55 goes to the discards",
        "Bo is left with cards and loses a penguin",
    ]


def test_nertz_says_who_was_faster_and_what_is_complete() -> None:
    units = [
        {"nertz": ["S3"], "work": [["SK"], ["D5"], ["C4"], ["H9"]]},
        {"nertz": ["S3"], "work": [["HK"], ["D6"], ["C5"], ["H8"]]},
    ]
    race = nertz_tables.read(nertz_tables.made(units, (("S", [0, 1]),), priority=[1, 0]))
    assert (
        sentences(nertz_tables.GAME, race, "nertz found", "nertz found", eyes=0)[0]
        == "Ann loses the race with S3: Bo came first"
    )
    spades = (("S", [0, 1] * 6),)
    crown = nertz_tables.read(nertz_tables.made([{"work": [["SK"], [], [], []]}, {}], spades))
    told = sentences(nertz_tables.GAME, crown, "work 0 found", "wait")
    assert told[0] == "Ann lays SK: this pile is complete"
