"""Who is hidden on the board of a ladder: it never ends, so old versions and bots that have gone would bury the others."""

import enum
from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence

from arena.ratings.rows import Bot
from arena.ratings.settings import OVERALL
from arena.records import Rating
from arena.results.manifest import Manifest
from arena.server.views.ladders import format_of, is_ladder, is_of_contest

LONG = 300
"""Matches in a pool after which who is surely at the bottom has been there for long."""
BOTTOM = 0.1
"""The share of a board that is its bottom."""


class WhyHidden(enum.StrEnum):
    """Why a bot is hidden on the board of a ladder, though nothing of it is deleted."""

    OLD = "old"
    """A newer version plays."""
    GONE = "gone"
    """It was withdrawn: it takes part no longer."""
    RETIRED = "retired"
    """It failed again and again, so that it is not seated any more."""
    BOTTOM = "bottom"
    """It has been at the bottom for long."""


def hidden_bots(manifest: Manifest, ratings: Sequence[Rating]) -> dict[str, dict[Bot, WhyHidden]]:
    """The bots that are hidden in each pool, and why. Only a ladder hides anybody: whatever ends shows all who took part.

    A bot is at the bottom of a pool if nine tenths of those who are shown are surely above it, by intervals that do not touch,
    after 300 matches there; on the board of all games it is hidden if it is so in every pool. The organiser's bots are
    never hidden for being last: they may be marks.
    """
    if not is_ladder(manifest):
        return {}
    left = _left(manifest)
    pools: dict[str, list[Rating]] = {}
    for rating in ratings:
        pools.setdefault(rating.pool, []).append(rating)
    trusted = _staff(manifest)
    found = {pool: _of_pool(rows, left, trusted) for pool, rows in pools.items() if pool != OVERALL}
    if OVERALL in pools:
        found[OVERALL] = _overall(pools[OVERALL], found, left)
    return found


def withdrawn_bots(manifest: Manifest, withdrawn: Collection[str]) -> dict[Bot, WhyHidden]:
    """The bots of a contest's ladder that are withdrawn by now: they are gone at once, and not only when its next leg begins.

    `withdrawn`: the names of the submitted bots that are.
    """
    if not is_of_contest(manifest):
        return {}
    found = [bot for bot in manifest.bots if bot.name in withdrawn and not bot.trusted]
    return {(bot.name, bot.version): WhyHidden.GONE for bot in found}


def _of_pool(rows: Sequence[Rating], left: Mapping[Bot, WhyHidden], trusted: Collection[Bot]) -> dict[Bot, WhyHidden]:
    bots = [(row.bot, row.bot_version) for row in rows]
    found = {bot: left[bot] for bot in bots if bot in left}
    lows = sorted(row.low for row, bot in zip(rows, bots) if bot not in left)
    for row, bot in zip(rows, bots):
        above = len(lows) - bisect_right(lows, row.high)
        if bot not in found and bot not in trusted and row.matches >= LONG and above >= (1 - BOTTOM) * len(lows):
            found[bot] = WhyHidden.BOTTOM
    return found


def _overall(
    rows: Sequence[Rating], pools: Mapping[str, Mapping[Bot, WhyHidden]], left: Mapping[Bot, WhyHidden]
) -> dict[Bot, WhyHidden]:
    """The bots hidden on the board of all games: those hidden in every game."""
    everywhere = set.intersection(*(set(found) for found in pools.values())) if pools else set()
    bots = [(row.bot, row.bot_version) for row in rows]
    return {bot: left.get(bot, WhyHidden.BOTTOM) for bot in bots if bot in everywhere or bot in left}


def _staff(manifest: Manifest) -> set[Bot]:
    """The organiser's own bots: those that are trusted, and in a contest those that have no owner."""
    owners = format_of(manifest).get("owners")
    named = owners if isinstance(owners, list) else []
    free = [owner == "" for owner in named] + [False] * len(manifest.bots)
    return {(bot.name, bot.version) for bot, is_free in zip(manifest.bots, free) if bot.trusted or is_free}


def _left(manifest: Manifest) -> dict[Bot, WhyHidden]:
    """The bots that take part no longer, and why."""
    newest: dict[str, int] = {}
    legs = format_of(manifest).get("legs") or []
    field = legs[-1].get("field") if isinstance(legs, list) and legs and isinstance(legs[-1], dict) else None
    plays = set(field) if isinstance(field, list) else set(range(len(manifest.bots)))
    for place, bot in enumerate(manifest.bots):
        if place in plays:
            newest[bot.name] = max(bot.version, newest.get(bot.name, 0))
    found: dict[Bot, WhyHidden] = {}
    for place, bot in enumerate(manifest.bots):
        if bot.version < newest.get(bot.name, 0):
            found[bot.name, bot.version] = WhyHidden.OLD
        elif bot.retired:
            found[bot.name, bot.version] = WhyHidden.RETIRED
        elif place not in plays:
            found[bot.name, bot.version] = WhyHidden.GONE
    return found
