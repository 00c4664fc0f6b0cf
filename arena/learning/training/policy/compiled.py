"""What a policy and its judge compute, and the derivatives of what they are to learn, compiled: decisions of any game.

Of what a seat knows, and of what is known of an action, most numbers are 0. So decisions are kept as lists of the other ones,
in which `known` and `action` are the numbers' places: all sums go over these alone, in play and in learning, which takes a
quarter of the time of products of whole matrices.

A policy and its judge share nothing but that list. `known`, `bias` and `out` hold both side by side: the first columns, as many
as `action` has, are of the policy, the others of the judge. The logit of an action is the weighted sum of what the policy's
hidden units say to what the seat knows and to that action; the judge says what the seat may expect of the episode.
"""

import math
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from arena.engine.contract import Actions, Features, Numbers
from arena.engine.jit import jit, reordering
from arena.learning.arrays import Indices

Columns: TypeAlias = NDArray[np.uint16]
"""Places of inputs."""

FIRST, SECOND, SMALL = 0.9, 0.999, 1e-5  # of Adam
GREEDY = -1.0  # instead of a chance: the likeliest action
LOSS, ENTROPY, CLIPPED, ERROR, DISTANCE, COLUMNS = range(6)  # sums over decisions, for people to see how learning goes


@jit
def decide(
    known: Features,
    action: Features,
    bias: Features,
    out: Features,
    end: Features,
    features: Features,
    rows: Features,
    counts: Indices,
    legal: Actions,
    codes: Actions,
    chances: Numbers,
    numbers: Features,
    columns: Columns,
    ends: Indices,
    bounds: Indices,
    used: Indices,
    places: Indices,
    indices: Indices,
    likely: Features,
    worth: Features,
) -> None:
    """Choose at all tables, and write each decision behind those that are there.

    `features`, `rows`, `counts`, `legal`, `codes`: what tables show; `chances`: from 0 to 1, which action is drawn. Written:
    all that is not 0 to `numbers`, and its places to `columns`; to `ends`, where what the seat knows ends in them, and each of
    its actions; to `bounds`, where the decision ends in `ends`; `used`: how many numbers, ends and decisions there are. For
    each table: the `places` of what is chosen in the legal list, its `indices` as `Tables.step` takes them, the logarithm of
    how `likely` it was, and what the judge says the decision is `worth` to the seat.
    """
    begun = np.empty(known.shape[1], np.float32)
    hidden = np.empty((rows.shape[1], action.shape[1]), np.float32)
    logits = np.empty(rows.shape[1], np.float32)
    for i in range(len(counts)):
        count = counts[i]
        first = used[1]
        _write(features[i], numbers, columns, ends, used)
        for k in range(count):
            _write(rows[i, k], numbers, columns, ends, used)
        bounds[used[2]] = used[1]
        used[2] += 1
        worth[i] = _ask(known, action, bias, out, end, numbers, columns, ends, first, count, begun, hidden, logits)
        total = _soften(logits, count)
        place = _drawn(logits, count, chances[i] * total)
        places[i] = place
        likely[i] = math.log(max(logits[place] / total, 1e-30))
        indices[i] = _index(legal[i, place], codes) if len(codes) else place


@jit
def choose(
    known: Features,
    action: Features,
    bias: Features,
    out: Features,
    end: Features,
    features: Features,
    rows: Features,
    counts: Indices,
    legal: Actions,
    codes: Actions,
    chances: Numbers,
    indices: Indices,
    worth: Features,
) -> None:
    """Choose at all tables as `decide` does, without keeping anything. Of a chance GREEDY the likeliest action is chosen."""
    most = rows.shape[1]
    begun = np.empty(known.shape[1], np.float32)
    hidden = np.empty((most, action.shape[1]), np.float32)
    logits = np.empty(most, np.float32)
    size = features.shape[1] + most * rows.shape[2]
    numbers, columns = np.empty(size, np.float32), np.empty(size, np.uint16)
    ends, used = np.zeros(most + 2, np.int64), np.zeros(2, np.int64)
    for i in range(len(counts)):
        count = counts[i]
        used[0], used[1] = 0, 1
        _write(features[i], numbers, columns, ends, used)
        for k in range(count):
            _write(rows[i, k], numbers, columns, ends, used)
        worth[i] = _ask(known, action, bias, out, end, numbers, columns, ends, 1, count, begun, hidden, logits)
        place = 0
        if chances[i] == GREEDY:
            for k in range(1, count):
                if logits[k] > logits[place]:
                    place = k
        else:
            total = _soften(logits, count)
            place = _drawn(logits, count, chances[i] * total)
        indices[i] = _index(legal[i, place], codes) if len(codes) else place


@jit
def advantages(
    worth: Features,
    seats: Indices,
    rewards: Numbers,
    ended: Actions,
    last_worth: Features,
    last_seat: Indices,
    trace: float,
    gains: Features,
    is_known: Actions,
) -> None:
    """Write how much more each decision brought to its seat than the judge had said: generalised advantages, seat by seat.

    `worth`, `seats`, `ended`: [steps, tables]; `rewards`: [steps, tables, seats], of the episodes that ended; `last_worth`,
    `last_seat`: of the decisions after the last step. What a seat gets, and what it may expect at its own next decision, counts
    for its decision before, whoever chose in between, or with it. Written: `gains`, with the share `trace` of what later
    decisions brought (J. Schulman et al., "High-dimensional continuous control using generalized advantage estimation", 2016);
    `is_known`: False where nothing is known of what came of the decision.
    """
    players = rewards.shape[2]
    expected, later, paid = np.zeros(players), np.zeros(players), np.zeros(players)
    is_open = np.zeros(players, np.bool_)
    for table in range(worth.shape[1]):
        for seat in range(players):
            expected[seat] = later[seat] = paid[seat] = 0.0
            is_open[seat] = seat != last_seat[table]
        expected[last_seat[table]] = last_worth[table]
        for step in range(len(worth) - 1, -1, -1):
            if ended[step, table]:
                for seat in range(players):
                    expected[seat] = later[seat] = 0.0
                    paid[seat] = rewards[step, table, seat]
                    is_open[seat] = False
            seat = seats[step, table]
            gain = paid[seat] + expected[seat] - worth[step, table] + trace * later[seat]
            is_known[step, table] = not is_open[seat]
            gains[step, table] = 0.0 if is_open[seat] else gain
            later[seat] = 0.0 if is_open[seat] else gain
            expected[seat] = worth[step, table]
            paid[seat] = 0.0
            is_open[seat] = False


@jit
def slopes(
    known: Features,
    action: Features,
    bias: Features,
    out: Features,
    end: Features,
    numbers: Features,
    columns: Columns,
    ends: Indices,
    bounds: Indices,
    which: Indices,
    places: Indices,
    likely: Features,
    gains: Features,
    wanted: Features,
    clip: float,
    entropy: float,
    of_known: Features,
    of_action: Features,
    of_bias: Features,
    of_out: Features,
    of_end: Features,
    told: Numbers,
) -> None:
    """Add up the derivatives over the decisions `which`, and what is `told` of them (LOSS, ...).

    `places`, `likely`: of what was chosen; `gains`: how much better than expected that was; `wanted`: what the judge is to say.
    The policy's loss is that of proximal policy optimisation (J. Schulman et al., 2017), less `entropy` times its entropy; the
    judge's is half the squared error.
    """
    width, most = action.shape[1], 0
    for i in which:
        most = max(most, bounds[i] - (bounds[i - 1] if i else 0))
    begun, back = np.empty(known.shape[1], np.float32), np.empty(known.shape[1], np.float32)
    hidden = np.empty((most, width), np.float32)
    logits, pulls = np.empty(most, np.float32), np.empty(most, np.float32)
    for i in which:
        first = bounds[i - 1] if i else 0
        count = bounds[i] - first - 1
        said = _ask(known, action, bias, out, end, numbers, columns, ends, first, count, begun, hidden, logits)
        _pull(logits, count, places[i], likely[i], gains[i], clip, entropy, pulls, told)
        error = said - wanted[i]
        told[ERROR] += error * error
        of_end[0] += error
        _turn_back(
            action.shape[1], out, numbers, columns, ends, first, count, begun, hidden, pulls, np.float32(error), back,
            of_known, of_action, of_bias, of_out,
        )  # fmt: skip


@jit
def improve(weights: Features, slopes: Features, means: Features, squares: Features, step: int, rate: float) -> None:
    """Take a step of Adam (D. Kingma, J. Ba, 2015) down the slopes. `step`: from 1."""
    first, second = np.float32(1.0 / (1.0 - FIRST**step)), np.float32(1.0 / (1.0 - SECOND**step))
    _improve(weights, slopes, means, squares, first, second, np.float32(rate))


@reordering
def _improve(
    weights: Features, slopes: Features, means: Features, squares: Features, first: Any, second: Any, rate: Any
) -> None:
    for i in range(len(weights)):
        slope = slopes[i]
        means[i] += np.float32(1.0 - FIRST) * (slope - means[i])
        squares[i] += np.float32(1.0 - SECOND) * (slope * slope - squares[i])
        weights[i] -= rate * first * means[i] / (np.sqrt(second * squares[i]) + np.float32(SMALL))


@reordering
def _write(inputs: Features, numbers: Features, columns: Columns, ends: Indices, used: Indices) -> None:
    """Write all inputs that are not 0 behind the others."""
    at = used[0]
    for i in range(len(inputs)):
        if inputs[i] != 0.0:
            numbers[at] = inputs[i]
            columns[at] = i
            at += 1
    used[0] = at
    ends[used[1]] = at
    used[1] += 1


@reordering
def _ask(
    known: Features,
    action: Features,
    bias: Features,
    out: Features,
    end: Features,
    numbers: Features,
    columns: Columns,
    ends: Indices,
    first: int,
    count: int,
    begun: Features,
    hidden: Features,
    logits: Features,
) -> float:
    """Write the logits of all actions of a decision; gives what the judge says. `first`: of its `ends`.

    `begun`: what the hidden units get of what the seat knows; `hidden`: what the policy's get in all for each action.
    """
    width = action.shape[1]
    for j in range(len(begun)):
        begun[j] = bias[j]
    for n in range(ends[first - 1] if first else 0, ends[first]):
        x = numbers[n]
        row = known[columns[n]]
        for j in range(len(begun)):
            begun[j] += x * row[j]
    for k in range(count):
        own = hidden[k]
        for j in range(width):
            own[j] = begun[j]
        for n in range(ends[first + k], ends[first + k + 1]):
            x = numbers[n]
            row = action[columns[n]]
            for j in range(width):
                own[j] += x * row[j]
        logit = np.float32(0.0)
        for j in range(width):
            logit += max(np.float32(0.0), own[j]) * out[j]
        logits[k] = logit
    said = np.float32(0.0)
    for j in range(width, len(begun)):
        said += max(np.float32(0.0), begun[j]) * out[j]
    return float(said + end[0])


@reordering
def _turn_back(
    width: int,
    out: Features,
    numbers: Features,
    columns: Columns,
    ends: Indices,
    first: int,
    count: int,
    begun: Features,
    hidden: Features,
    pulls: Features,
    error: Any,
    back: Features,
    of_known: Features,
    of_action: Features,
    of_bias: Features,
    of_out: Features,
) -> None:
    """Add the derivatives of a decision's loss by all weights. `pulls`, `error`: those by its logits, and by what is judged."""
    for j in range(len(back)):
        back[j] = 0.0
    for k in range(count):
        pull, own = pulls[k], hidden[k]
        for j in range(width):
            of_out[j] += pull * max(np.float32(0.0), own[j])
            own[j] = pull * out[j] if own[j] > 0.0 else np.float32(0.0)
            back[j] += own[j]
        for n in range(ends[first + k], ends[first + k + 1]):
            x = numbers[n]
            row = of_action[columns[n]]
            for j in range(width):
                row[j] += x * own[j]
    for j in range(width, len(back)):
        of_out[j] += error * max(np.float32(0.0), begun[j])
        back[j] = error * out[j] if begun[j] > 0.0 else np.float32(0.0)
    for j in range(len(back)):
        of_bias[j] += back[j]
    for n in range(ends[first - 1] if first else 0, ends[first]):
        x = numbers[n]
        row = of_known[columns[n]]
        for j in range(len(back)):
            row[j] += x * back[j]


@reordering
def _pull(
    logits: Features,
    count: int,
    place: int,
    likely: float,
    gain: float,
    clip: float,
    entropy: float,
    pulls: Features,
    told: Numbers,
) -> None:
    """Write the derivatives of a decision's loss by its logits."""
    highest = logits[0]
    for k in range(count):
        highest = max(highest, logits[k])
    total = 0.0
    for k in range(count):
        total += math.exp(logits[k] - highest)
    level = highest + math.log(total)
    spread = 0.0
    for k in range(count):
        share = math.exp(logits[k] - level)
        spread -= share * (logits[k] - level)
    change = min(20.0, max(-20.0, logits[place] - level - likely))
    ratio = math.exp(change)
    is_clipped = ratio > 1.0 + clip if gain > 0.0 else ratio < 1.0 - clip
    pull = 0.0 if is_clipped else -gain * ratio
    for k in range(count):
        share = math.exp(logits[k] - level)
        pulls[k] = entropy * share * (logits[k] - level + spread) - pull * share
    pulls[place] += pull
    told[LOSS] -= min(ratio * gain, min(1.0 + clip, max(1.0 - clip, ratio)) * gain)
    told[ENTROPY] += spread
    told[CLIPPED] += is_clipped
    told[DISTANCE] += ratio - 1.0 - change


@reordering
def _soften(logits: Features, count: int) -> float:
    """Turn logits into shares of what is returned."""
    highest = logits[0]
    for k in range(count):
        highest = max(highest, logits[k])
    total = 0.0
    for k in range(count):
        logits[k] = math.exp(logits[k] - highest)
        total += logits[k]
    return total


@reordering
def _drawn(shares: Features, count: int, left: float) -> int:
    """The place where the shares reach what is left."""
    for k in range(count - 1):
        left -= shares[k]
        if left < 0.0:
            return k
    return count - 1


@reordering
def _index(code: int, codes: Actions) -> int:
    """The place of a code among all codes, which ascend."""
    low, high = 0, len(codes) - 1
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low
