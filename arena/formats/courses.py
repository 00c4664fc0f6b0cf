"""The course of each format."""

from arena.formats.comparison import Comparison
from arena.formats.course import Course, Fixed
from arena.formats.ladder import LadderCourse
from arena.formats.plan import Plan
from arena.formats.tables import Compare, Ladder, Sample
from arena.ratings.settings import RatingSettings


def course_of(plan: Plan, settings: RatingSettings) -> Course:
    """Before the first match."""
    if isinstance(plan.format, Compare):
        return Comparison(plan)
    return LadderCourse(plan, settings) if isinstance(plan.format, Ladder) else Fixed(plan)


def size_text(plan: Plan) -> str:
    """How many matches a run plays, in words."""
    if isinstance(plan.format, Ladder):
        return f"at most {plan.format.legs[-1].matches:,} matches in this run"
    return f"at most {len(plan):,} matches" if isinstance(plan.format, Compare) else f"{len(plan):,} matches"


def sample_texts(plan: Plan) -> list[str]:
    """A line for each entry of which a balanced sample of all tables is played."""
    lines = []
    for place, entry in enumerate(plan.entries):
        tables = None if isinstance(plan.format, Ladder) else plan.tables[place]
        if isinstance(tables, Sample):
            least, most = tables.meetings()
            lines.append(
                f"{entry.pool}: a balanced sample: {tables.per_deal:,} tables a deal; over all {entry.deals:,} deals each bot "
                f"sits at {tables.turns * entry.seats * entry.deals:,} tables, and each pair meets at {_range(least, most)}"
            )
    return lines


def _range(least: int, most: int) -> str:
    return f"{least:,}" if least == most else f"{least:,} or {most:,}" if most == least + 1 else f"{least:,} to {most:,}"
