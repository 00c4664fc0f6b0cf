"""Plays many tables of one game, bound to its game: from a learner's choice to the next choice of a learner at each table.

A learner is asked where it has at least two legal actions, as in a match; what has one is played at once. Episodes in which no
learner had a choice are passed over.
"""

import numpy as np

from arena.engine import jit
from arena.engine.contract import (
    Actions,
    Features,
    Numbers,
    State,
    States,
    action_features,
    current_seat,
    deal,
    encode,
    evaluate,
    is_round_over,
    is_terminal,
    legal_actions,
    next_round,
    observe,
    places,
    rollout_action,
    scores,
    step,
)
from arena.engine.machine import stack_array
from arena.engine.net import MOST_SEATS
from arena.engine.rng import Words, below, next_word, seed_fast
from arena.learning.compiled.layout import (
    AFTER_END,
    ALWAYS_OUTSIDE,
    BILLION,
    BY_ROUND,
    BY_SCORE,
    CHECK,
    CHOICES,
    CHOOSING,
    COLUMNS,
    COUNT,
    DEAL_SEED,
    EACH_ROUND,
    EMPTY,
    ENDED_DEAL,
    ENDED_ILLEGAL,
    ENDED_LENGTH,
    ENDED_OWN,
    EPISODE,
    FIRST_REWARD,
    FIRST_ROLE,
    FULL,
    HALF,
    LEARNER,
    LENGTH,
    LOGS,
    MOST_EMPTY,
    NEW,
    NEXT_STEP,
    NO_CHOICE,
    OVER,
    OWN,
    OWN_SEAT,
    POLICY,
    RAISES,
    RANDOM,
    RESUME,
    REWARD,
    RIVAL_RNG,
    RNG,
    ROTATES,
    SAME_STEP,
    SEAT,
    SEATS,
    SEVERAL,
    SNAPSHOT,
    STATUS,
    STEP,
    TABLES,
    WAITING,
    WHOLE,
    Books,
    Masks,
)


@jit.generic
def advance(
    settings: Words,
    options: Words,
    constants: Numbers,
    codes: Actions,
    states: States,
    seen: States,
    books: Books,
    numbers: Numbers,
    chosen: Actions,
    actions: Actions,
    mask: Masks,
    features: Features,
    rows: Features,
    ended: Masks,
    logs: Actions,
    task: int,
    first: int,
    last: int,
) -> int:
    """Do a task (STEP, RESUME, DEAL or CHECK) at the tables from `first` up to `last`, and go on to the next choice at each.

    `codes`: all action codes, or empty; `seen`: one state to work in; `chosen`: an index for each table; `features`: twice as
    many rows as tables, the second half for episodes that ended; `rows`: the actions' features, or empty; `logs`: twice as many
    rows as tables, or empty. Gives how many tables wait for somebody else; or, where an illegal choice is an error and nothing
    was played, -1 - the first table with one.
    """
    if task == CHECK or (task == STEP and settings[RAISES] == 1):
        for i in range(first, last):
            if books[i, STATUS] == CHOOSING and place_of_choice(codes, books, chosen, actions, mask, i) < 0:
                return -1 - i
    if task == CHECK:
        return 0
    waiting = 0
    for i in range(first, last):
        status = books[i, STATUS]
        goes_on = False
        if task == STEP:
            for seat in range(settings[SEATS] + 1):
                numbers[i, seat] = 0.0
            ended[i, 0] = False
            if status == CHOOSING:
                goes_on = _choose(settings, constants, codes, states, books, numbers, chosen, actions, mask, ended, logs, i)
                if not goes_on:
                    goes_on = _end(settings, options, constants, states, seen, books, mask, features, ended, i)
            elif status == OVER and settings[AFTER_END] == NEXT_STEP:
                _begin(settings, options, constants, states, books, i)
                goes_on = True
        elif task == RESUME:
            goes_on = status == FULL
            if status == WAITING:
                _play_for(settings, codes, states, books, chosen, actions, mask, logs, i)
                goes_on = True
        elif status == NEW:
            for seat in range(settings[SEATS] + 1):
                numbers[i, seat] = 0.0
            ended[i, 0] = False
            _deal(settings, options, states, books, i)
            goes_on = True
        while goes_on:
            goes_on = _go_on(
                settings, options, constants, codes, states, seen, books, numbers, actions, mask, features, rows, ended, logs, i
            )
        waiting += books[i, STATUS] == WAITING or books[i, STATUS] == FULL
    return waiting


@jit.generic
def _deal(settings: Words, options: Words, states: States, books: Books, i: int) -> None:
    """Deal the table's next episode. How an episode is played never shifts the cards of a later one."""
    book = books[i]
    for word in range(4):
        book[DEAL_SEED + word] = next_word(book[RNG : RNG + 4])
    for word in range(4):
        book[RIVAL_RNG + word] = next_word(book[RNG : RNG + 4])
    own = settings[OWN_SEAT]
    book[OWN] = own if own >= 0 else book[EPISODE] % settings[SEATS] if own == ROTATES else 0
    book[EPISODE] += 1
    book[CHOICES] = 0
    book[LENGTH] = 0
    seed_fast(book[RIVAL_RNG : RIVAL_RNG + 4], book[RIVAL_RNG : RIVAL_RNG + 4])
    deal(states[i], settings[SEATS], options, book[DEAL_SEED : DEAL_SEED + 4])
    if settings[BY_ROUND] == EACH_ROUND:
        for seat in range(settings[SEATS]):
            book[COLUMNS + settings[SEATS] + seat] = 0


@jit.generic
def _begin(settings: Words, options: Words, constants: Numbers, states: States, books: Books, i: int) -> None:
    """Begin the table's next episode: a new deal, or the next round of a match that goes on, with the same rivals."""
    s = states[i]
    if settings[BY_ROUND] != EACH_ROUND or not is_round_over(s) or is_terminal(s):
        _deal(settings, options, states, books, i)
        return
    book, seats = books[i], settings[SEATS]
    if book[CHOICES] > 0:  # else the next round also pays what this one changed
        values = stack_array(MOST_SEATS, np.float64)[:seats]
        evaluate(s, constants, values)
        for seat in range(seats):
            book[COLUMNS + seats + seat] = int(values[seat] * BILLION)
    book[CHOICES] = 0
    next_round(s)


@jit.generic
def _go_on(
    settings: Words,
    options: Words,
    constants: Numbers,
    codes: Actions,
    states: States,
    seen: States,
    books: Books,
    numbers: Numbers,
    actions: Actions,
    mask: Masks,
    features: Features,
    rows: Features,
    ended: Masks,
    logs: Actions,
    i: int,
) -> bool:
    """Play on to a choice of somebody outside or of a learner, or to the end of the episode.

    Gives whether there is more to play: where the next episode was dealt.
    """
    s = states[i]
    book = books[i]
    out = actions[i]
    rng = book[RIVAL_RNG : RIVAL_RNG + 4]
    seats = settings[SEATS]
    first_role = FIRST_ROLE + seats * book[OWN]
    while True:
        if is_round_over(s):
            if settings[BY_ROUND] != WHOLE or is_terminal(s):
                if book[CHOICES] > 0:
                    _reward(settings, constants, s, book, numbers[i])
                    ended[i, 0] = True
                    book[ENDED_ILLEGAL] = 0
                return _end(settings, options, constants, states, seen, books, mask, features, ended, i)
            next_round(s)
        if settings[LOGS] == 1 and book[LENGTH] == logs.shape[1]:
            book[STATUS] = FULL
            return False
        count = legal_actions(s, out)
        seat = current_seat(s)
        role = settings[first_role + seat]
        if count == 1 and role != ALWAYS_OUTSIDE:
            action = out[0]
        elif role == RANDOM:
            action = out[below(rng, count)]
        elif role == POLICY:
            action = rollout_action(s, out, count, constants, rng)
        else:
            book[SEAT] = seat
            book[COUNT] = count
            book[STATUS] = CHOOSING if role == LEARNER else WAITING
            if role in (LEARNER, SNAPSHOT):
                _show(codes, s, seen[0], seat, count, out, mask[i], features[i])
                if len(rows) > 0:
                    action_features(seen[0], seat, out, count, rows[i])
            return False
        _play(settings, s, book, action, logs, i)


@jit.generic
def _show(codes: Actions, s: State, seen: State, seat: int, count: int, out: Actions, mask: Masks, features: Features) -> None:
    """Write what a seat sees, and which actions it has. Both lists of codes ascend."""
    observe(s, seat, seen)
    encode(seen, seat, features)
    if len(codes) == 0:
        for place in range(len(mask)):
            mask[place] = place < count
        return
    found = 0
    for place in range(len(mask)):
        is_legal = found < count and out[found] == codes[place]
        mask[place] = is_legal
        found += is_legal


@jit.generic
def place_of_choice(codes: Actions, books: Books, chosen: Actions, actions: Actions, mask: Masks, i: int) -> int:
    """The place in the legal list that the table's choice means, or -1."""
    choice = chosen[i]
    count = books[i, COUNT]
    if len(codes) == 0:
        return choice if 0 <= choice < count else -1
    if not 0 <= choice < len(codes) or not mask[i, choice]:
        return -1
    place = 0
    while actions[i, place] != codes[choice]:
        place += 1
    return place


@jit.generic
def _choose(
    settings: Words,
    constants: Numbers,
    codes: Actions,
    states: States,
    books: Books,
    numbers: Numbers,
    chosen: Actions,
    actions: Actions,
    mask: Masks,
    ended: Masks,
    logs: Actions,
    i: int,
) -> bool:
    """Play a learner's choice. An illegal one ends the episode and loses it; gives whether it was legal."""
    book = books[i]
    book[CHOICES] += 1
    place = place_of_choice(codes, books, chosen, actions, mask, i)
    if place >= 0:
        _play(settings, states[i], book, actions[i, place], logs, i)
        return True
    _lose(settings, constants, states[i], book, numbers[i])
    ended[i, 0] = True
    book[ENDED_ILLEGAL] = 1
    return False


@jit.generic
def _play_for(
    settings: Words,
    codes: Actions,
    states: States,
    books: Books,
    chosen: Actions,
    actions: Actions,
    mask: Masks,
    logs: Actions,
    i: int,
) -> None:
    """Play what was chosen outside, which is legal: its place in the legal list, or for a snapshot as for a learner."""
    book = books[i]
    place = chosen[i]
    if settings[FIRST_ROLE + settings[SEATS] * book[OWN] + book[SEAT]] == SNAPSHOT:
        place = place_of_choice(codes, books, chosen, actions, mask, i)
    _play(settings, states[i], book, actions[i, place], logs, i)


@jit.generic
def _play(settings: Words, s: State, book: Words, action: int, logs: Actions, i: int) -> None:
    """Play an action and log it; there is room for one."""
    if settings[LOGS] == 1:
        logs[i + book[HALF] * settings[TABLES], book[LENGTH]] = action
        book[LENGTH] += 1
    step(s, action)


@jit.generic
def _end(
    settings: Words,
    options: Words,
    constants: Numbers,
    states: States,
    seen: States,
    books: Books,
    mask: Masks,
    features: Features,
    ended: Masks,
    i: int,
) -> bool:
    """End an episode, and begin the next one if it is time for that. Gives whether there is more to play."""
    book = books[i]
    if book[CHOICES] == 0:
        book[EMPTY] += 1
        if book[EMPTY] > MOST_EMPTY:
            raise RuntimeError(NO_CHOICE)
        _begin(settings, options, constants, states, books, i)
        return True
    book[EMPTY] = 0
    book[ENDED_OWN] = book[OWN]
    book[ENDED_LENGTH] = book[LENGTH]
    book[HALF] = 1 - book[HALF]
    for word in range(4):
        book[ENDED_DEAL + word] = book[DEAL_SEED + word]
    viewer = book[SEAT] if settings[OWN_SEAT] == SEVERAL else book[OWN]
    at = i + settings[TABLES] if settings[AFTER_END] == SAME_STEP else i
    observe(states[i], viewer, seen[0])
    encode(seen[0], viewer, features[at])
    if settings[AFTER_END] == SAME_STEP:
        _begin(settings, options, constants, states, books, i)
        return True
    book[STATUS] = OVER
    book[COUNT] = 0
    for place in range(mask.shape[1]):
        mask[i, place] = False
    return False


@jit.generic
def _reward(settings: Words, constants: Numbers, s: State, book: Words, numbers: Numbers) -> None:
    """Write the rewards, scores and places at the end of an episode.

    By places: the share of the seats of other units that a seat is ahead of, a tie counts half, from -1 to 1. Where only a
    round is played, or by score, what `evaluate` says that it brought takes the part of the places; where each round of a match
    is an episode, what it says then and did not say when the round before ended.
    """
    seats = settings[SEATS]
    places_at = book[COLUMNS : COLUMNS + seats]
    values = numbers[FIRST_REWARD : FIRST_REWARD + seats]
    evaluate(s, constants, values)
    if settings[BY_ROUND] == EACH_ROUND:
        for seat in range(seats):
            values[seat] -= book[COLUMNS + seats + seat] / BILLION
        _rank(values, places_at, seats)
    elif is_terminal(s):
        places(s, places_at)
    else:
        _rank(values, places_at, seats)
    scores(s, numbers[FIRST_REWARD + seats : FIRST_REWARD + 2 * seats])
    if settings[BY_SCORE] == 0:
        _reward_places(settings, places_at, values)
    numbers[REWARD] = values[book[SEAT] if settings[OWN_SEAT] == SEVERAL else book[OWN]]


@jit.generic
def _rank(values: Numbers, out: Words, seats: int) -> None:
    """Places by values, the highest first; equal ones share a place."""
    for seat in range(seats):
        out[seat] = 1
        for other in range(seats):
            out[seat] += values[other] > values[seat]


@jit.generic
def _reward_places(settings: Words, found: Words, out: Numbers) -> None:
    seats = settings[SEATS]
    units = FIRST_ROLE + seats * seats
    for seat in range(seats):
        ahead = 0
        rivals = 0
        for other in range(seats):
            if settings[units + other] != settings[units + seat]:
                rivals += 1
                ahead += int(found[seat] < found[other]) - int(found[seat] > found[other])
        out[seat] = ahead / rivals


@jit.generic
def _lose(settings: Words, constants: Numbers, s: State, book: Words, numbers: Numbers) -> None:
    """Rewards after an illegal choice: the unit that made it is last, all others share the first place.

    By score: what the position is worth to each seat; the unit gets one less than anybody.
    """
    seats = settings[SEATS]
    units = FIRST_ROLE + seats * seats
    own = settings[units + book[SEAT]]
    found = book[COLUMNS : COLUMNS + seats]
    values = numbers[FIRST_REWARD : FIRST_REWARD + seats]
    evaluate(s, constants, values)
    lowest = values[0]
    losers = 0
    for seat in range(seats):
        lowest = min(lowest, values[seat])
        losers += settings[units + seat] == own
    for seat in range(seats):
        is_loser = settings[units + seat] == own
        found[seat] = seats - losers + 1 if is_loser else 1
        if is_loser:
            values[seat] = lowest - 1.0
    scores(s, numbers[FIRST_REWARD + seats : FIRST_REWARD + 2 * seats])
    if settings[BY_SCORE] == 0:
        _reward_places(settings, found, values)
    numbers[REWARD] = values[book[SEAT]]
