"""Who beats whom: the heat map."""

from arena.report.html.document import Block, Cell, Column, Section, Table, Words
from arena.report.html.plots import Plotter
from arena.report.selection.evidence import PoolEvidence
from arena.report.selection.names import name_of

MOST_BOTS = 40  # in the map: its fields grow with their square


def heat_map(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """The section that shows how often the row's bot finished ahead of the column's."""
    if len(evidence.bots) < 2 or not evidence.pairs.meetings.any():
        return None
    pairs, order, ratings = evidence.pairs, evidence.ranked[:MOST_BOTS], evidence.ratings[:MOST_BOTS]
    columns = [Column("bot", is_number=False), Column("#", meaning="the number of this bot's column")]
    columns += [Column(str(place + 1), meaning=name_of(rating)) for place, rating in enumerate(ratings)]
    rows = []
    for place, (number, rating) in enumerate(zip(order, ratings)):
        fields = [Cell(name_of(rating)), Cell(str(place + 1), place + 1)]
        for other in order:
            share = pairs.share(number, other)
            hint = f"{pairs.meetings[number, other]:,} matches" if share is not None else ""
            fields.append(Cell("" if share is None else f"{100 * share:.0f}", share=share, hint=hint))
        rows.append(fields)
    lead = (
        "Percent of the matches of two bots in which the bot of the row finished before that of the column, ties as halves. "
        "The columns have the numbers of the rows; blue is good for the row, orange for the column."
    )
    blocks: list[Block] = [Table(f"Head to head in {evidence.title}", columns, rows, heat="sides")]
    if len(evidence.ratings) > MOST_BOTS:
        way_out = f"`arena leaderboard {evidence.tournament.manifest.name} --head-to-head --format csv` has all."
        blocks.append(Words(f"The best {MOST_BOTS} of {len(evidence.ratings):,} bots; {way_out}"))
    return Section("Head to head", lead, blocks)
