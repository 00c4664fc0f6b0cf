"""TrueSkill over all matches at once: the factor graph of every match, run to convergence. No order matters.

Every match sends each of its bots a message; a bot's belief is its prior times all its messages (expectation propagation,
Minka 2001; the graph of Dangauthier et al., "TrueSkill Through Time" (2007), without time). The fixed point is the same for
any order of the rows, and so is the way there: within a sweep all matches speak on the same beliefs. So matches of one pattern
(patterns.py) say the same in every sweep, and are worked out once.

Plain sweeps would need hundreds of rounds, because only the prior says where the mean of the field is. So the means are moved
by Newton's step instead, with the slopes of all matches' scores; some ten sweeps are then enough. The step goes
by the scores, which are the messages' pulls once all agree, and whose sum is 0 before that, too: so the field as a whole stays.
Where far less was known before than the few matches tell, that step can miss for ever. What has not settled goes on in plain
sweeps, with the field held where it stands: some hundreds, of few matches.

The results say how far bots are apart, and nothing of where they all stand. So the whole field is moved: until its mean is
where the prior has it, or until the anchor of the settings is at its value.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.ratings.comparisons import (
    SMALLEST_DIFFERENCE,
    TEAM,
    WEIGHT,
    believe,
    converge,
    curvature,
    form,
    new_workspace,
    score,
)
from arena.ratings.draws import Ties
from arena.ratings.factor_graph import MAX_SEATS, Bots, Flags, Reals, Small, Starts, Workspace
from arena.ratings.models import is_order_free
from arena.ratings.patterns import Patterns, patterns_of, sorted_bots, sorted_numbers
from arena.ratings.rows import Beliefs, Bot, PoolRows
from arena.ratings.settings import RatingSettings

NEWTON_SWEEPS = 400
MAX_SWEEPS = 4000
UNDAMPED, DAMPING = 8, 0.5  # sweeps from which on messages go half the way only: after few matches they would go to and fro
SLOWER, FASTER = 0.5, 1.1  # what that becomes from sweep to sweep: less while beliefs go to and fro all the same, as where a
# bot always wins and little was known before
LONGEST_STEP = 2.0  # standard deviations of a performance: far from the solution slopes say little
FINER = 1e-5  # than the last sweep has moved, matches are worked out: none is better known than those whom it hears
SMALLEST_CHANGE = 1e-9  # of a mean or a standard deviation from sweep to sweep, in standard deviations of a performance

SHOWN_CHANGE = 1e-6  # the same for a history: finer than any drawing


def rate(rows: PoolRows, settings: RatingSettings) -> Beliefs:
    """Beliefs about all bots of a pool after all its matches."""
    patterns = patterns_of(rows)
    state = State.new(patterns, settings)
    solve(patterns, patterns.counts, state, settings)
    found = state.beliefs(patterns.bots_by_number, settings)
    numbers = sorted_numbers(sorted_bots(rows))
    return Beliefs(found.mu[numbers], found.sigma[numbers], found.margin)


def along(rows: PoolRows, settings: RatingSettings, ends: Iterable[int]) -> Iterator[Beliefs]:
    """The beliefs after each number of matches of `ends`; each goes on from what the one before it found."""
    patterns = patterns_of(rows)
    state = State.new(patterns, settings)
    order = np.array([patterns.bots_by_number.index(bot) for bot in rows.bots_by_number], np.int64)
    for end in ends:
        solve(patterns, patterns.counts_of(end), state, settings, smallest_change=SHOWN_CHANGE)
        found = state.beliefs(patterns.bots_by_number, settings)
        yield Beliefs(found.mu[order], found.sigma[order], found.margin)


def anchor_of(bots: tuple[Bot, ...], settings: RatingSettings) -> int | None:
    """The number of the bot that the settings fix, its first version; None: the mean of the field is fixed."""
    if settings.anchor is None:
        return None
    versions = [(version, number) for number, (name, version) in enumerate(bots) if name == settings.anchor.bot]
    return min(versions)[1] if versions else None


@dataclass
class State:
    """What the matches have told so far: from where sweeps go on, also with other counts and more patterns."""

    mu: NDArray[np.float64]
    """[bots]"""
    said_precision: NDArray[np.float64]
    """[seats]: the precision of the message of a match of each pattern to the bot of the seat."""
    said_pull: NDArray[np.float64]
    """[seats]: that precision times how far the message's mean is from mu."""
    precision: NDArray[np.float64]
    """[bots]: of the beliefs."""
    margin: float
    """The draw margin."""

    @classmethod
    def new(cls, patterns: Patterns, settings: RatingSettings) -> "State":
        """Return what is believed before the first match."""
        count, seats = len(patterns.bots_by_number), len(patterns.bots)
        mu, precision = np.full(count, settings.mu), np.full(count, settings.sigma**-2)
        return cls(mu, np.zeros(seats), np.zeros(seats), precision, settings.margin)

    def beliefs(self, bots: tuple[Bot, ...], settings: RatingSettings) -> Beliefs:
        """The beliefs about the bots, the field moved to where the settings anchor it."""
        mu = self.mu.copy()
        number = anchor_of(bots, settings)
        if number is not None and settings.anchor is not None:
            mu += settings.anchor.mu - mu[number]
        elif is_order_free(settings.headline_model) and len(mu):
            mu += settings.mu - mu.mean()
        return Beliefs(mu, self.precision**-0.5, self.margin)


def solve(
    patterns: Patterns, counts: NDArray[np.float64], state: State, settings: RatingSettings, *,
    smallest_change: float = SMALLEST_CHANGE,
) -> int:  # fmt: skip
    """Let all matches speak until nothing changes, in place; returns the number of sweeps.

    `counts`: how many matches each pattern stands for, perhaps 0. `smallest_change`: as SMALLEST_CHANGE. Where numbers run
    out of digits, the means are NaN.
    """
    try:
        with np.errstate(all="ignore"):
            return _solve(patterns, counts, state, settings, smallest_change)
    except (ArithmeticError, np.linalg.LinAlgError):
        state.mu = np.full(len(state.mu), np.nan)
        return 0


def _solve(
    patterns: Patterns, counts: NDArray[np.float64], state: State, settings: RatingSettings, smallest_change: float
) -> int:  # fmt: skip
    bots, prior = len(patterns.bots_by_number), settings.sigma**-2
    seats = np.diff(patterns.starts)
    work, means, variances = new_workspace(int(seats.max(initial=1))), np.zeros(MAX_SEATS), np.zeros(MAX_SEATS)
    told = np.repeat(counts, seats) * state.said_precision
    state.precision = prior + np.bincount(patterns.bots, weights=told, minlength=bots).astype(np.float64)
    ties = Ties(patterns, counts, settings.beta) if settings.draw_probability is None else None
    if ties is not None and not (ties.tied[0] and state.said_precision.any()):
        state.margin = ties.margin_of_equals()
    share, before, change, alone = 1.0, np.zeros(2 * bots), 1.0, np.eye(bots) * prior
    for number in range(MAX_SWEEPS):
        share = share if number not in (UNDAMPED, NEWTON_SWEEPS) else DAMPING
        margin = state.margin if ties is None or not ties.tied[0] else ties.next_margin(state.mu, state.margin)
        wider, state.margin = abs(margin - state.margin), margin
        heard, pull, slopes = np.full(bots, prior), prior * (settings.mu - state.mu), alone.copy()
        sweep(
            state.mu, state.precision, state.said_precision, state.said_pull, counts, patterns.starts, patterns.bots,
            patterns.units, patterns.places, patterns.losers, settings.beta, margin,
            share, max(SMALLEST_DIFFERENCE, FINER * change), heard, pull, slopes, means, variances, work,
        )  # fmt: skip
        if number < NEWTON_SWEEPS:
            step = np.linalg.solve(slopes, pull)
            longest = _largest(step)
            step *= min(1.0, LONGEST_STEP * settings.beta / max(longest, 1e-300))
        else:
            pulled = np.repeat(counts, seats) * state.said_pull
            step = (prior * (settings.mu - state.mu) + np.bincount(patterns.bots, weights=pulled, minlength=bots)) / heard
            state.said_pull -= state.said_precision * step[patterns.bots]  # messages stay where they are
            step += settings.mu - np.mean(state.mu + step)
            longest = _largest(step)
        widened = heard**-0.5 - state.precision**-0.5
        change = max(longest, wider, _largest(widened)) / settings.beta
        if number >= UNDAMPED:
            moved = np.concatenate([step, widened]) / settings.beta
            if number not in (UNDAMPED, NEWTON_SWEEPS):
                share = share * SLOWER if moved @ before < 0.0 else min(DAMPING, share * FASTER)
            before = moved
        state.mu, state.precision = state.mu + step, heard
        if change <= smallest_change:
            return number + 1
    return MAX_SWEEPS


def _largest(moves: NDArray[np.floating[Any]]) -> float:
    """The largest of some numbers, whatever their signs; 0 if there are none."""
    return float(np.abs(moves).max(initial=0.0))


@jit
def sweep(
    mu: Reals, precision: Reals, said_precision: Reals, said_pull: Reals, counts: Reals, starts: Starts, bots: Bots,
    units: Small, places: Small, losers: Flags, beta: float, margin: float, share: float, smallest_change: float,
    heard: Reals, pull: Reals, slopes: Workspace, means: Reals, variances: Reals, work: Workspace,
) -> None:  # fmt: skip
    """Let every match speak on what all others say: add messages to `heard`, scores to `pull`, the slopes of these to `slopes`.

    A message is kept by seat as its precision and its pull = precision * (its mean - mu), which is the score once all agree.
    `share`: how far a message goes from what it was to what was heard now; `smallest_change`: as `converge` has it.
    """
    for pattern in range(len(starts) - 1):
        count = counts[pattern]
        if count == 0.0:
            continue
        start, end = starts[pattern], starts[pattern + 1]
        seats = end - start
        teams, pairs = form(units[start:end], places[start:end], margin, losers[pattern], work)
        for seat in range(seats):
            row = start + seat
            others = precision[bots[row]] - said_precision[row]
            means[seat] = mu[bots[row]] - said_pull[row] / others
            variances[seat] = 1.0 / others + beta * beta
        believe(means, variances, seats, teams, work)
        converge(teams, pairs, smallest_change, work)
        for seat in range(seats):
            row, team = start + seat, int(work[TEAM, seat])
            variance = beta * beta  # of the team mates, and of the seat's own noise
            for mate in range(seats):
                if work[TEAM, mate] == team:
                    variance += variances[mate] if mate != seat else 0.0
                slopes[bots[row], bots[start + mate]] += count * curvature(team, int(work[TEAM, mate]), work)
            moved, known = score(team, teams, work), curvature(team, team, work)
            unknown = 1.0 - known / work[WEIGHT, team]  # the part of the variance that is left
            precision_now = known / (unknown + known * variance)
            pull_now = moved / (unknown + known * variance) + precision_now * (means[seat] - mu[bots[row]])
            said_precision[row] += share * (precision_now - said_precision[row])
            said_pull[row] += share * (pull_now - said_pull[row])
            heard[bots[row]] += count * said_precision[row]
            pull[bots[row]] += count * moved
