"""A room's compiled entries: generic code over the contract, bound to one room, called from Python with arrays."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Numbers,
    State,
    States,
    current_seat,
    deal,
    determinize,
    has_one_loser,
    is_round_over,
    is_simultaneous,
    is_terminal,
    legal_actions,
    next_round,
    observe,
    places,
    scores,
    seen_action,
    step,
)
from arena.engine.rng import Words, below


@dataclass(frozen=True)
class Engine:
    """A room's compiled entries for Python callers: every state is a `States` array, see `Game.new_states`."""

    deal: Callable[[States, int, Words, Words], None]
    legal_actions: Callable[[States, Actions], int]
    step: Callable[[States, int], None]
    advance: Callable[[States, int], None]
    current_seat: Callable[[States], int]
    is_simultaneous: Callable[[States], bool]
    is_round_over: Callable[[States], bool]
    is_terminal: Callable[[States], bool]
    scores: Callable[[States, Numbers], None]
    places: Callable[[States, Actions], None]
    has_one_loser: Callable[[States], bool]
    observe: Callable[[States, int, States], None]
    determinize: Callable[[States, int, Words], None]
    seen_action: Callable[[States, int, int], int]
    play_random: Callable[[States, Words, Actions, int], int]
    play_many: Callable[[States, int, Words, int, int, Words, Actions], int]


def bind_engine(room: str) -> Engine:
    """The compiled entries of one room, kept in the room's cache folder. `room`: its package."""
    entries = {entry.__name__.removeprefix("_entry_"): jit.bind(entry, room) for entry in _ENTRIES}
    return Engine(**cast("dict[str, Any]", entries))


def _entry_deal(states: States, seats: int, options: Words, seed: Words) -> None:
    deal(states[0], seats, options, seed)


def _entry_legal_actions(states: States, out: Actions) -> int:
    return legal_actions(states[0], out)


def _entry_step(states: States, action: int) -> None:
    step(states[0], action)


def _entry_advance(states: States, action: int) -> None:
    """Play an action, then deal the next round if the action ended one: the `apply` of docs/notation.md."""
    s = states[0]
    step(s, action)
    if is_round_over(s) and not is_terminal(s):
        next_round(s)


def _entry_current_seat(states: States) -> int:
    return current_seat(states[0])


def _entry_is_simultaneous(states: States) -> bool:
    return is_simultaneous(states[0])


def _entry_is_round_over(states: States) -> bool:
    return is_round_over(states[0])


def _entry_is_terminal(states: States) -> bool:
    return is_terminal(states[0])


def _entry_scores(states: States, out: Numbers) -> None:
    scores(states[0], out)


def _entry_places(states: States, out: Actions) -> None:
    places(states[0], out)


def _entry_has_one_loser(states: States) -> bool:
    return has_one_loser(states[0])


def _entry_observe(states: States, seat: int, out: States) -> None:
    observe(states[0], seat, out[0])


def _entry_determinize(states: States, seat: int, rng: Words) -> None:
    determinize(states[0], seat, rng)


def _entry_seen_action(states: States, action: int, viewer: int) -> int:
    return seen_action(states[0], action, viewer)


def _entry_play_random(states: States, rng: Words, out: Actions, limit: int) -> int:
    """Play uniformly random legal actions to the end of the match, at most `limit`; returns how many."""
    return _random_match(states[0], rng, out, limit)


def _entry_play_many(states: States, seats: int, options: Words, first: int, matches: int, rng: Words, out: Actions) -> int:
    """Deal and play `matches` random matches with the seeds `first`, `first` + 1, ...; returns the decisions."""
    s = states[0]
    seed = np.zeros(4, np.int64)
    decisions = 0
    for match in range(matches):
        seed[3] = first + match
        deal(s, seats, options, seed)
        decisions += _random_match(s, rng, out, 1 << 40)
    return decisions


@jit.generic
def _random_match(s: State, rng: Words, out: Actions, limit: int) -> int:
    decisions = 0
    while not is_terminal(s) and decisions < limit:
        if is_round_over(s):
            next_round(s)
        count = legal_actions(s, out)
        step(s, out[below(rng, count)])
        decisions += 1
    return decisions


_ENTRIES: tuple[Callable[..., Any], ...] = (
    _entry_deal,
    _entry_legal_actions,
    _entry_step,
    _entry_advance,
    _entry_current_seat,
    _entry_is_simultaneous,
    _entry_is_round_over,
    _entry_is_terminal,
    _entry_scores,
    _entry_places,
    _entry_has_one_loser,
    _entry_observe,
    _entry_determinize,
    _entry_seen_action,
    _entry_play_random,
    _entry_play_many,
)
