"""Skill against luck of a bot, as boards and pages show it."""

import math
from typing import NamedTuple

from arena.ratings.skill import Skill


class SkillTexts(NamedTuple):
    """Skill against luck of one bot in a pool, as it is shown."""

    beat: str
    luck: str
    skill: str
    interval: str
    certain_as: str


def skill_texts(one: Skill) -> SkillTexts:
    """The numbers as text; a dash for what too few deals do not tell."""
    return SkillTexts(
        f"{one.beaten:.1%}", f"{one.luck:+.1%}", f"{one.skill:.1%}",
        f"{one.low:.1%} to {one.high:.1%}" if one.has_interval else "-",
        "-" if math.isnan(one.worth) else f"{one.worth:,.0f}",
    )  # fmt: skip


def skill_text(one: Skill) -> str:
    """The same in a sentence."""
    texts = skill_texts(one)
    sure = f" ({texts.interval})" if one.has_interval else ""
    told = f"it beat {texts.beat} of its rivals; {texts.luck} of that came from the cards, and {texts.skill}{sure} is skill"
    if math.isnan(one.worth):
        return told
    return f"{told}; its {one.deals:,} deals are as certain as {texts.certain_as} without luck correction"
