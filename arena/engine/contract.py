"""The contract of a game: the functions that its rules.py defines over its state, as generic code calls them.

A game's rules are compiled functions over one numpy record (`STATE`), the same for all options and seat counts, which the game
declares by a class (state.py beside this file). Generic code
calls the functions below as `legal_actions(s, out)`; numba replaces each by the function of that name in the game of the
state's type. Nine more are for searches (arena/search) and stand in the game's rollout.py: not rules, but estimates of
what good play is. Beside them rollout.py has their tunable numbers, CONSTANTS, and the game's DEFAULTS of a search. What a game
leaves out of these, or a rollout.py altogether, is taken from defaults.py.

For learning programs a game has encoding.py: `encode` and `action_features` write what a seat knows, and its legal actions, as
numbers; PLANES, ACTION_PLANES and CODES say what they mean (encoding.py beside this file). A game without one gets
that of defaults.py.

For searches that have learnt (docs/training.md) a game has state_features.py, which writes a position with all cards of
an imagined world open, and one seat's knowledge beside what it imagines, as numbers; `arena train` fits small networks to them.
What a seat knows of its own actions is in encoding.py already. Without it a game searches by its rollout.py.

A game may say in chance.py what chance decides in it: `redraw`, `alternatives`, `arrange` and `value`, from which the luck of
each match is worked out (chance.py beside this file). Without them nothing is known of the luck of its matches.

A game may name in HISTORY the fields of its record that only tell how a position came about, as the last turns of Yaniv do: no
rule and no rollout policy goes by them, and a search draws the same random numbers for a position whatever came before.

A game in which thinking can take time (Nertz with measured latency) also offers, in plain Python, `ms_per_tick(resolved)` and
`delayed(action, ticks)`: see `Game.ms_per_tick`. The referee then hands `step` each choice with its ticks.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from arena.engine import jit
from arena.engine.rng import Words

State: TypeAlias = Any
"""One record of a game's STATE: fields read like attributes. Inside games it is typed by the class that declares it."""
States: TypeAlias = NDArray[np.void]
"""A writable array of one record: how states are held in Python, and how they cross into compiled code fast."""
Actions: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[np.float64]
Features: TypeAlias = NDArray[np.float32]
GAMES: dict[Any, Any] = {}
"""The games' rules modules, by the type of their records; filled by arena.games.load."""
ROLLOUTS: dict[Any, Any] = {}
"""The functions and defaults of the games' rollout.py, by the type of their records; filled by arena.games.load."""


class OnDemand(dict[Any, Any]):
    """The games' modules of one kind by the type of their records, each imported by its loader when it is first asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.loaders: dict[Any, Callable[[], Any]] = {}

    def __missing__(self, record: Any) -> Any:
        found = self[record] = self.loaders[record]()
        return found


ENCODINGS = OnDemand()
"""The functions of the games' encoding.py, by the type of their records; arena.games.load knows where they are."""
STATE_FEATURES: dict[Any, Any] = {}
"""The functions of the games' state_features.py, by the type of their records; filled by arena.games.load."""
CHANCES: dict[Any, Any] = {}
"""The functions of the games' chance.py, by the type of their records; filled by arena.games.chances."""
SAMPLED = -1
"""What `alternatives` returns where chance can decide in too many ways to list: a sample is drawn by `redraw`."""


def _rules(s: State) -> Any:
    return GAMES[s.dtype]


def deal(s: State, seats: int, options: Words, seed: Words) -> None:
    """Overwrite all of `s` with the first deal of a match. `options`: the vector of `Game.options_vector`; `seed`: 4 words."""
    _rules(s).deal(s, seats, options, seed)


def legal_actions(s: State, out: Actions) -> int:
    """Write the legal action codes in ascending order, return how many: at least 1 until the round is over."""
    return cast(int, _rules(s).legal_actions(s, out))


def step(s: State, action: int) -> None:
    """Play a legal action in place (legality is the caller's business). Halts where a round is over."""
    _rules(s).step(s, action)


def next_round(s: State) -> None:
    """Deal the next round; only where `is_round_over` and not `is_terminal`."""
    _rules(s).next_round(s)


def current_seat(s: State) -> int:
    """The seat that is to choose."""
    return cast(int, _rules(s).current_seat(s))


def num_seats(s: State) -> int:
    """How many seats play."""
    return cast(int, _rules(s).num_seats(s))


def is_simultaneous(s: State) -> bool:
    """Whether the current seat and the later seats choose together: no choice is shown before all are in."""
    return cast(bool, _rules(s).is_simultaneous(s))


def is_round_over(s: State) -> bool:
    """Whether the round is over; `next_round` or the end of the match follows."""
    return cast(bool, _rules(s).is_round_over(s))


def is_terminal(s: State) -> bool:
    """Whether the match is over (then the round is over too)."""
    return cast(bool, _rules(s).is_terminal(s))


def scores(s: State, out: Numbers) -> None:
    """Write each seat's score so far, as RULES.md counts it."""
    _rules(s).scores(s, out)


def places(s: State, out: Actions) -> None:
    """Write each seat's place at the end: 1 = best, ties share the better number (1, 2, 2, 4)."""
    _rules(s).places(s, out)


def has_one_loser(s: State) -> bool:
    """Whether the match names one loser and all others win (then only forfeiting seats lose, if there are any)."""
    return cast(bool, _rules(s).has_one_loser(s))


def observe(s: State, seat: int, out: State) -> None:
    """Write what `seat` knows: the state with all that it cannot know set to zero, unused array tails included."""
    _rules(s).observe(s, seat, out)


def determinize(s: State, seat: int, rng: Words) -> None:
    """Resample, in place, all that `seat` cannot know, the deal seed included, consistent with all that it has seen.

    Uses nothing but what `observe` shows: a seen state and the true one give the same result. `rng`: sfc32 words.
    """
    _rules(s).determinize(s, seat, rng)


def seen_action(s: State, action: int, viewer: int) -> int:
    """What `viewer` learns when `action` is played in `s`, as a code; 0 = nothing. Equal for all that looks equal."""
    return cast(int, _rules(s).seen_action(s, action, viewer))


def _rollout(s: State) -> Any:
    return ROLLOUTS[s.dtype]


class Constant(NamedTuple):
    """One number of a game's rollout.py that can be tuned; in compiled code `constants[i]`, i its place in CONSTANTS."""

    name: str
    default: float
    low: float
    high: float
    meaning: str


class Defaults(NamedTuple):
    """What a search uses where `arena.search.Settings` are not given, with the rollout policy: `DEFAULTS` in rollout.py."""

    selection: str
    """How simultaneous choices are selected: `ucb` or `regret`."""
    evaluate: int
    """Decisions after which a rollout is cut and the position evaluated; 0: only at the end of the round."""
    prior: float
    """How many simulated visits the prior counts as."""
    exploration: float
    """Width of the confidence bounds, in standard deviations of the rewards."""
    expansion: int
    """Visits of an action after which the decision that follows it joins the tree."""
    habit: float = 0.0
    """Share of the opponents' choices in the tree that the rollout policy makes."""


def evaluate(s: State, constants: Numbers, out: Numbers) -> None:
    """Write what the position is worth to each seat, higher is better, on one scale for a game.

    Once the round is over this is what the round brought (and the match, if that is over too); before that, an estimate.
    """
    _rollout(s).evaluate(s, constants, out)


def rollout_action(s: State, actions: Actions, count: int, constants: Numbers, rng: Words) -> int:
    """The rollout policy: a fast, sensible choice among the first `count` of `actions`, the legal list.

    Uses only what the seat to choose knows.
    """
    return cast(int, _rollout(s).rollout_action(s, actions, count, constants, rng))


def prior(s: State, actions: Actions, count: int, constants: Numbers, out: Numbers) -> None:
    """Write what each of the first `count` of `actions`, the legal list, seems to be worth before any simulation.

    In the units of `evaluate`; only differences count. Uses only what the seat to choose knows.
    """
    _rollout(s).prior(s, actions, count, constants, out)


def believe(s: State, seat: int, constants: Numbers, rng: Words) -> None:
    """Redraw parts of the world that `determinize` drew for `seat`: worlds that explain the others' actions become likelier.

    Like `determinize`, it uses nothing that the seat cannot know. A game without such a model leaves the world as it is.
    """
    _rollout(s).believe(s, seat, constants, rng)


def count_worlds(s: State, seat: int) -> int:
    """How many worlds there are for `seat`, as `nth_world` numbers them; 0 where the game does not list them.

    What the order of a stock may be is not counted. Like `determinize`, it uses nothing that the seat cannot know.
    """
    return cast(int, _rollout(s).count_worlds(s, seat))


def nth_world(s: State, seat: int, number: int, constants: Numbers, rng: Words) -> float:
    """Write, in place, one of the worlds of `count_worlds`, from 0 on; what is not counted is drawn.

    Gives how often `believe` has this one, next to the others; without such a model 1.
    """
    return cast(float, _rollout(s).nth_world(s, seat, number, constants, rng))


def choice_code(s: State, action: int) -> int:
    """A code for one of several simultaneous choices, by what the chooser knows: equal codes for equal cards of its own."""
    return cast(int, _rollout(s).choice_code(s, action))


def private_code(s: State, seat: int) -> int:
    """A code for what the seat to choose has learnt, but from no seen action, such as the cards that it drew; 0 = nothing."""
    return cast(int, _rollout(s).private_code(s, seat))


def reopen(s: State) -> None:
    """Take back the choices already made in a simultaneous decision, so that its first seat is to choose again."""
    _rollout(s).reopen(s)


def _encoding(s: State) -> Any:
    return ENCODINGS[s.dtype]


def encode(s: State, seat: int, out: Features) -> None:
    """Write what `seat` knows as numbers, seats counted from it. `s`: the state as `observe` shows it to `seat`.

    `out`: as long as the game's PLANES together; every place is written.
    """
    _encoding(s).encode(s, seat, out)


def action_features(s: State, seat: int, actions: Actions, count: int, out: Features) -> None:
    """Write a row of numbers for each of the first `count` of `actions`, the legal list of `seat`.

    `s`: as in `encode`; `out`: (at least `count`, as wide as the game's ACTION_PLANES together).
    """
    _encoding(s).action_features(s, seat, actions, count, out)


def _sketched(s: State) -> Any:
    return STATE_FEATURES[s.dtype]


def state_features(s: State, seat: int, out: Features) -> None:
    """Write a position as numbers, from one seat's side, with every hand open: a world that a search imagines.

    `out`: at least as long as the game's STATE_FEATURES; so many are written. Uses no order of cards that nobody could know.
    """
    _sketched(s).state_features(s, seat, out)


def belief_features(s: State, seat: int, out: Features) -> None:
    """Write what `seat` knows beside what it imagines of hidden cards, so that likely worlds stand out from unlikely ones.

    `s`: a world that fits what the seat knows; `out`: at least as long as the game's BELIEF_FEATURES; so many are written.
    """
    _sketched(s).belief_features(s, seat, out)


def _chance(s: State) -> Any:
    return CHANCES[s.dtype]


def redraw(s: State, rng: Words) -> None:
    """Redraw, in place, all that chance has decided and that no seat has seen yet, the deal seed included.

    What comes out is as likely as what the engine dealt, given all that any seat has seen and done. `rng`: sfc32 words.
    """
    _chance(s).redraw(s, rng)


def alternatives(s: State, action: int) -> int:
    """How many ways chance can decide what a legal action leads to: 0 where nothing unseen counts, SAMPLED where too many.

    What `next_round` and `deal` lead to is always drawn by `redraw`, and from new seeds.
    """
    return cast(int, _chance(s).alternatives(s, action))


def arrange(s: State, action: int, alternative: int) -> float:
    """Rearrange, in place, what no seat has seen so that `action` leads to an alternative, from 0 on; gives its probability.

    All alternatives together have probability 1; one of probability 0 may leave `s` as it is. Of many a sample is taken, at
    even distances: like ones stand best beside each other.
    """
    return cast(float, _chance(s).arrange(s, action, alternative))


def value(s: State, constants: Numbers, out: Numbers) -> None:
    """Write what the match is worth to each seat: about the share of its rivals that will finish behind it; a tie counts half.

    Taken as 0 or 1 where it lies beyond. Any fixed function does for corrections of mean zero; the better it foretells the
    places, the more luck they take out. `constants`: the defaults of the game's CONSTANTS. Looks at nothing that no seat has
    seen.
    """
    _chance(s).value(s, constants, out)


RULES = {
    "deal": "s, seats, options, seed",
    "legal_actions": "s, out",
    "step": "s, action",
    "next_round": "s",
    "current_seat": "s",
    "num_seats": "s",
    "is_simultaneous": "s",
    "is_round_over": "s",
    "is_terminal": "s",
    "scores": "s, out",
    "places": "s, out",
    "has_one_loser": "s",
    "observe": "s, seat, out",
    "determinize": "s, seat, rng",
    "seen_action": "s, action, viewer",
}
"""The functions of a game's rules.py that generic code calls, with their parameters."""
ROLLOUT = {
    "evaluate": "s, constants, out",
    "rollout_action": "s, actions, count, constants, rng",
    "prior": "s, actions, count, constants, out",
    "believe": "s, seat, constants, rng",
    "count_worlds": "s, seat",
    "nth_world": "s, seat, number, constants, rng",
    "choice_code": "s, action",
    "private_code": "s, seat",
    "reopen": "s",
}
"""The functions of a game's rollout.py, with their parameters."""
ENCODING = {
    "encode": "s, seat, out",
    "action_features": "s, seat, actions, count, out",
}
"""The functions of a game's encoding.py, with their parameters."""
FEATURE_FUNCTIONS = {
    "state_features": "s, seat, out",
    "belief_features": "s, seat, out",
}
"""The functions of a game's state_features.py, with their parameters."""
CHANCE = {
    "redraw": "s, rng",
    "alternatives": "s, action",
    "arrange": "s, action, alternative",
    "value": "s, constants, out",
}
"""The functions of a game's chance.py, with their parameters."""

_TABLES = (
    (GAMES, RULES), (ROLLOUTS, ROLLOUT), (ENCODINGS, ENCODING), (STATE_FEATURES, FEATURE_FUNCTIONS), (CHANCES, CHANCE),
)  # fmt: skip
for _games, _functions in _TABLES:
    for _name in _functions:
        jit.stub(globals()[_name], _games)
