"""The end of a round as people see it: the table with all hands open, who ended it, and numbers that add up."""

import random
import re
from collections.abc import Iterator

import numpy as np
import pytest

from arena import games
from arena.engine.game import Game
from arena.engine.outcomes import RoundResult, SeatResult
from arena.engine.random_tables import variants
from arena.games import load
from arena.reports.pages.scenes import Replay, Scene, position, result
from arena.reports.pages.words import catalogue
from arena.reports.round_result import round_lines
from arena.reports.table import LANGUAGES
from helpers import nanatoridori_tables, yaniv_tables
from helpers.yaniv_tables import GAME as YANIV

GAMES = [name for name in games.names() if games.outcomes(name) is not None]
ROUNDS = 2
"""Rounds of each match that are looked at."""
PATIENCE = 400
"""Decisions after which a match that comes to no end of a round is left."""


def ends(game: Game) -> Iterator[tuple[Scene, RoundResult]]:
    """Ends of rounds in random matches of every variant and of the fewest and the most seats."""
    rng = random.Random(game.name)
    for seats in {game.seats[0], game.seats[-1]}:
        for variant in variants(game, seats):
            options = {**variant, **{name: 30 for name in ("tick_limit", "turn_limit") if name in variant}}
            seed = rng.getrandbits(40)
            story, states, found = Replay(game, game.deal(seats, options, seed)), game.deal(seats, options, seed), 0
            for _ in range(PATIENCE):
                if found == ROUNDS or game.engine.is_terminal(states):
                    break
                action = rng.choice(game.legal_list(states))
                game.engine.advance(states, action)
                for scene in story.play(action):
                    if scene.is_end_of_round:
                        told = result(game, scene)
                        assert told is not None
                        found += 1
                        yield scene, told


@pytest.mark.parametrize("name", GAMES)
def test_every_end_of_a_round_is_a_table_with_its_hands_open_and_its_stock_hidden(name: str) -> None:
    game = load(name)
    for scene, _ in ends(game):
        shown = position(game, scene, 0)
        assert shown is not None and shown == position(game, scene, None) and shown["phase"] == "over"
        is_last = game.engine.is_terminal(game.from_bytes(scene.state))
        assert shown.get("round_over", False) is not is_last
        assert "?" not in str(shown.get("hands", "")) and "rng" not in shown
        assert set("".join(shown.get("stock", shown.get("unused", "")))) <= {"?"}


@pytest.mark.parametrize("name", GAMES)
def test_totals_are_those_before_and_what_the_round_brought(name: str) -> None:
    game = load(name)
    for scene, told in ends(game):
        before, after = game.from_bytes(scene.played[-1].before), game.from_bytes(scene.state)
        seats = int(game.rules.num_seats(after[0]))
        old, new = np.zeros(seats), np.zeros(seats)
        game.engine.scores(before, old)
        game.engine.scores(after, new)
        assert sorted(seat for row in told.rows for seat in row.seats) == sorted(
            seat for seat in range(seats) if name != "yaniv" or not before[0].dropped[seat]
        )
        for row in told.rows:
            total = row.cells[-1]
            assert total is not None and len(row.cells) == len(told.columns)
            if name != "hisatsu":  # a match of one round: its score is what the round brought
                assert {total.change} == {int(new[seat] - old[seat]) for seat in row.seats}
            assert {total.now} == {int(new[seat]) for seat in row.seats} or name == "naga"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_it_is_said_in_words_of_both_languages(name: str, language: str) -> None:
    words = catalogue(name)[language]
    for _, told in ends(load(name)):
        keys = [*told.columns, *(fact.key for fact in told.facts), *(fact.key for row in told.rows for fact in row.facts)]
        assert set(keys) <= set(words)
        names = [f"bot {seat}" for seat in range(12)]
        assert not any(re.search(r"\{\w+\}", line) for line in round_lines(told, name, names, language))


def row_of(told: RoundResult, seat: int) -> SeatResult:
    """What the round brought to a seat."""
    (row,) = [row for row in told.rows if seat in row.seats]
    return row


def called(hands: list[str], totals: list[int], **options: object) -> RoundResult:
    """The end of a round of Yaniv in which seat 0 calls."""
    states = YANIV.text.from_position(yaniv_tables.made(hands, totals=totals, options=options))
    story = Replay(YANIV, YANIV.from_bytes(states.tobytes()))
    (scene, *_) = story.play(int(YANIV.text.parse_action(states[0], "call")))
    told = result(YANIV, scene)
    assert told is not None
    return told


def test_a_caller_who_is_lowest_gets_nothing() -> None:
    told = called(["S2 S3", "HK H9"], [10, 20])
    assert list(round_lines(told, "yaniv", ["Ann", "Bo"])) == [
        "Ann called Yaniv with 5 and is lowest: 0 points",
        "  Ann: in hand 5, points 0, total 10",
        "  Bo: in hand 19, points 19, total 39 (+19)",
    ]


def test_a_caller_who_is_not_pays_and_who_caught_it_is_marked() -> None:
    told = called(["S2 S3", "HK H9", "D5"], [10, 20, 30])
    assert told.facts[0].seats == (0, 2) and [fact.key for fact in row_of(told, 2).facts] == ["assaf"]
    points, total = row_of(told, 0).cells[1:]
    assert points is not None and total is not None and (points.now, total.now, total.change) == (35, 45, 35)


def test_a_total_that_is_halved_says_so() -> None:
    told = called(["S2 S3", "HK H9"], [10, 31])
    (fact,) = row_of(told, 1).facts
    assert (fact.key, fact.values) == ("result_lowered", {"n": 50, "lowered": 25})
    assert row_of(told, 1).cells[-1] is not None and row_of(told, 1).cells[-1].change == -6


def test_the_last_one_with_cards_loses_a_penguin() -> None:
    game = nanatoridori_tables.GAME
    states = game.text.from_position(nanatoridori_tables.made(["3", "44", "5"], turn=0))
    story, told = Replay(game, game.from_bytes(states.tobytes())), None
    while told is None:
        action = game.legal_list(states)[0]
        game.engine.advance(states, action)
        for scene in story.play(action):
            told = told or result(game, scene)
    assert told.facts[0].key == "result_out_first" and told.facts[1].key == "result_penguin"
    loser = told.rows[-1]
    assert told.facts[1].seats == loser.seats and loser.cells[-1] is not None and loser.cells[-1].change == -1
