"""Skill against luck: what of each bot's results its cards gave it."""

import math

from arena.ratings.skill import Skill, skills
from arena.reports.html.plots import Plotter
from arena.reports.pages.document import Block, Cell, Column, Section, Table, Words
from arena.reports.selection.evidence import PoolEvidence
from arena.reports.selection.names import shown
from arena.reports.selection.skill import skill_texts


def skill(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """The section that tells skill from luck, where the luck of the matches was worked out."""
    rows = evidence.rows_with_luck
    if rows is None or not rows.matches:
        return None
    columns = [
        Column("bot", is_number=False), Column("beat", meaning="share of its rivals in a match that it beat, ties as halves"),
        Column("luck", meaning="what its cards gave it of that; 0 on average"), Column("skill", meaning="what is left"),
        Column("interval", meaning="95 % interval of the skill over deals"), Column("deals"),
        Column("certain as", meaning="so many deals would be as certain had luck not been taken out"),
    ]  # fmt: skip
    found = skills(evidence.pool, rows)
    blocks: list[Block] = [Table(f"Skill and luck in {evidence.title}", columns, [_row(one) for one in found])]
    worth = (evidence.tournament.manifest.luck_worth or {}).get(evidence.pool)
    if worth is not None:
        blocks.append(
            Words(
                f"The ratings above go without luck: {worth.deals:,} deals are as certain as {worth.worth:,} without luck "
                f"correction."
            )
        )
    lead = (
        "Each card that came up is held against all that could have come, by an estimate of what positions are worth that was "
        "fixed before anything was played. On average the cards give nobody anything."
    )
    return Section("Skill and luck", lead, blocks)


def _row(one: Skill) -> list[Cell]:
    texts = skill_texts(one)
    return [
        Cell(shown(one.bot, one.bot_version)), Cell(texts.beat, one.beaten), Cell(texts.luck, one.luck),
        Cell(texts.skill, one.skill), Cell(texts.interval, one.low if one.has_interval else -1.0),
        Cell(f"{one.deals:,}", one.deals), Cell(texts.certain_as, -1.0 if math.isnan(one.worth) else one.worth),
    ]  # fmt: skip
