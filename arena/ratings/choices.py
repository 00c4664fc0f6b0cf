"""The matches of a pool as choices of one team among some, and how likely these are: the log likelihood of Plackett-Luce."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from arena.engine.jit import jit
from arena.ratings.rows import PoolRows

MOST_TIED = 6  # teams whose ties are the mean of all orders; of more, of the turns of one order and of its reverse

Reals = NDArray[np.float64]
Whole = NDArray[np.int64]


@dataclass(frozen=True)
class Choices:
    """Some choices of one of `size` teams; arrays with an element, or a row, per choice."""

    teams: Whole
    """[choices, size]: the rows that stand for the teams among which was chosen."""
    sign: float
    """1: the best was chosen; -1: the worst."""
    weights: Reals
    """[choices]: how much the choice counts."""
    matches: Whole
    """[choices]: the match of each."""


@dataclass(frozen=True)
class Likelihood:
    """The log likelihood of the matches of a pool; its parameters are the strengths of the bots, then those of the seats."""

    bots: int
    parameters: int
    features: Whole
    """[rows, features]: the parameters that are added up for the team that a row stands for; `parameters`: none."""
    chosen: Reals
    """[rows]: how often the team of the row was chosen, with a sign as in `Choices`."""
    choices: tuple[Choices, ...]
    match_of: Whole
    """[rows]: the match of each."""

    @classmethod
    def of(cls, rows: PoolRows) -> "Likelihood":
        """Take a pool's matches apart into choices."""
        sizes = np.diff(rows.starts)
        match_of = np.repeat(np.arange(rows.matches), sizes)
        first_seat, seats = {}, 0
        for size in np.unique(sizes).tolist():
            first_seat[size], seats = seats, seats + size
        bots = len(rows.bots_by_number)
        begins = np.array([first_seat.get(size, 0) for size in range(int(sizes.max(initial=0)) + 1)], np.int64)
        seat = np.arange(len(rows.bots)) - np.repeat(rows.starts[:-1], sizes)
        leads, mates = _teams(rows, match_of)
        features = np.full((len(rows.bots), 2 * (int(mates.max(initial=0)) + 1)), bots + seats, np.int64)
        features[leads, 2 * mates] = rows.bots
        features[leads, 2 * mates + 1] = bots + np.repeat(begins[sizes], sizes) + seat
        chosen = np.zeros(len(rows.bots))
        return cls(bots, bots + seats, features, chosen, _joined(list(_choices(rows, leads, match_of, chosen))), match_of)

    def strengths(self, values: Reals) -> Reals:
        """[rows]: the strength of the team that each row stands for. `values`: [parameters]."""
        return np.asarray(np.append(values, 0.0)[self.features].sum(axis=1), np.float64)

    def value(self, values: Reals) -> float:
        """The log likelihood, without a prior."""
        strengths = self.strengths(values)
        total = float(self.chosen @ strengths)
        for part in self.choices:
            logits = part.sign * strengths[part.teams]
            most = logits.max(axis=1)
            total -= float(part.weights @ (most + np.log(np.exp(logits - most[:, None]).sum(axis=1))))
        return total

    def scores(self, values: Reals) -> Reals:
        """[rows]: the slope of the log likelihood in the strength of the team that each row stands for."""
        strengths, found = self.strengths(values), self.chosen.copy()
        for part in self.choices:
            told = part.sign * part.weights[:, None] * _chances(part, strengths)
            found -= np.bincount(part.teams.ravel(), told.ravel(), minlength=len(found))
        return found

    def slope(self, values: Reals) -> Reals:
        """[parameters]: the slope of the log likelihood."""
        told = np.repeat(self.scores(values), self.features.shape[1])
        return np.bincount(self.features.ravel(), told, minlength=self.parameters + 1)[:-1].astype(np.float64)

    def information(self, values: Reals) -> Reals:
        """[parameters, parameters]: minus the slopes of the slope."""
        whole: Reals = self.information_by(values, np.zeros(int(self.match_of.max(initial=-1)) + 1, np.int64), 1)[0]
        return whole

    def information_by(self, values: Reals, block: Whole, blocks: int) -> Reals:
        """[blocks, parameters, parameters]: the same of each block of matches. `block`: that of each match."""
        strengths, found = self.strengths(values), np.zeros((blocks, self.parameters, self.parameters))
        for part in self.choices:
            _add_information(part.teams, _chances(part, strengths), part.weights, block[part.matches], self.features, found)
        return found


@jit
def _add_information(teams: Whole, chances: Reals, weights: Reals, block: Whole, features: Whole, found: Reals) -> None:
    """Add minus the second slopes of choices to those of their blocks; shapes as in `Choices` and `Likelihood`."""
    parameters = found.shape[1]
    for choice in range(len(teams)):
        for one in range(teams.shape[1]):
            for other in range(teams.shape[1]):
                known = -weights[choice] * chances[choice, one] * chances[choice, other]
                if one == other:
                    known += weights[choice] * chances[choice, one]
                for first in features[teams[choice, one]]:
                    if first < parameters:
                        for second in features[teams[choice, other]]:
                            if second < parameters:
                                found[block[choice], first, second] += known


def _teams(rows: PoolRows, match_of: Whole) -> tuple[Whole, Whole]:
    """[rows]: the first row of each row's team, which stands for it, and how many of the team sit before."""
    keys = match_of * (1 << 8) + rows.units
    order = np.argsort(keys, kind="stable")
    begins = np.ones(len(keys), np.bool_)
    begins[1:] = keys[order][1:] != keys[order][:-1]
    first = np.maximum.accumulate(np.where(begins, np.arange(len(keys)), 0)) if len(keys) else order
    leads, mates = np.zeros(len(keys), np.int64), np.zeros(len(keys), np.int64)
    leads[order], mates[order] = order[first], np.arange(len(keys)) - first
    return leads, mates


def _choices(rows: PoolRows, leads: Whole, match_of: Whole, chosen: Reals) -> Iterator[Choices]:
    """All choices of the matches; and adds to `chosen` [rows] how often the team of a row was chosen."""
    team_places = rows.places.astype(np.int64)
    np.minimum.at(team_places, leads, rows.places)
    stands = np.flatnonzero(leads == np.arange(len(leads)))
    order = stands[np.lexsort((rows.bots[stands], team_places[stands], match_of[stands]))]
    counts = np.bincount(match_of[stands], minlength=rows.matches)
    ends = np.cumsum(counts)
    for size in np.unique(counts).tolist():
        here = np.flatnonzero(counts == size)
        teams = order[(ends - counts)[here][:, None] + np.arange(size)]
        ties = np.diff(team_places[teams], axis=1) == 0  # with the team before
        kinds, of_match = np.unique(np.column_stack([rows.names_loser[here], ties]), axis=0, return_inverse=True)
        for number, kind in enumerate(kinds.tolist()):
            own = np.flatnonzero(of_match.ravel() == number)
            shape = _shape(tuple(kind[1:]), bool(kind[0]))
            for place, count in enumerate(shape.chosen):
                chosen[teams[own, place]] = count
            for places, weight in shape.choices:
                yield Choices(teams[own][:, places], shape.sign, np.full(len(own), weight), here[own])


@dataclass(frozen=True)
class _Shape:
    """The choices of a match whose teams are sorted by place, as numbers of those teams."""

    sign: float
    chosen: tuple[float, ...]
    choices: tuple[tuple[tuple[int, ...], float], ...]


@lru_cache(maxsize=4096)
def _shape(ties: tuple[bool, ...], names_loser: bool) -> _Shape:
    """`ties`: whether each team but the first shares its place with the one before."""
    groups: list[list[int]] = [[0]]
    for number, tied in enumerate(ties, 1):
        if tied:
            groups[-1].append(number)
        else:
            groups.append([number])
    from_end = names_loser and len(groups) > 1
    chosen, choices = np.zeros(len(ties) + 1), dict[tuple[int, ...], float]()
    for number, group in enumerate(groups[::-1] if from_end else groups):
        rest = [team for other in (groups[::-1] if from_end else groups)[number + 1 :] for team in other]
        if from_end and not rest:
            break  # the winners
        chosen[group] = 1.0
        for left, weight in _left(group):
            among = tuple(sorted((*left, *rest)))
            if len(among) == 1:
                chosen[among[0]] -= weight
            else:
                choices[among] = choices.get(among, 0.0) + weight
    sign = -1.0 if from_end else 1.0
    return _Shape(sign, tuple((sign * chosen).tolist()), tuple(choices.items()))


def _left(group: list[int]) -> Iterator[tuple[tuple[int, ...], float]]:
    """Which of the teams that share a place are left when each one is chosen, and in which part of the orders."""
    if len(group) <= MOST_TIED:
        for count in range(1, len(group) + 1):
            sets = list(combinations(group, count))
            yield from ((left, 1.0 / len(sets)) for left in sets)
        return
    for order in (group, group[::-1]):
        for turn in range(len(group)):
            turned = (*order[turn:], *order[:turn])
            yield from ((turned[place:], 0.5 / len(group)) for place in range(len(group)))


def _joined(choices: list[Choices]) -> tuple[Choices, ...]:
    """The choices with those of one size and sign together."""
    kinds = sorted({(one.teams.shape[1], one.sign) for one in choices})
    found = []
    for size, sign in kinds:
        own = [one for one in choices if (one.teams.shape[1], one.sign) == (size, sign)]
        arrays = [np.concatenate([getattr(one, name) for one in own]) for name in ("teams", "weights", "matches")]
        found.append(Choices(arrays[0], sign, arrays[1], arrays[2]))
    return tuple(found)


def _chances(part: Choices, strengths: Reals) -> Reals:
    """[choices, size]: how likely each team was to be chosen."""
    logits = part.sign * strengths[part.teams]
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(chances / chances.sum(axis=1, keepdims=True), np.float64)
