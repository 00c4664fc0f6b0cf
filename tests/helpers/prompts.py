"""Decisions of random matches with all that a seat learnt before them, for tests of what language models are asked."""

import random
from collections.abc import Iterator
from typing import NamedTuple

from arena.engine.entries import IS_OVER
from arena.engine.game import Game, States
from arena.engine.random_tables import Table, copy, resampled
from arena.engine.rng import SEED_BITS, seed_words
from arena.llm.prompt import head, situation
from arena.match.history import Decision, MatchHistory

ACTIONS_AFTER = 8
"""How many actions two worlds are played on together."""


class Worlds(NamedTuple):
    """The same moment in two worlds that a seat cannot tell apart."""

    seat: int
    true: MatchHistory
    other: MatchHistory


def prompt_of(table: Table, tape: MatchHistory, seat: int, *, language: str = "en", shows_legal: bool = False) -> str:
    """All that a model is asked at a decision of a seat."""
    decision = decision_of(tape, seat)
    kept = {"history": decision.since_deal(), "legal": decision.legal() if shows_legal else None}
    return head(table.game, table.seats, table.options, language=language) + situation(
        table.game, decision.observed(), seat, language=language, **kept
    )


def decision_of(tape: MatchHistory, seat: int) -> Decision:
    """The decision of a seat at the end of a history."""
    legal = tape.game.legal_list(tape.states)
    buffer = tape.game.new_actions()
    buffer[: len(legal)] = legal
    return tape.decision(seat, len(legal), buffer.data, 0)


def twin_worlds(table: Table, positions: int) -> Iterator[Worlds]:
    """Moments of random matches: one world as it is, one in which all that the seat cannot know is drawn anew.

    Both are then played on by what looks the same to the seat, and shown again at each of its decisions.
    """
    rng = random.Random(table.seed)
    states, shown = table.deal(), 0
    while shown < positions:
        if table.game.engine.is_terminal(states):
            states = Table(table.game, table.seats, table.options, rng.getrandbits(SEED_BITS)).deal()
        seat = int(table.game.engine.current_seat(states))
        for worlds in _followed(table, states, seat, rng):
            yield worlds
            shown += 1
        for _ in range(rng.randint(1, 3)):
            if not table.game.engine.is_terminal(states):
                table.game.engine.advance(states, rng.choice(table.game.legal_list(states)))


def _followed(table: Table, states: States, seat: int, rng: random.Random) -> Iterator[Worlds]:
    game = table.game
    world = resampled(game, states, seat, seed_words(rng.getrandbits(SEED_BITS)))
    true, other = (MatchHistory(game, table.seats, copy(game, each)) for each in (states, world))
    out = game.new_actions()
    for _ in range(ACTIONS_AFTER):
        mover = int(game.engine.current_seat(true.states))
        if mover == seat:
            yield Worlds(seat, true, other)
        action = rng.choice(game.legal_list(true.states))
        same = _same_to(game, true, other, action, seat)
        if same is None or true.play(action, out) & IS_OVER:
            return
        other.play(same, out)


def _same_to(game: Game, true: MatchHistory, other: MatchHistory, action: int, seat: int) -> int | None:
    """An action of the other world that leads to what looks the same to the seat; None: there is none."""
    if game.engine.current_seat(other.states) != game.engine.current_seat(true.states):
        return None
    after = copy(game, true.states)
    game.engine.advance(after, action)
    seen, heard = game.observed(after, seat).tobytes(), game.engine.seen_action(true.states, action, seat)
    for one in game.legal_list(other.states):
        world = copy(game, other.states)
        game.engine.advance(world, one)
        if game.engine.seen_action(other.states, one, seat) == heard and game.observed(world, seat).tobytes() == seen:
            return one
    return None
