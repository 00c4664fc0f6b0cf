"""How language models played in a pool: how often their answers were legal, and what a decision took; for all writers."""

from collections.abc import Iterable, Sequence

import msgspec

from arena.llm.answer import ACTION
from arena.reports import columns as titles
from arena.reports.links import NO_LINKS, Links
from arena.reports.table import Cell, Row, Table, shown
from arena.reports.table import table as made
from arena.results.schema import StoredCall


class ModelUse(msgspec.Struct, frozen=True, kw_only=True):
    """The calls of one bot that is a language model, in one pool."""

    bot: str
    version: int
    shown: str
    """The name as a page shows it."""
    decisions: int
    """How many decisions the model was asked for."""
    legal: float
    """The share of them in which its first answer was a legal action."""
    rethinks: float
    """How often it was asked again, in a decision on average."""
    tokens: float
    """The tokens of prompts and answers of a decision, on average."""
    cached: float
    """The share of the prompts' tokens that its server had kept from before."""
    seconds: float
    """The wall time of a decision's calls, on average."""
    cost: float | None
    """What a decision cost on average, in the currency of the user's prices; None: some call has no price."""


def model_uses(calls: Iterable[StoredCall], pool: str) -> tuple[ModelUse, ...]:
    """How each language model played in a pool, in the order of their first calls. `calls`: of a whole tournament."""
    own: dict[tuple[str, int], list[StoredCall]] = {}
    for call in calls:
        if call.pool == pool:
            own.setdefault((call.bot, call.bot_version), []).append(call)
    return tuple(_use(*bot, found) for bot, found in own.items())


def table(found: Sequence[ModelUse], caption: str = "", links: Links = NO_LINKS) -> Table:
    """A row per model."""
    has_cost = any(one.cost is not None for one in found)
    columns = [
        titles.BOT, titles.DECISIONS, titles.LEGAL_AT_ONCE, titles.RETHINKS, titles.TOKENS, titles.CACHED, titles.SECONDS,
        titles.COST if has_cost else None,
    ]  # fmt: skip
    rows: list[Row] = [
        [
            Cell(one.shown, link=links.bot(one.bot)), one.decisions, one.legal, one.rethinks, one.tokens, one.cached,
            one.seconds, one.cost,
        ]
        for one in found
    ]  # fmt: skip
    return made(columns, rows, caption)


def _use(bot: str, version: int, calls: Sequence[StoredCall]) -> ModelUse:
    first = [call for call in calls if call.attempt == 0]
    decisions = max(1, len(first))
    prompts = sum(call.prompt_tokens for call in calls)
    costs = [call.cost for call in calls]
    known = [cost for cost in costs if cost is not None]
    return ModelUse(
        bot=bot, version=version, shown=shown(bot, version), decisions=len(first),
        legal=sum(call.kind == ACTION for call in first) / decisions, rethinks=(len(calls) - len(first)) / decisions,
        tokens=sum(call.prompt_tokens + call.completion_tokens for call in calls) / decisions,
        cached=sum(call.cached_tokens for call in calls) / max(1, prompts),
        seconds=sum(call.total_s for call in calls) / decisions,
        cost=sum(known) / decisions if len(known) == len(costs) else None,
    )  # fmt: skip
