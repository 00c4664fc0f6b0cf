"""What has to be compiled for the bots at a table: which parts of which rooms."""

from collections.abc import Iterable, Mapping
from typing import Any

from arena import games
from arena.agent import BotFiles
from arena.agent.asking import parts_asked
from arena.engine.readiness import CHANCE
from arena.tournament.formats.plan import Plan
from arena.tournament.workers.compiling import Needs


def needs_of(plan: Plan, bots: Mapping[str, BotFiles], *, with_luck: bool = False) -> dict[str, frozenset[str]]:
    """What a plan needs: its games, each with the parts that its bots ask for.

    `bots`: by content hash; a version of a bot that is no longer there plays no more. `with_luck`: whether luck is worked out.
    """
    here = {place: bots[bot.sha256] for place, bot in enumerate(plan.contestants) if bot.sha256 in bots}
    asked = {place: parts_asked(bot, plan.contestants[place].params) for place, bot in here.items()}
    needs: dict[str, frozenset[str]] = {}
    for entry in plan.entries:
        parts = (asked[place] for place in plan.field(entry) if place in asked)
        luck = {CHANCE} if with_luck and games.has_luck(entry.game) else set()
        needs[entry.game] = needs.get(entry.game, frozenset()).union(luck, *parts)
    return needs


def needs_at(game: str, bots: Iterable[tuple[BotFiles, Mapping[str, Any]]]) -> Needs:
    """What a table of one game needs. `bots`: with their parameters."""
    return {game: frozenset().union(*(parts_asked(bot, params) for bot, params in bots))}
