"""What the cards and what the players did to a match, frame by frame: the same numbers that `arena replay --luck` writes."""

from typing import Any

import msgspec

from arena.ratings.match_luck import course_of
from arena.reports.pages.frames import StoredMatch

DIGITS = 4


class LuckCurve(msgspec.Struct, frozen=True, kw_only=True):
    """What a match was worth to each seat in each frame, as a share of its rivals, and what moved that; by all cards.

    Up to the first fault of a bot: there may be fewer frames than in the match. Where nothing is known of the game's chance,
    there are none.
    """

    rivals: list[int]
    """[seats]: how many rivals there are, which is how many places a value of 1 is worth."""
    values: list[list[float]]
    """[frames][seats]"""
    cards: list[list[float]]
    """[frames][seats]: what chance gave since the frame before; in the first one what the deal gave."""
    chosen: list[list[float]]
    """[frames][seats]: what the choices since the frame before gave."""


def luck_curve(match: StoredMatch) -> LuckCurve:
    """The course of a stored match, whose room says what chance decides. Raises StoreError for a damaged log.

    Where a round ends, its last frame comes before the next deal, the frame after it shows what that gave.
    """
    course = course_of(match.game, match.record, match.options, match.deal_seed)
    values, cards, chosen = [], [], []
    shown = 0  # the moments that the frames so far have shown
    for scene in match.scenes:
        now = scene.number
        if now >= len(course.values):
            break
        since, shown = slice(shown, now + 1), now + 1
        deal = course.dealt[now]
        is_deal = not scene.played  # which the frame before, the end of a round, left out
        values.append(course.values[now] - (deal if scene.is_end_of_round else 0.0))
        cards.append(deal if is_deal else course.drawn[since].sum(axis=0))
        chosen.append(course.chosen[since].sum(axis=0))
    units = [seat.unit for seat in match.record.seats]
    rivals = [sum(other != unit for other in units) for unit in units]
    return LuckCurve(rivals=rivals, values=_rounded(values), cards=_rounded(cards), chosen=_rounded(chosen))


def _rounded(rows: list[Any]) -> list[list[float]]:
    return [[round(float(number), DIGITS) + 0.0 for number in row] for row in rows]
