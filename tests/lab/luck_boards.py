"""Boards without luck, measured: whether their intervals hold as often as they say, and what they gain.

A bank of deals is played by three players at tables of two, all pairs on the same cards in both rotations. The rating by the
whole bank is the truth; boards are made of some of its deals, drawn with replacement.
"""

import itertools
from collections.abc import Sequence

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena.ratings.beliefs import believe
from arena.ratings.error_bars import error_bars
from arena.ratings.luck_correction import without_luck
from arena.ratings.models import BATCH_MODEL
from arena.ratings.rows import PoolRows
from arena.ratings.settings import RatingSettings

PLAYERS = (0.0, 0.05, 0.2)
"""The three players: shares of random choices."""
PAIRS = tuple(itertools.combinations(range(len(PLAYERS)), 2))
DEALS, BOARDS = 60, 700  # of a board; so many boards have 2,100 intervals


class BoardCertainty(msgspec.Struct, frozen=True, kw_only=True):
    """Boards of one game at tables of two, with and without luck."""

    game: str
    bank: int
    """How many deals the boards draw from."""
    covered: float
    """Share of the 95 % intervals with luck in them that held the truth."""
    covered_without: float
    """Share of the 95 % intervals without luck that held the truth."""
    promised: float
    """How many deals a deal without luck is worth, as the boards say: the mean of them."""
    found: float
    """How many it is worth: variance of the ratings with luck over that of those without."""


def board_certainty(game: str, shares: Sequence[NDArray[np.float64]], luck: Sequence[NDArray[np.float64]]) -> BoardCertainty:
    """Make boards. `shares`, `luck`: of each of PAIRS an array [deals, rotations, players] of rivals beaten."""
    settings, stream = RatingSettings(), np.random.default_rng(31)
    centred = [given - given.mean(axis=(0, 1)) for given in luck]  # in this world all luck is 0 on average, too
    bank = len(shares[0])
    truth = _centred(believe(BATCH_MODEL, _rows(np.arange(bank), shares, centred), settings).mu)
    errors: list[list[NDArray[np.float64]]] = [[], []]
    held, promised = [0, 0], []
    for _ in range(BOARDS):
        rows = _rows(stream.integers(bank, size=DEALS), shares, centred)
        beliefs = believe(BATCH_MODEL, rows, settings)
        bars = error_bars(rows, beliefs, settings)
        found = without_luck(rows, beliefs, bars, settings)
        for kind, (mu, widths) in enumerate(((beliefs.mu, bars), (found.beliefs.mu, found.bars))):
            errors[kind].append(_centred(mu) - truth)
            held[kind] += int(np.sum(np.abs(errors[kind][-1]) <= widths.half_widths()))
        promised.append(found.worth)
    intervals = BOARDS * len(PLAYERS)
    return BoardCertainty(
        game=game, bank=bank, covered=held[0] / intervals, covered_without=held[1] / intervals,
        promised=float(np.mean(promised)), found=float(np.mean(np.square(errors[0])) / np.mean(np.square(errors[1]))),
    )  # fmt: skip


def _centred(mu: NDArray[np.float64]) -> NDArray[np.float64]:
    centred: NDArray[np.float64] = mu - mu.mean()
    return centred


def _rows(drawn: NDArray[np.int64], shares: Sequence[NDArray[np.float64]], luck: Sequence[NDArray[np.float64]]) -> PoolRows:
    """All matches of the deals that were drawn; a deal that was drawn twice is two deals."""
    rotations = shares[0].shape[1]
    places = np.stack([_places(pair[drawn]) for pair in shares], axis=1)  # [deals, pairs, rotations, players]
    lucks = np.stack([pair[drawn] for pair in luck], axis=1)
    bots = np.broadcast_to(np.array(PAIRS)[None, :, None, :], places.shape)
    matches = len(drawn) * len(PAIRS) * rotations
    return PoolRows(
        tuple((f"player_{number}", 1) for number in range(len(PLAYERS))), np.arange(matches + 1) * 2,
        np.repeat(np.arange(len(drawn)), len(PAIRS) * rotations).astype(np.int32), bots.ravel().astype(np.int32),
        np.tile(np.arange(2, dtype=np.int8), matches), places.ravel(), np.zeros(2 * matches, np.float32),
        np.zeros(2 * matches, np.bool_), lucks.ravel(),
    )  # fmt: skip


def _places(shares: NDArray[np.float64]) -> NDArray[np.int8]:
    """Places of two players from the share of its one rival that each beat."""
    found: NDArray[np.int8] = np.where(shares >= 0.5, 1, 2).astype(np.int8)
    return found
