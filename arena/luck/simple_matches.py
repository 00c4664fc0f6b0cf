"""The luck of many simple matches, between random play and the room's rollout policy: whether it is 0 on average.

All matches of a deal are played: the players in every rotation of the seats.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.engine.chance import STATES
from arena.engine.rng import derive, seed_words
from arena.engine.room import Game
from arena.engine.simple_play import bind_simple_play
from arena.luck.match_luck import bounded
from arena.luck.skill import shares_of

LONGEST_LOG = 1 << 20  # actions
RULE, RANDOM = 0.0, 1.0
"""Shares of random choices of the two players; between them is the rollout policy that sometimes slips."""


class SimpleMatches(msgspec.Struct, frozen=True, kw_only=True):
    """Shares of rivals beaten, and luck, of simple matches."""

    shares: NDArray[np.float64]
    """[deals, rotations, players]; player p sits at seat p + rotation, round the table."""
    luck: NDArray[np.float64]
    """[deals, rotations, kinds, players]: kinds as in arena/engine/chance.py."""
    bounded: NDArray[np.float64]
    """[deals, rotations, players]: the sums that stop when one has passed LUCK_LIMIT."""
    events: int

    @property
    def by_seat(self) -> NDArray[np.float64]:
        """[deals, rotations, kinds, seats]: the luck of each seat."""
        return np.stack([np.roll(self.luck[:, rotation], rotation, axis=-1) for rotation in range(self.luck.shape[1])], axis=1)

    def worst(self) -> float:
        """The largest distance from 0 of a mean of luck, by seat and kind, in standard errors over deals."""
        means = self.by_seat.mean(axis=1)
        error = means.std(axis=0, ddof=1) / np.sqrt(len(means))
        apart = np.abs(means.mean(axis=0))
        return float(np.divide(apart, error, out=np.zeros_like(apart), where=error > 1e-12).max())


def play_simple_matches(
    game: Game, seats: int, deals: range, random: Sequence[float] = (RULE,), *, rotations: int | None = None,
    options: dict[str, Any] | None = None,
) -> SimpleMatches:  # fmt: skip
    """Play and correct matches. `random`: each player's share of random choices, in turn; `rotations`: by default all."""
    luck, play = games.ready_luck(game), bind_simple_play(game.package)
    resolved = game.resolve_options(options or {}, seats)
    vector, units = game.options_vector(resolved), game.units(seats, resolved)
    players = np.array([random[player % len(random)] for player in range(seats)], float)
    turns = seats if rotations is None else rotations
    states, legal, log = np.zeros(STATES, game.rules.STATE), game.new_actions(), np.zeros(LONGEST_LOG, np.int64)
    shares, sums = np.zeros((len(deals), turns, seats)), np.zeros((len(deals), turns, 2, seats))
    stopped = np.zeros((len(deals), turns, seats))
    constants, numbers, values, events = game.constants, games.luck_numbers(game), np.zeros((0, seats)), 0
    for row, deal in enumerate(deals):
        seed, stream = (seed_words(derive(b"simple matches", kind, game.name, seats, deal)) for kind in ("deal", "luck"))
        for turn in range(turns):
            dice = seed_words(derive(b"simple matches", "play", game.name, seats, deal, turn))
            count = play(states, seats, vector, seed, dice, np.roll(players, turn), constants, legal, log)
            assert count >= 0, f"{game.name}: a match of more than {LONGEST_LOG} actions"
            _, places = game.final(states[:1].copy(), seats)
            out = np.zeros((count + 1, 2, seats))
            events += luck.corrections(states, seats, vector, seed, stream, log[:count], count, numbers, out, values)
            shares[row, turn] = np.roll(shares_of(places, units), -turn)
            sums[row, turn] = np.roll(out.sum(axis=0), -turn, axis=-1)
            stopped[row, turn] = np.roll(bounded(out), -turn)
    return SimpleMatches(shares=shares, luck=sums, bounded=stopped, events=events)


def joined(parts: Iterable[SimpleMatches]) -> SimpleMatches:
    """The matches of several ranges of deals together."""
    found = list(parts)
    return SimpleMatches(
        shares=np.concatenate([part.shares for part in found]), luck=np.concatenate([part.luck for part in found]),
        bounded=np.concatenate([part.bounded for part in found]), events=sum(part.events for part in found),
    )  # fmt: skip
