"""Who beats whom: the heat map."""

from arena.report.document import Cell, Column, Section, Table
from arena.report.evidence import PoolEvidence, of
from arena.report.plots import Plotter


def heat_map(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """Row before column, how often."""
    if len(evidence.bots) < 2 or not evidence.pairs.meetings.any():
        return None
    pairs, order = evidence.pairs, evidence.ranked
    columns = [Column("bot", is_number=False), Column("#", meaning="the number of this bot's column")]
    columns += [Column(str(place + 1), meaning=of(rating)) for place, rating in enumerate(evidence.ratings)]
    rows = []
    for place, (number, rating) in enumerate(zip(order, evidence.ratings)):
        fields = [Cell(of(rating)), Cell(str(place + 1), place + 1)]
        for other in order:
            share = pairs.share(number, other)
            hint = f"{pairs.meetings[number, other]:,} matches" if share is not None else ""
            fields.append(Cell("" if share is None else f"{100 * share:.0f}", share, share, hint=hint))
        rows.append(fields)
    lead = (
        "Percent of the matches of two bots in which the bot of the row finished before that of the column, ties as halves. "
        "The columns have the numbers of the rows; blue is good for the row, orange for the column."
    )
    return Section("Head to head", lead, [Table(f"Head to head in {evidence.title}", columns, rows, heat="sides")])
