"""The authors' own evidence: the first faults of each bot with what it saw and printed, and everybody's slowest decisions."""

import itertools
from collections.abc import Sequence

import numpy as np

from arena import games
from arena.audit.capsule import AT_START, seen_at, setup_of
from arena.errors import ArenaError, printable
from arena.reports.html.plots import Plotter
from arena.reports.pages.document import Block, Cell, Column, Log, Section, Table
from arena.reports.selection.evidence import PoolEvidence
from arena.reports.selection.names import shown
from arena.results import parquet
from arena.results.manifest import read_manifest, stored_clock
from arena.results.schema import FaultPlace, StoredFault
from arena.tournament.archive import boards
from arena.tournament.archive.finding import key_of_stored

EACH, MOST = 3, 24  # faults of a bot, and of all bots together, that are shown
SLOWEST_EACH = 2  # matches of a bot
_REASON_LETTERS = 300


def faults(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """The section with the first faults of each bot: what was wrong, what it saw and what it printed."""
    by_bot: dict[tuple[str, int], list[FaultPlace]] = {bot: [] for bot in evidence.bots}
    for place in evidence.faults:
        by_bot.setdefault((place.fault.bot, place.fault.bot_version), []).append(place)
    chosen = [place for own in by_bot.values() for place in own[:EACH]][:MOST]
    if not chosen:
        return None
    total = len(evidence.faults)
    logs = [_log(evidence, place) for place in chosen]
    rows = [_row(place.fault, log.anchor) for place, log in zip(chosen, logs)]
    heads = [
        Column("bot", is_number=False), Column("match", is_number=False, is_code=True), Column("seat"),
        Column("decision", meaning="as `arena replay` numbers them; -1: at the start"), Column("ending", is_number=False),
        Column("reason", is_number=False, is_long=True),
    ]  # fmt: skip
    lead = (
        f"{len(chosen):,} of {total:,} faults: the first {EACH} of each bot, with what it saw and printed. "
        f"`arena capsule MATCH SEAT --run` brings the bot there again."
    )
    return Section("Faults", lead, [Table(f"Faults in {evidence.title}", heads, rows), *logs])


def slow_decisions(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """The section that names the matches with the slowest decisions."""
    times = evidence.tournament.slowest_ms[evidence.row_numbers]
    order = np.lexsort((-times, evidence.rows.bots))
    firsts = np.searchsorted(evidence.rows.bots[order], range(len(evidence.bots) + 1))
    chosen = [int(row) for first, end in itertools.pairwise(firsts) for row in order[first : min(end, first + SLOWEST_EACH)]]
    if not chosen:
        return None
    stored = [int(evidence.row_numbers[row]) for row in chosen]
    ids = boards.read_match_ids(evidence.tournament.folder, stored)
    seats = [row - int(evidence.rows.starts[np.searchsorted(evidence.rows.starts, row, side="right") - 1]) for row in chosen]
    heads = [
        Column("bot", is_number=False), Column("match", is_number=False, is_code=True), Column("seat"),
        Column("CPU ms", meaning="of its slowest decision in the match"),
    ]  # fmt: skip
    rows = [
        [
            Cell(shown(*evidence.bots[evidence.rows.bots[row]])), Cell(ids[number]), Cell(f"{seat}", seat),
            Cell(f"{times[row]:,.1f}", float(times[row])),
        ]
        for row, number, seat in zip(chosen, stored, seats)
    ]  # fmt: skip
    lead = f"The {SLOWEST_EACH} matches of each bot with its slowest decisions."
    blocks: Sequence[Block] = [Table(f"Slowest decisions in {evidence.title}", heads, rows)]
    return Section("Slowest decisions", lead, blocks)


def _row(fault: StoredFault, anchor: str) -> list[Cell]:
    reason = printable(fault.reason.partition("\nit printed: ")[0], _REASON_LETTERS)
    return [
        Cell(shown(fault.bot, fault.bot_version)), Cell(fault.match_id, link=f"#{anchor}"), Cell(f"{fault.seat}", fault.seat),
        Cell(f"{fault.decision}", fault.decision), Cell(fault.ending.value), Cell(reason),
    ]  # fmt: skip


def _log(evidence: PoolEvidence, place: FaultPlace) -> Log:
    """Everything known of a fault: reason, exit, output, and the view, which needs the match's key."""
    fault = place.fault
    where = "at the start" if fault.decision == AT_START else f"at decision {fault.decision}"
    parts = [fault.reason.partition("\nit printed: ")[0]]
    if fault.exit:
        parts.append(f"its process: {fault.exit}")
    parts.append(f"it printed:\n{fault.output}" if fault.output else "it printed nothing")
    parts.append(_seen(place))
    title = f"{shown(fault.bot, fault.bot_version)}: {fault.ending.value} {where} of {fault.match_id}"
    anchor = f"{evidence.anchor}-fault-{fault.match_id}-{fault.seat}-{fault.decision}"
    return Log(anchor, title, "\n\n".join(part for part in parts if part))


def _seen(place: FaultPlace) -> str:
    """What the bot saw, in words; or why that is left out."""
    fault = place.fault
    if fault.decision == AT_START:
        return ""
    try:
        manifest = read_manifest(place.folder)
        if manifest.key is None:
            return "What it saw is shown when the tournament is over."
        record = parquet.find_match(place.folder, fault.match_id)
        game = games.load(record.game)
        if record.rules_version != game.version:
            return f"What it saw is left out: the rules of {record.game} have changed since."
        key = key_of_stored(place.folder, record, bytes.fromhex(manifest.key))
        setup = setup_of(record, key, stored_clock(manifest, place.folder))
        view = seen_at(game, record, setup, fault.seat, fault.decision)
    except (ArenaError, ValueError, KeyError, StopIteration) as error:
        return f"What it saw is left out: {printable(str(error))}"
    return f"it saw:\n{view}"
