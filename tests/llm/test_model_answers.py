"""Answers of language models, read: the last JSON object counts, and only what means the same is taken for an action."""

import json
import random

import pytest

from arena.engine.random_tables import Table, decisions
from arena.games import load, names
from arena.llm.answer import (
    ACTION,
    AMBIGUOUS,
    EMPTY,
    FAULTS,
    ILLEGAL,
    TRUNCATED,
    UNPARSABLE,
    Answer,
    read_answer,
    same_action,
)

LEGAL = ["call", "discard S4", "discard S4 S5 S6", "discard S4 H4", "draw first", "play 1 2", "play 2 1 +3"]


def said(action: object) -> str:
    return json.dumps({"action": action})


def test_the_last_object_counts_and_prose_never_does() -> None:
    text = f"I may call. {said('discard S4')} No, better: ```json\n{said('call')}\n``` That is my move: discard S4 H4."
    assert read_answer(text, LEGAL) == Answer(ACTION, "call", "call")
    assert read_answer("I call! My action is: call", LEGAL).kind == UNPARSABLE


@pytest.mark.parametrize("end", ['{"action": call}', '{"action": "call"', "{action: 'call'}"])
def test_a_damaged_last_object_is_not_replaced_by_one_that_was_thought_of_before(end: str) -> None:
    assert read_answer(f"Perhaps {said('discard S4')}. No: {end}", LEGAL).kind == UNPARSABLE


@pytest.mark.parametrize("value", [None, 3, ["call"], {"action": "call"}])
def test_an_action_is_a_text(value: object) -> None:
    found = read_answer(said(value), LEGAL)
    assert (found.kind, found.why) == (UNPARSABLE, "no_action")


def test_an_object_in_an_object_is_part_of_it() -> None:
    assert read_answer('{"action": "call", "why": {"action": "discard S4"}}', LEGAL).action == "call"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("CALL", "call"),
        ("ｃａｌｌ。", "call"),
        ("`call`", "call"),
        ('"call".', "call"),
        ("  discard   S4,H4 ", "discard S4 H4"),
        ("discard (S4 H4)", "discard S4 H4"),
        ("Discard h4, s4", "discard S4 H4"),
        ("discard ♠4 4♥", "discard S4 H4"),
        ("discard S6 S5 S4", "discard S4 S5 S6"),
        ("play １ ２", "play 1 2"),
        ("Draw First", "draw first"),
    ],
)
def test_what_means_the_same_is_the_same(written: str, meant: str) -> None:
    assert read_answer(said(written), LEGAL).action == meant


@pytest.mark.parametrize("written", ["play 2 1", "play 1 2 +3", "first draw", "discard S4 S5", "discard", "call call", "", "4"])
def test_what_means_something_else_is_illegal(written: str) -> None:
    found = read_answer(said(written), LEGAL)
    assert found.kind == ILLEGAL
    assert found.action == ""


def test_a_set_is_known_by_its_ends_and_else_ambiguous() -> None:
    legal = ["discard S4 H4 D4", "discard S4 D4 H4", "discard H4 S4 D4"]
    assert same_action("discard D4 H4 S4", legal) == ("discard S4 H4 D4",)
    assert same_action("discard H4 D4 S4", legal) == ("discard S4 D4 H4",)
    two = ["select S4 * H4 D4", "select S4 H4 * D4"]
    found = read_answer(said("select D4 * H4 S4"), two)
    assert (found.kind, set(found.candidates)) == (AMBIGUOUS, set(two))


def test_empty_and_cut_answers_are_told_apart() -> None:
    assert read_answer("  \n", LEGAL).kind == EMPTY
    assert read_answer(f"{said('call')} but then", LEGAL, is_cut=True).kind == TRUNCATED, (
        "what was cut off is not the last word"
    )
    assert read_answer("", LEGAL, is_cut=True).kind == TRUNCATED


def test_notes_travel_with_any_answer_that_has_an_object() -> None:
    assert read_answer('{"action": "call", "notes": "seat 2 holds S4"}', LEGAL).notes == "seat 2 holds S4"
    assert read_answer('{"action": "fly", "notes": "hm"}', LEGAL).notes == "hm"
    assert read_answer('{"action": "call", "notes": 3}', LEGAL).notes == ""


@pytest.mark.parametrize("name", names())
def test_every_legal_action_is_read_as_itself_in_any_case_and_order(name: str) -> None:
    """No normalisation takes one legal action for another."""
    game = load(name)
    table = Table(game, game.seats[0], game.resolve_options({}, game.seats[0]), 3)
    for count, moment in enumerate(decisions(table)):
        legal = game.text.action_texts(moment.states[0], moment.codes)
        for text in legal:
            assert same_action(text, legal) == same_action(f" {text.upper()}.", legal) == (text,)
        if count > 40:
            break


ALPHABET = '{}[]":,\\ \n\t`ａ１♠♥10SHDC*actiondiscardlplay\x00\ud83d\u202e０"'


def damaged(rng: random.Random) -> str:
    """An answer with a damage: letters lost, doubled, replaced, cut, or nested."""
    text = (
        rng.choice(["", "I think. ", "{", '{"a":' * rng.randrange(60)])
        + said(rng.choice(LEGAL))
        + rng.choice(["", " done", "}"])
    )
    for _ in range(rng.randrange(12)):
        at = rng.randrange(len(text) + 1)
        text = rng.choice([text[:at], text[at:], text[:at] + rng.choice(ALPHABET) + text[at + 1 :], text[:at] * 2])[:2_000]
    return text


def test_ten_thousand_damaged_answers_are_read_without_a_crash() -> None:
    rng = random.Random(51)
    kinds = dict.fromkeys((ACTION, *FAULTS), 0)
    for _ in range(10_000):
        found = read_answer(damaged(rng), LEGAL, is_cut=rng.random() < 0.01)
        kinds[found.kind] += 1
        assert (found.action in LEGAL) == found.is_action
        assert not found.raw or found.raw.isprintable()
    assert min(kinds[kind] for kind in (ACTION, ILLEGAL, UNPARSABLE, TRUNCATED, EMPTY)) > 10, kinds


@pytest.mark.parametrize(
    "text", ["{" * 200_000, '{"a":' * 60_000, '{"a":[' * 40_000, "[" * 200_000, '{"' * 100_000, "9" * 300_000]
)
def test_answers_that_are_made_to_be_slow_are_read(text: str) -> None:
    assert read_answer(text, LEGAL).kind == UNPARSABLE
