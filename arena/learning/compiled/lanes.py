"""Many tables with a lane for each: what runs on graphics cards, and, by the same functions, on a processor.

All arrays have their first axis side by side, a table per column: lanes that run at the same time then write side by side. A
lane works in memory of its own.
"""

from collections.abc import Callable

import numpy as np

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Features,
    Numbers,
    State,
    States,
    deal,
    is_round_over,
    is_terminal,
    legal_actions,
    next_round,
    step,
)
from arena.engine.machine import add_together, array_at, columns_at, stack_array, stack_states
from arena.engine.rng import Words, below, seed_fast
from arena.learning.compiled.layout import COUNT, DEAL_SEED, OWN, SEAT, SEATS, STATUS, WAITING, Places
from arena.learning.compiled.play import advance, place_of_choice

# The arrays by their rows in `places`; those that `advance` gets are called as its parameters. `owners` [seats, seats]: for
# each learner's seat and each seat the place of its rival. `counters`: see below. `given` [tables]: what a rival chooses.
# `small` [2 * tables, features]: the features as float16 or as bytes; `lows`, `scales` [features]: of bytes.
LANE_ORDER = ("settings", "options", "constants", "codes", "books", "numbers", "chosen", "actions", "mask", "features", "rows",
              "ended", "logs", "owners", "counters", "given", "small", "lows", "scales")  # fmt: skip
# Places in `counters`: tables that wait for somebody outside; tables with a choice that is not legal.
WAITS, BAD, COUNTERS = range(3)


@jit.generic
def advance_lane(records: States, places: Places, task: int, lane: int) -> None:
    """Do `advance` (play.py) at one table; counts it if it then waits for somebody outside, or if its choice is illegal."""
    found = advance(
        array_at(int(places[0, 0]), (places[0, 1],), np.int64),
        array_at(int(places[1, 0]), (places[1, 1],), np.int64),
        array_at(int(places[2, 0]), (places[2, 1],), np.float64),
        array_at(int(places[3, 0]), (places[3, 1],), np.int64),
        records,
        stack_states(records),
        columns_at(int(places[4, 0]), (places[4, 1], places[4, 2]), np.int64),
        columns_at(int(places[5, 0]), (places[5, 1], places[5, 2]), np.float64),
        array_at(int(places[6, 0]), (places[6, 1],), np.int64),
        columns_at(int(places[7, 0]), (places[7, 1], places[7, 2]), np.int64),
        columns_at(int(places[8, 0]), (places[8, 1], places[8, 2]), np.bool_),
        columns_at(int(places[9, 0]), (places[9, 1], places[9, 2]), np.float32),
        columns_at(int(places[10, 0]), (places[10, 1], places[10, 2], places[10, 3]), np.float32),
        columns_at(int(places[11, 0]), (places[11, 1], places[11, 2]), np.bool_),
        columns_at(int(places[12, 0]), (places[12, 1], places[12, 2]), np.int64),
        task,
        lane,
        lane + 1,
    )
    if found != 0:
        add_together(array_at(int(places[14, 0]), (places[14, 1],), np.int64), WAITS if found > 0 else BAD, 1)


@jit.generic
def answer_lane(records: States, places: Places, rival: int, lane: int) -> None:
    """Take what a rival chooses at a table that waits for it; counts it if that is not legal. `rival`: its place."""
    books = columns_at(int(places[4, 0]), (places[4, 1], places[4, 2]), np.int64)
    owners = columns_at(int(places[13, 0]), (places[13, 1], places[13, 2]), np.int64)
    if books[lane, STATUS] != WAITING or owners[books[lane, OWN], books[lane, SEAT]] != rival:
        return
    chosen = array_at(int(places[6, 0]), (places[6, 1],), np.int64)
    chosen[lane] = array_at(int(places[15, 0]), (places[15, 1],), np.int64)[lane]
    place = place_of_choice(
        array_at(int(places[3, 0]), (places[3, 1],), np.int64),
        books,
        chosen,
        columns_at(int(places[7, 0]), (places[7, 1], places[7, 2]), np.int64),
        columns_at(int(places[8, 0]), (places[8, 1], places[8, 2]), np.bool_),
        lane,
    )
    if place < 0:
        add_together(array_at(int(places[14, 0]), (places[14, 1],), np.int64), BAD, 1)


@jit.generic
def halves_lane(records: States, places: Places, both: int, lane: int) -> None:
    """Write a table's features as float16. `both`: 1 where the last sight of the episode that ended is kept, too."""
    features = columns_at(int(places[9, 0]), (places[9, 1], places[9, 2]), np.float32)
    small = columns_at(int(places[16, 0]), (places[16, 1], places[16, 2]), np.float16)
    for row in range(lane, lane + both * len(records) + 1, len(records)):
        for place in range(features.shape[1]):
            small[row, place] = features[row, place]


@jit.generic
def bytes_lane(records: States, places: Places, both: int, lane: int) -> None:
    """Write a table's features as bytes, from 0 for the lowest number that a feature can be to 255 for the highest."""
    features = columns_at(int(places[9, 0]), (places[9, 1], places[9, 2]), np.float32)
    small = columns_at(int(places[16, 0]), (places[16, 1], places[16, 2]), np.uint8)
    lows = array_at(int(places[17, 0]), (places[17, 1],), np.float32)
    scales = array_at(int(places[18, 0]), (places[18, 1],), np.float32)
    for row in range(lane, lane + both * len(records) + 1, len(records)):
        for place in range(features.shape[1]):
            small[row, place] = int((features[row, place] - lows[place]) * scales[place] + np.float32(0.5))


@jit.generic
def choose_lane(records: States, places: Places, turn: int, lane: int) -> None:
    """Choose a legal action at random at a table; what is drawn depends on its cards and on `turn` alone."""
    books = columns_at(int(places[4, 0]), (places[4, 1], places[4, 2]), np.int64)
    mask = columns_at(int(places[8, 0]), (places[8, 1], places[8, 2]), np.bool_)
    chosen = array_at(int(places[6, 0]), (places[6, 1],), np.int64)
    if books[lane, COUNT] == 0:
        return
    rng = stack_array(4, np.int64)
    for word in range(4):
        rng[word] = books[lane, DEAL_SEED + word]
    rng[3] ^= turn
    seed_fast(rng, rng)
    left = below(rng, books[lane, COUNT])
    for place in range(mask.shape[1]):
        if mask[lane, place]:
            if left == 0:
                chosen[lane] = place
            left -= 1


@jit.generic
def random_lane(records: States, places: Places, decisions: int, lane: int) -> None:
    """Play so many uniformly random decisions at a table from a new deal on, dealing again where a match ends."""
    s = records[lane]
    settings = array_at(int(places[0, 0]), (places[0, 1],), np.int64)
    options = array_at(int(places[1, 0]), (places[1, 1],), np.int64)
    out = columns_at(int(places[7, 0]), (places[7, 1], places[7, 2]), np.int64)[lane]
    rng = stack_array(4, np.int64)
    seed = stack_array(4, np.int64)
    for word in range(4):
        seed[word] = 0
    seed[3] = lane
    seed_fast(rng, seed)
    deal(s, settings[SEATS], options, seed)
    for _ in range(decisions):
        if is_round_over(s):
            if is_terminal(s):
                seed[3] += len(records)
                deal(s, settings[SEATS], options, seed)
            else:
                next_round(s)
        count = legal_actions(s, out)
        step(s, out[below(rng, count)])


def advance_lanes(records: States, places: Places, task: int, lanes: int) -> None:
    """Run `advance_lane` at so many tables, one after the other: on a processor."""
    for lane in range(lanes):
        advance_lane(records, places, task, lane)


LANES: tuple[Callable[[States, Places, int, int], None], ...] = (
    advance_lane,
    answer_lane,
    halves_lane,
    bytes_lane,
    choose_lane,
    random_lane,
)
"""All that a card can be asked to do at a table."""


def first_action(_s: State, actions: Actions, _count: int, _constants: Numbers, _rng: Words) -> int:
    """Stands for `rollout_action` in kernels of tables where nobody plays by it."""
    return int(actions[0])


def no_rows(_s: State, _seat: int, _actions: Actions, _count: int, _out: Features) -> None:
    """Stands for `action_features` in kernels of tables that keep none."""
