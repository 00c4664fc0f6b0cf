"""A game's compiled entries: generic code over the contract, bound to one game, called from Python with arrays."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

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
from arena.engine.machine import stack_array
from arena.engine.rng import Words, below

IS_OVER, IS_TOGETHER, ENDED_ROUND = 1, 2, 4
"""Bits of what `Engine.follow` returns: the match is over (then there are no others), the next choice is simultaneous, the
action ended a round."""
SEAT_SHIFT, SEAT_MASK, COUNT_SHIFT = 4, 0xFF, 12
"""The bits of what `Engine.follow` returns that hold the next seat to choose, and how many legal actions it has."""


@dataclass(frozen=True)
class Engine:
    """A game's compiled entries for Python callers: every state is a `States` array, see `Game.new_states`."""

    deal: Callable[[States, int, Words, Words], None]
    legal_actions: Callable[[States, Actions], int]
    step: Callable[[States, int], None]
    follow: Callable[[States, int, int, int, Actions], int]
    current_seat: Callable[[States], int]
    is_simultaneous: Callable[[States], bool]
    is_round_over: Callable[[States], bool]
    is_terminal: Callable[[States], bool]
    scores: Callable[[States, Numbers], None]
    places: Callable[[States, Actions], None]
    has_one_loser: Callable[[States], bool]
    play_log: Callable[[States, Actions, Actions, Actions], int]
    observe: Callable[[States, int, States], None]
    determinize: Callable[[States, int, Words], None]
    seen_action: Callable[[States, int, int], int]
    play_random: Callable[[States, Words, Actions, int], int]
    play_many: Callable[[States, int, Words, int, int, Words, Actions], int]
    unread: Actions = field(compare=False)
    """Takes legal actions that nobody reads."""

    def advance(self, states: States, action: int) -> None:
        """Play an action, then deal the next round if the action ended one: the `apply` of docs/notation.md."""
        self.follow(states, 0, 0, action, self.unread)


def bind_engine(game: str, most_actions: int) -> Engine:
    """The compiled entries of one game, kept in the game's cache folder.

    `game`: its package; `most_actions`: the game's MAX_ACTIONS.
    """
    entries: dict[str, Any] = {_name(entry): jit.bind(entry, game) for entry in _ENTRIES}
    return Engine(**entries, unread=np.zeros(most_actions, np.int64))


def entry_names() -> list[str]:
    """The names of all compiled entries, which are those of Engine's fields."""
    return [_name(entry) for entry in _ENTRIES]


def _name(entry: Callable[..., Any]) -> str:
    return entry.__name__.removeprefix("_entry_")


def _entry_deal(states: States, seats: int, options: Words, seed: Words) -> None:
    deal(states[0], seats, options, seed)


def _entry_legal_actions(states: States, out: Actions) -> int:
    return legal_actions(states[0], out)


def _entry_step(states: States, action: int) -> None:
    step(states[0], action)


def _entry_follow(states: States, before: int, after: int, action: int, out: Actions) -> int:
    """Play an action on a copy of a state, and deal the next round if the action ended one; then say what comes next.

    `before`: the place of the state in `states`; `after`: the place of the copy, which may be the same. `out` gets the legal
    actions of the next decision. Returns one number, made of the bits above.
    """
    s = states[after]
    states[after] = states[before]
    step(s, action)
    found = 0
    if is_round_over(s):
        if is_terminal(s):
            return IS_OVER
        next_round(s)
        found = ENDED_ROUND
    if is_simultaneous(s):
        found |= IS_TOGETHER
    return found | current_seat(s) << SEAT_SHIFT | legal_actions(s, out) << COUNT_SHIFT


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


def _entry_play_log(states: States, codes: Actions, timed: Actions, out: Actions) -> int:
    """Play the actions of a log as far as they are legal, with the deals of the next rounds; returns how many those are.

    `codes`: as legal lists have them; `timed`: the same as `step` takes them; `out`: room for a legal list.
    """
    s = states[0]
    for number in range(len(codes)):
        if is_terminal(s):
            return number
        code = codes[number]
        is_legal = False
        for place in range(legal_actions(s, out)):
            is_legal = is_legal or out[place] == code
        if not is_legal:
            return number
        step(s, timed[number])
        if is_round_over(s) and not is_terminal(s):
            next_round(s)
    return len(codes)


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
    seed = stack_array(4, np.int64)
    seed[:] = 0
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
    _entry_follow,
    _entry_current_seat,
    _entry_is_simultaneous,
    _entry_is_round_over,
    _entry_is_terminal,
    _entry_scores,
    _entry_places,
    _entry_has_one_loser,
    _entry_play_log,
    _entry_observe,
    _entry_determinize,
    _entry_seen_action,
    _entry_play_random,
    _entry_play_many,
)
