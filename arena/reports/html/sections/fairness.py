"""What luck and seats had to do with it: seat advantage, and what the rotations saved."""

import math

import numpy as np

from arena.ratings.seat_advantage import SeatShare, seat_advantage
from arena.ratings.standings import DEALS_TO_COMPARE
from arena.reports.html.plots import Interval, Plotter
from arena.reports.pages.document import Block, Cell, Column, Plot, Section, Table, Words
from arena.reports.selection.evidence import PoolEvidence


def seats(evidence: PoolEvidence, plotter: Plotter) -> Section | None:
    """The section that compares the seats, over all bots."""
    if not evidence.rows.matches or np.diff(evidence.rows.starts).max() < 2:
        return None
    found = seat_advantage(evidence.rows)
    sizes = {share.seats for share in found}
    columns = [
        Column("seat", is_number=False), Column("matches"),
        Column("opponents beaten", meaning="share of the others at the table that finished behind, ties as halves"),
        Column("±", meaning="half of its 95 % interval over deals"), Column("wins"), Column("mean place"), Column("mean score"),
    ]  # fmt: skip
    rows = [
        [
            Cell(_seat(share, sizes), share.seats * 100 + share.seat), Cell(f"{share.matches:,}", share.matches),
            Cell(f"{share.better:.1%}", share.better),
            Cell("-" if math.isnan(share.half_width) else f"{share.half_width:.1%}", share.half_width),
            Cell(f"{share.wins:.1%}", share.wins), Cell(f"{share.mean_place:.2f}", share.mean_place),
            Cell(f"{share.mean_score:,.2f}", share.mean_score),
        ]
        for share in found
    ]  # fmt: skip
    blocks: list[Block] = [Table(f"Seats in {evidence.title}", columns, rows), Words(_seat_verdict(found, sizes))]
    if not any(math.isnan(share.half_width) for share in found):
        intervals = [
            Interval(f"seat {_seat(share, sizes)}", 100 * (share.better - share.half_width), 100 * share.better,
                     100 * (share.better + share.half_width))
            for share in found
        ]  # fmt: skip
        svg = plotter.intervals(
            intervals, "percent of opponents beaten", f"Advantage of each seat in {evidence.title}", middle=50.0
        )
        blocks.append(Plot(svg, "Dots are shares; lines their 95 % intervals over deals; dashed: no advantage."))
    lead = "What is left of a seat when every bot has played every deal from it; rotations share it out evenly among the bots."
    return Section("Seat advantage", lead, blocks)


def rotations(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """The section that says what playing each deal in all its rotations is worth."""
    deals, matches, saved = len(np.unique(evidence.rows.deals)), evidence.rows.matches, evidence.bars.saved
    if not matches:
        return None
    if deals == matches:
        text = "Every match has cards of its own here, so there is nothing that rotations could save."
    elif not math.isfinite(saved):
        text = "All matches share one deal, so what the rotations saved cannot be measured."
    else:
        text = (
            f"{matches:,} matches on {deals:,} deals. By playing each deal in all its seatings, a match tells as much as "
            f"{saved:.2f} matches with cards of their own"
            + ("." if saved >= 1 else ": here tables that share a deal cost more than its rotations save.")
        )
        if deals < DEALS_TO_COMPARE:
            text += f" With fewer than {DEALS_TO_COMPARE} deals that figure is rough."
    return Section("What the rotations saved", "", [Words(text)])


def _seat(share: SeatShare, sizes: set[int]) -> str:
    return f"{share.seat}" if len(sizes) == 1 else f"{share.seat} of {share.seats}"


def _seat_verdict(found: list[SeatShare], sizes: set[int]) -> str:
    clear = [share for share in found if abs(share.better - 0.5) > share.half_width]
    if not clear:
        return "No seat has an advantage that these deals could show."
    best = max(clear, key=lambda share: abs(share.better - 0.5))
    kind = "advantage" if best.better > 0.5 else "disadvantage"
    return f"Seat {_seat(best, sizes)} has a clear {kind}: it finishes before {best.better:.1%} of its opponents."
