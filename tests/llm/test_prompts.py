"""What a language model is asked: no more than its seat may know, in words that fit every table."""

import json
import random
import re
from collections.abc import Iterator

import pytest

from arena.agent.model_bot import LANGUAGES
from arena.engine.random_tables import Table, make_table
from arena.errors import ConfigError
from arena.games import load, names
from arena.llm import rule_text
from arena.llm.answer import read_answer
from arena.llm.prompt import MOST_EVENTS, Round, again, head, situation
from arena.llm.refusal import explained
from arena.match.history import MatchHistory
from arena.records import Clock
from helpers.paths import DOCS, PACKAGE
from helpers.prompts import decision_of, prompt_of, twin_worlds

GAMES = names()
FEW, MANY = 20, 1_000
"""Positions of a game that a quick and a slow test look at."""


def tables(name: str, positions: int) -> Iterator[Table]:
    """Tables with several options and numbers of seats."""
    for seed in range(max(2, positions // 100)):
        yield make_table(load(name), seed)


def check_leaks(name: str, positions: int) -> None:
    found, told = 0, 0
    for table in tables(name, positions):
        for worlds in twin_worlds(table, positions // max(2, positions // 100)):
            for language in LANGUAGES:
                true, other = (
                    prompt_of(table, tape, worlds.seat, language=language, shows_legal=True)
                    for tape in (worlds.true, worlds.other)
                )
                assert true == other, f"{table}: seat {worlds.seat}"
            found += 1
            told += worlds.true.states.tobytes() != worlds.other.states.tobytes()
    assert found >= positions
    assert told > found / 2, "the other world was the same: nothing was checked"


@pytest.mark.parametrize("name", GAMES)
def test_every_byte_is_the_same_whatever_the_seat_cannot_know(name: str) -> None:
    check_leaks(name, FEW)


@pytest.mark.slow
@pytest.mark.parametrize("name", GAMES)
def test_every_byte_is_the_same_in_a_thousand_positions(name: str) -> None:
    check_leaks(name, MANY)


def played(table: Table, actions: int) -> MatchHistory:
    """A match after so many random actions."""
    rng, out = random.Random(table.seed), table.game.new_actions()
    tape = MatchHistory(table.game, table.seats, table.deal())
    for _ in range(actions):
        if table.game.engine.is_terminal(tape.states):
            break
        tape.play(rng.choice(table.game.legal_list(tape.states)), out)
    return tape


def of(name: str, seats: int, **options: int) -> Table:
    game = load(name)
    return Table(game, seats, game.resolve_options(options, seats), 7)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_the_head_says_rules_notation_options_and_form(name: str, language: str) -> None:
    game = load(name)
    seats = game.seats[0]
    options = game.resolve_options({}, seats)
    text = head(game, seats, options, language=language)
    for number in rule_text.sections(rule_text.rules(game, language)):
        assert f"## {number} " in text
    for option in options:
        assert f"{option} = " in text
    assert '{"action": "TEXT"}' in text
    assert rule_text.notation(game, language) in text
    assert "determinize" not in text
    assert "](" not in text, "a link that a model cannot follow"


def test_the_head_is_the_same_through_a_match_and_for_every_seat() -> None:
    table = of("yaniv", 3)
    texts = {
        prompt_of(table, played(table, actions), seat).partition("Round 1")[0] for actions in (0, 7, 20) for seat in range(3)
    }
    assert len(texts) == 1


@pytest.mark.parametrize("name", GAMES)
def test_no_prompt_speaks_of_one_opponent_where_there_are_more(name: str) -> None:
    game = load(name)
    if game.seats[-1] > 2:
        table = of(name, max(game.seats))
        assert not re.search(r"your opponent|相手の手札", prompt_of(table, played(table, 9), 0), re.IGNORECASE)


def test_the_history_begins_with_the_deal_of_the_round() -> None:
    table = of("yaniv", 2, limit=200)
    tape, out = MatchHistory(table.game, 2, table.deal()), table.game.new_actions()
    rng = random.Random(3)
    while len(tape.rounds) < 3:
        tape.play(rng.choice(table.game.legal_list(tape.states)), out)
    decision = decision_of(tape, int(table.game.engine.current_seat(tape.states)))
    assert decision.since_deal() == []
    first, second = decision.earlier_rounds()
    assert first[-1][1] == second[-1][1] == "call"
    assert [*first, *second] == decision.events(), "all that was heard since the beginning of the match"
    before = len(tape.played)
    tape.play(table.game.legal_list(tape.states)[0], out)
    assert decision.since_deal() == [], "what was played later is not part of an earlier decision"
    tape.take_back()
    tape.take_back()
    assert len(tape.played) == before - 1
    assert len(tape.rounds) == 2, "the deal was taken back with the action that led to it"


def test_earlier_rounds_and_notes_are_shown_where_they_are_given() -> None:
    table = of("yaniv", 2)
    seen = table.game.observed(table.deal(), 0)
    text = situation(
        table.game, seen, 0, history=[(1, "call")], earlier=[Round(1, [(0, "discard S4")])], notes="they like low cards"
    )
    assert text.index("0: discard S4") < text.index("1: call") < text.index("they like low cards")


def test_of_a_very_long_round_the_end_is_shown() -> None:
    table = of("yaniv", 2)
    seen = table.game.observed(table.deal(), 0)
    text = situation(table.game, seen, 0, history=[(0, f"discard {number}") for number in range(MOST_EVENTS + 3)])
    assert "3 events before these" in text
    assert "discard 2\n" not in text
    assert f"discard {MOST_EVENTS + 2}\n" in text


def test_legal_actions_are_listed_on_request_alone() -> None:
    table = of("naga", 2)
    tape = MatchHistory(table.game, 2, table.deal())
    seat = int(table.game.engine.current_seat(tape.states))
    legal = decision_of(tape, seat).legal()
    assert "\n".join(legal) not in prompt_of(table, tape, seat)
    assert "\n".join(legal) in prompt_of(table, tape, seat, shows_legal=True)


def test_a_new_try_names_what_was_wrong() -> None:
    table = of("yaniv", 2)
    tape = MatchHistory(table.game, 2, table.deal())
    seat = int(table.game.engine.current_seat(tape.states))
    decision = decision_of(tape, seat)
    view = table.game.view.at(decision, Clock(1.0, 1.0))
    card = view.previous[0]
    wrong = explained(read_answer(json.dumps({"action": f"discard {card}"}), view.legal), view)
    assert (wrong.kind, wrong.rule) == ("illegal", "5.2")
    said = again(wrong)
    assert f"discard {card}" in said
    assert "Lay something from your hand first" in said
    assert "call" not in again(wrong).split("\n"), "the legal actions were not asked for"
    assert "\n".join(view.legal) in again(wrong, legal=view.legal)
    assert "too long" in again(read_answer("I thi", [], is_cut=True))
    assert "was empty" in again(read_answer(" ", []))
    assert "ended with: I play the four" in again(read_answer("I play the four", []))
    assert "長すぎて" in again(read_answer("I thi", [], is_cut=True), language="ja")


def test_both_languages_have_the_same_texts() -> None:
    texts = json.loads((PACKAGE / "llm" / "words.json").read_text("utf-8"))
    assert set(texts) == set(LANGUAGES)
    places = {
        language: {key: set(re.findall(r"\{(\w+)\}", text)) for key, text in own.items()} for language, own in texts.items()
    }
    assert places["en"] == places["ja"]


def test_the_notation_is_the_same_in_both_languages() -> None:
    """Every action text and every key of a position stands in both."""
    english = (DOCS / "notation.md").read_text("utf-8").partition("\n## Traces")[0]
    japanese = (PACKAGE / "llm" / "notation.ja.md").read_text("utf-8")
    marked = {
        mark for line in english.splitlines() for cell in re.findall(r"^\| (`[^|]+) \|", line) for mark in cell.split("`")[1::2]
    }
    assert len(marked) > 60
    assert [mark for mark in sorted(marked) if f"`{mark}`" not in japanese] == []


def test_an_unknown_language_and_an_unknown_section_are_named() -> None:
    game = load("naga")
    with pytest.raises(ConfigError, match="language: en or ja, not 'de'"):
        head(game, 2, game.resolve_options({}, 2), language="de")
    with pytest.raises(ConfigError, match=r"no section '9.9' of its rules; there are: 2.1, 2.2"):
        rule_text.section(game, "9.9")
    assert rule_text.section(game, "2.5", "ja").startswith("## 2.5 月のカード")
