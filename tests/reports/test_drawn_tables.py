"""The table of every game draws whatever its game can come to: all variants, seat counts and phases, for all eyes."""

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
from playwright.sync_api import Browser

from arena import games
from arena.engine.game import Game, States
from arena.engine.random_tables import Table, decisions, final_states, variants
from arena.games import load, names
from arena.reports.pages.assets import table_files
from arena.reports.table import LANGUAGES
from helpers.browser import chromium, in_browser, watched
from helpers.table_cards import ZONES
from helpers.table_page import WIDTH, Drawing, Move, TablePage

pytestmark = in_browser

GAMES = [game for game in names() if table_files(game)]
MOMENTS = 2
"""Decisions of each match that are drawn, besides its end."""
CHOICES = 3
"""Decisions of each match whose legal actions are looked at."""
EYES = 1
"""Seats that look at each of them, besides the eyes that see all cards."""
NAMES = ["Ann", "<b>Bo</b>", "a_name_as_long_as_any_may_be_0123456789", "四郎", *(f"seat's {number}" for number in range(8))]
NONSENSE = ("undefined", "NaN", "[object", "null", "{")


@dataclass
class DecisionContext:
    """A position for one pair of eyes, and what these eyes hear next."""

    table: Table
    seat: int | None
    position: dict[str, Any]
    events: list[tuple[int, str]]

    def asked(self, lang: str) -> dict[str, Any]:
        return {"position": self.position, "seat": self.seat, "names": NAMES[: self.table.seats], "lang": lang}

    def __str__(self) -> str:
        return f"{self.table}, eyes {self.seat}: {self.position}"


@dataclass
class Choice(DecisionContext):
    """A position for the seat that has to choose."""

    legal: list[str]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(params=GAMES)
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[TablePage]:
    """The table of one game; its script must not complain."""
    with watched(browser, width=WIDTH) as seen:
        yield TablePage(seen.page, request.param)
        assert seen.complaints == [] and seen.outside() == []


def test_every_position_is_drawn_with_each_card_once(page: TablePage) -> None:
    moments = moments_of(page.game)
    drawings = page.drawn([moment.asked(LANGUAGES[at % 2]) for at, moment in enumerate(moments)])
    for drawing, moment in zip(drawings, moments, strict=True):
        _check_drawing(drawing, moment)


def test_every_event_is_said_in_words(page: TablePage) -> None:
    heard = [(moment, text) for moment in moments_of(page.game) for _seat, text in moment.events]
    asked = [{"event": text, "position": moment.position, "names": NAMES[: moment.table.seats]} for moment, text in heard]
    for (moment, text), sentences in zip(heard, page.said(asked), strict=True):
        where = f"{text!r} is said as {sentences} ({moment})"
        assert all(sentence.strip() and sentence != text for sentence in sentences) and len(set(sentences)) == 2, where
        assert not any(word in sentence for sentence in sentences for word in NONSENSE), where


def test_what_a_position_leaves_out_is_no_trouble(page: TablePage) -> None:
    """Empty keys may be missing: a position written by hand has none of them."""
    for moment in moments_of(page.game)[::11]:
        bare = {key: value for key, value in moment.position.items() if value not in (None, [], {}, "") and key != "options"}
        full, found = page.drawn([moment.asked("en"), {**moment.asked("en"), "position": bare, "names": None}])
        assert sorted(card.key for card in found.cards) == sorted(card.key for card in full.cards), str(moment)


def test_every_legal_action_has_a_gesture_and_words_of_its_own(page: TablePage) -> None:
    """The cards of an action and the zone that it names are on the table; no two actions are played alike, or called alike."""
    choices = [choice for number, table in enumerate(_tables(load(page.game))) for choice in _choices(table, number)]
    asked = [choice.asked("en") for choice in choices]
    drawings = page.drawn(asked)
    played = page.moved([{**each, "legal": choice.legal} for each, choice in zip(asked, choices, strict=True)])
    for choice, drawing, moves in zip(choices, drawings, played, strict=True):
        gestures: dict[object, str] = {}
        for action, move in zip(choice.legal, moves, strict=True):
            _check_move(move, drawing, f"{action}: {choice}")
            if move.cards or move.to:
                gesture = (tuple(move.cards), move.to)
                assert gestures.setdefault(gesture, action) == action, f"{gestures[gesture]} is played like {action}: {choice}"
    actions = [{**each, "event": action} for each, choice in zip(asked, choices, strict=True) for action in choice.legal]
    said = iter(page.said(actions))
    for choice in choices:
        for sentences in zip(*(next(said) for _ in choice.legal), strict=True):
            assert len(set(sentences)) == len(sentences), f"called alike: {Counter(sentences).most_common(2)}: {choice}"
    texts = sorted({card.key.partition("#")[0] for drawing in drawings for card in drawing.cards if not card.is_back})
    for text, sentences in zip(texts, page.named(texts), strict=True):
        assert all(said.strip() and not any(word in said for word in NONSENSE) for said in sentences), f"{text}: {sentences}"


@cache
def moments_of(game: str) -> list[DecisionContext]:
    """Positions of random matches: every seat count, every variant, a few moments of each and the end."""
    return [moment for number, table in enumerate(_tables(load(game))) for moment in _moments(table, number)]


def _tables(game: Game) -> Iterator[Table]:
    """The default of every seat count, and each other variant with some number of seats."""
    rng, found = random.Random(game.name), []
    for seats in game.seats:
        first, *others = variants(game, seats)
        yield Table(game, seats, first, rng.getrandbits(30))
        found += [(seats, options) for options in others]
    rng.shuffle(found)
    seen: list[object] = []
    for seats, options in found:
        if options not in seen:
            seen.append(options)
            yield Table(game, seats, options, rng.getrandbits(30))


def _moments(table: Table, number: int) -> Iterator[DecisionContext]:
    game, course = table.game, list(decisions(table))
    for at in range(MOMENTS):
        decision = course[(2 * at + 1) * len(course) // (2 * MOMENTS)]
        for seat in _eyes(table, number + at):
            seen = game.engine.seen_action(decision.states, decision.action, decision.seat if seat is None else seat)
            events = game.text.event_texts(decision.states[0], seen) if seen else []
            yield DecisionContext(table, seat, _position(game, decision.states, seat), events)
    end = final_states(table)
    for seat in _eyes(table, number):
        yield DecisionContext(table, seat, _position(game, end, seat), [])
    outcomes = games.outcomes(game.name)
    for ended in (_end_of_round(table), end) if outcomes is not None else ():
        for seat in _eyes(table, number) if ended is not None else ():
            yield DecisionContext(table, seat, outcomes.table(ended[0]), [])


def _end_of_round(table: Table) -> States | None:
    """The end of the first round that is not the end of the match."""
    game, rng, states = table.game, random.Random(table.seed), table.deal()
    while not game.engine.is_round_over(states):
        game.engine.step(states, rng.choice(game.legal_list(states)))
    return None if game.engine.is_terminal(states) else states


def _choices(table: Table, number: int) -> Iterator[Choice]:
    """Decisions of a match."""
    game, course = table.game, list(decisions(table))
    for step in range(CHOICES):
        decision = course[(number + step * len(course) // CHOICES) % len(course)]
        legal = [game.action_text(decision.states, code) for code in decision.codes]
        yield Choice(table, decision.seat, _position(game, decision.states, decision.seat), [], legal)


def _eyes(table: Table, number: int) -> list[int | None]:
    """All cards, and the eyes of up to EYES seats, others at the next moment."""
    return [None, *sorted({(number + step) % table.seats for step in range(EYES)})]


def _position(game: Game, states: States, seat: int | None) -> dict[str, Any]:
    if seat is None:
        return game.text.to_position(states[0])
    return game.text.masked_position(game.observed(states, seat)[0], seat)


def _check_move(move: Move, drawing: Drawing, where: str) -> None:
    """The cards and zones are there, and as many cards as are to be chosen."""
    assert {zone for zone in (move.to, move.lands) if zone is not None} <= set(drawing.zones), f"{move}: {where}"
    for chosen, wanted in Counter(move.cards + move.along).items():
        lying = [card.key for card in drawing.cards if card.zone == chosen.zone and card.key.partition("#")[0] == chosen.text]
        assert set(chosen.keys) <= set(lying) and wanted <= len(chosen.keys or lying), f"{move}: {where}"


def _check_drawing(drawing: Drawing, moment: DecisionContext) -> None:
    assert drawing.is_pure, f"drawn twice, it differs: {moment}"
    assert drawing.too_wide == [], f"wider than the table: {moment}"
    assert not any(word in text for text in [drawing.text, *drawing.labels] for word in NONSENSE), f"{drawing.text}: {moment}"
    assert drawing.unnamed_zones == [] and all(card.label for card in drawing.cards), f"without a label: {moment}"
    assert len(set(drawing.zones)) == len(drawing.zones), f"{drawing.zones}: {moment}"
    keys = [card.key for card in drawing.cards]
    assert len(set(keys)) == len(keys), f"keys that are there twice: {Counter(keys).most_common(3)}: {moment}"
    found: dict[str | None, Counter[str]] = {}
    for card in drawing.cards:
        is_hidden = card.key.startswith("?")
        assert is_hidden == (card.is_back and not card.has_face) and "?" not in card.key[1:], f"{card}: {moment}"
        found.setdefault(card.zone, Counter())["?" if is_hidden else card.key.partition("#")[0]] += 1
    expected = {zone: Counter(cards) for zone, cards in ZONES[moment.table.game.name](moment.position).items() if cards}
    assert found == expected, str(moment)
