"""Who beats whom: the heat map; and who does better together than apart."""

import itertools

import numpy as np

from arena.ratings.collusion import Partners, partners
from arena.reports.html.plots import Plotter
from arena.reports.html.sections.matches import chosen_matches, row_anchor
from arena.reports.pages.document import Block, Cell, Column, Section, Table, Words
from arena.reports.selection.evidence import PoolEvidence
from arena.reports.selection.names import name_of, shown
from arena.tournament.archive import boards

MOST_BOTS = 40  # in the map: its fields grow with their square
MOST_PARTNERS = 10  # pairs shown
MOST_TO_COMPARE = 100  # bots whose pairs are compared: that takes seconds


def heat_map(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """The section that shows how often the row's bot finished ahead of the column's."""
    if len(evidence.bots) < 2 or not evidence.pairs.meetings.any():
        return None
    pairs, order, ratings = evidence.pairs, evidence.ranked[:MOST_BOTS], evidence.ratings[:MOST_BOTS]
    listed = _listed(evidence)
    columns = [Column("bot", is_number=False), Column("#", meaning="the number of this bot's column")]
    columns += [Column(str(place + 1), meaning=name_of(rating)) for place, rating in enumerate(ratings)]
    rows = []
    for place, (number, rating) in enumerate(zip(order, ratings)):
        fields = [Cell(name_of(rating)), Cell(str(place + 1), place + 1)]
        for other in order:
            share = pairs.share(number, other)
            hint = f"{pairs.meetings[number, other]:,} matches" if share is not None else ""
            link = listed.get(frozenset((number, other)), "")
            fields.append(Cell("" if share is None else f"{100 * share:.0f}", share=share, hint=hint, link=link))
        rows.append(fields)
    lead = (
        "Percent of the matches of two bots in which the bot of the row finished before that of the column, ties as halves. "
        "The columns have the numbers of the rows; blue is good for the row, orange for the column. A link leads to a "
        "match of the two in the list of matches."
    )
    blocks: list[Block] = [Table(f"Head to head in {evidence.title}", columns, rows, heat="sides")]
    if len(evidence.ratings) > MOST_BOTS:
        way_out = f"`arena leaderboard {evidence.tournament.manifest.name} --head-to-head --format csv` has all."
        blocks.append(Words(f"The best {MOST_BOTS} of {len(evidence.ratings):,} bots; {way_out}"))
    return Section("Head to head", lead, blocks)


def _listed(evidence: PoolEvidence) -> dict[frozenset[int], str]:
    """For two bots a link to the first of their matches that the section on matches lists."""
    rows = evidence.rows
    starts = [int(rows.starts[choice.match]) for choice in chosen_matches(evidence)]
    ids = boards.read_match_ids(evidence.tournament.folder, [int(evidence.row_numbers[start]) for start in starts])
    found: dict[frozenset[int], str] = {}
    for start in starts:
        end = int(rows.starts[rows.starts.searchsorted(start, side="right")])
        anchor = row_anchor(evidence, ids[int(evidence.row_numbers[start])])
        for pair in itertools.combinations(rows.bots[start:end].tolist(), 2):
            found.setdefault(frozenset(pair), f"#{anchor}")
    return found


def together(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """The section that shows which bots do better at one table than apart; only of games for three or more without teams."""
    if not evidence.rows.matches or np.diff(evidence.rows.starts).max() < 3 or len(evidence.bots) > MOST_TO_COMPARE:
        return None
    found = partners(evidence.rows)
    if not found:
        return None
    named = [pair for pair in found if pair.is_better]
    columns = [
        Column("bot", is_number=False), Column("and", is_number=False), Column("matches", meaning="that both played"),
        Column("better together", meaning="by how much larger a share of the other bots each finishes before"),
        Column("±", meaning="half of its interval over deals, corrected for the number of pairs"),
        Column("surely", is_number=False),
    ]  # fmt: skip
    rows = [_together(pair) for pair in found[: max(MOST_PARTNERS, len(named))]]
    lead = (
        f"Two bots at a table of three or more can play for each other. Compared are their results against every other bot in "
        f"matches with and without the partner. Of {len(found):,} pairs {_count(len(named))} better together than apart; if "
        f"nobody colludes, one pool of 40 names any pair (95 % intervals over deals, Bonferroni's correction for all pairs)."
    )
    return Section("Together and apart", lead, [Table(f"Pairs in {evidence.title}", columns, rows)])


def _count(pairs: int) -> str:
    return "none surely does" if not pairs else "1 surely does" if pairs == 1 else f"{pairs} surely do"


def _together(pair: Partners) -> list[Cell]:
    return [
        Cell(shown(*pair.bot)), Cell(shown(*pair.other)), Cell(f"{pair.matches:,}", pair.matches),
        Cell(f"{pair.gain:+.1%}".replace("-", "−"), pair.gain), Cell(f"{pair.half_width:.1%}", pair.half_width),
        Cell("yes" if pair.is_better else "no"),
    ]  # fmt: skip
