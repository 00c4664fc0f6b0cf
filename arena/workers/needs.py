"""What has to be compiled for the bots at a table: which parts of which rooms."""

from collections.abc import Iterable, Mapping
from typing import Any

from arena.agent import BotFiles
from arena.agent.asking import parts_asked
from arena.formats.plan import Plan
from arena.workers.compiling import Needs


def needs_of(plan: Plan, bots: Mapping[str, BotFiles]) -> dict[str, frozenset[str]]:
    """What a plan needs: its games, each with the parts that its bots ask for. `bots`: by content hash."""
    asked = {place: parts_asked(bots[bot.sha256], bot.params) for place, bot in enumerate(plan.contestants)}
    needs: dict[str, frozenset[str]] = {}
    for entry in plan.entries:
        parts = (asked[place] for place in plan.field(entry))
        needs[entry.game] = needs.get(entry.game, frozenset()).union(*parts)
    return needs


def needs_at(game: str, bots: Iterable[tuple[BotFiles, Mapping[str, Any]]]) -> Needs:
    """What a table of one game needs. `bots`: with their parameters."""
    return {game: frozenset().union(*(parts_asked(bot, params) for bot, params in bots))}
