"""The luck of many matches between simple players: random play, the game's rollout policy, short searches. Is it 0 on average?

All matches of a deal are played: the players in every rotation of the seats.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena import games, search
from arena.engine.chance import STATES
from arena.engine.game import Game, States
from arena.engine.rng import Words, derive, seed_words
from arena.engine.simple_play import bind_simple_play
from arena.ratings.match_luck import bounded
from arena.ratings.skill import shares_of

_PURPOSE = b"simple matches"
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
    """[deals, rotations, players]: the sums that never pass LUCK_LIMIT."""
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
    play, legal, log = bind_simple_play(game.package), game.new_actions(), np.zeros(LONGEST_LOG, np.int64)
    players = np.array([random[player % len(random)] for player in range(seats)], float)

    def played(match: _Match) -> NDArray[np.int64]:
        stream = seed_words(derive(_PURPOSE, "play", game.name, seats, match.deal, match.turn))
        count = play(
            match.states, seats, match.options, match.seed, stream, np.roll(players, match.turn), game.constants, legal, log
        )  # fmt: skip
        assert count >= 0, f"{game.name}: a match of more than {LONGEST_LOG} actions"
        return log[:count]

    return _corrected(game, seats, deals, played, seats if rotations is None else rotations, options)


def play_searched_matches(
    game: Game, seats: int, deals: range, iterations: Sequence[int], *, options: dict[str, Any] | None = None
) -> SimpleMatches:
    """The same between searches. `iterations`: those of each player for a decision, in turn."""
    asked = [search.Settings(iterations=many) for many in iterations]

    def played(match: _Match) -> NDArray[np.int64]:
        log: list[int] = []
        game.engine.deal(match.states, seats, match.options, match.seed)
        while not game.engine.is_terminal(match.states):
            codes = game.legal_list(match.states)
            seat = int(game.engine.current_seat(match.states))
            own = asked[(seat - match.turn) % seats % len(asked)]
            seen = game.observed(match.states, seat)
            log.append(codes[0] if len(codes) == 1 else search.search(game, seen, seat, codes, own).best_code)
            game.engine.advance(match.states, log[-1])
        return np.array(log, np.int64)

    return _corrected(game, seats, deals, played, seats, options)


class _Match(NamedTuple):
    """A match that is to be played in the first of the states."""

    states: States
    options: Words
    seed: Words
    deal: int
    turn: int
    """The rotation: player p sits at seat p + turn."""


def _corrected(
    game: Game, seats: int, deals: range, play: Callable[[_Match], NDArray[np.int64]], rotations: int,
    options: dict[str, Any] | None,
) -> SimpleMatches:  # fmt: skip
    """Play and correct the matches. `play`: plays one to its end, and gives its log."""
    luck = games.ready_luck(game)
    resolved = game.resolve_options(options or {}, seats)
    vector, units = game.options_vector(resolved), game.units(seats, resolved)
    states = np.zeros(STATES, game.rules.STATE)
    shares, sums = np.zeros((len(deals), rotations, seats)), np.zeros((len(deals), rotations, 2, seats))
    limited = np.zeros((len(deals), rotations, seats))
    numbers, values, events = games.luck_numbers(game), np.zeros((0, seats)), 0
    for row, deal in enumerate(deals):
        seed, stream = (seed_words(derive(_PURPOSE, kind, game.name, seats, deal)) for kind in ("deal", "luck"))
        for turn in range(rotations):
            log = play(_Match(states[:1], vector, seed, deal, turn))
            _, places = game.final(states[:1].copy(), seats)
            out = np.zeros((len(log) + 1, 2, seats))
            events += luck.corrections(states, seats, vector, seed, stream, log, len(log), numbers, out, values)
            shares[row, turn] = np.roll(shares_of(places, units), -turn)
            sums[row, turn] = np.roll(out.sum(axis=0), -turn, axis=-1)
            limited[row, turn] = np.roll(bounded(out), -turn)
    return SimpleMatches(shares=shares, luck=sums, bounded=limited, events=events)


def joined(parts: Iterable[SimpleMatches]) -> SimpleMatches:
    """The matches of several ranges of deals together."""
    found = list(parts)
    return SimpleMatches(
        shares=np.concatenate([part.shares for part in found]), luck=np.concatenate([part.luck for part in found]),
        bounded=np.concatenate([part.bounded for part in found]), events=sum(part.events for part in found),
    )  # fmt: skip
