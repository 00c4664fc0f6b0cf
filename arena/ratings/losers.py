"""Which matches name one loser, whom all others beat: to share place 1 there is to win, and says nothing of who is better.

The game says it for each match, by its options; so neither what happens in other matches nor a forfeit changes how a match is
read. Those who forfeit come last in a match of one loser, in the order of their faults, and are compared by that; the others
have won, and are compared with them alone.
"""

import contextlib
from functools import lru_cache
from typing import TypeVar

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.errors import ConfigError
from arena.records import MatchRecord, Outcome

KINDS_KEPT = 4_096  # of matches, by game, options and seats: strangers' files may name any number
Whole = TypeVar("Whole", int, NDArray[np.int64])


def names_loser(record: MatchRecord | Outcome) -> bool:
    """Whether a match names one loser."""
    seats = len(record.seats)
    said = said_by_game(record.game, record.options, seats)
    return bool(seems_to_name_loser(sum(seat.place == 1 for seat in record.seats), seats)) if said is None else said


@lru_cache(maxsize=KINDS_KEPT)
def said_by_game(name: str, options: str, seats: int) -> bool | None:
    """Whether a game says that matches of `seats` seats name one loser. `options`: all, as canonical JSON.

    None where it is not installed, or has no such matches any more.
    """
    from arena import games  # only now: a board is shown without games, or the compiler
    from arena.engine.rng import seed_words
    from arena.engine.state import begin

    with contextlib.suppress(ConfigError, msgspec.MsgspecError):
        game = games.load(name)
        resolved = game.resolve_options(msgspec.json.decode(options, type=dict), seats)
        state = game.new_states()[0]
        begin(state, seats, game.options_vector(resolved), seed_words(0))
        says = game.rules.has_one_loser
        return bool(getattr(says, "py_func", says)(state))  # as plain Python: to look at a board compiles no rules
    return None


def seems_to_name_loser(winners: Whole, seats: Whole) -> Whole:
    """Whether a match looks as if it named one loser, or each of many: what is left where its game cannot be asked.

    `winners`: the number of seats on place 1.
    """
    found: Whole = (winners == seats - 1) & (seats > 2)
    return found
