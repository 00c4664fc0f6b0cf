"""The authors' own evidence: the first faults of each bot with what it saw and printed, and everybody's slowest decisions."""

from collections.abc import Sequence

import msgspec

from arena import game as games
from arena.capsule import AT_START, pack, setup_of
from arena.errors import ArenaError, printable
from arena.ratings import author
from arena.records import Clock
from arena.report.document import Block, Cell, Column, Log, Section, Table
from arena.report.evidence import PoolEvidence, shown
from arena.report.plots import Plotter
from arena.store import parquet
from arena.store.schema import StoredFault

EACH, MOST = 3, 24  # faults of a bot, and of all bots together, that are shown
SLOWEST_EACH = 2  # matches of a bot
_REASON_LETTERS = 300


def faults(evidence: PoolEvidence, _: Plotter) -> Section | None:
    """What the bots did wrong, and what they knew then."""
    columns = parquet.read_columns(evidence.hall.folder, author.COLUMNS)
    stored = parquet.read_faults(evidence.hall.folder)
    own = {bot: author.faults_of(columns, stored, evidence.pool, bot) for bot in evidence.bots} if stored else {}
    chosen = [fault for found in own.values() for fault in found[:EACH]][:MOST]
    if not chosen:
        return None
    total = sum(map(len, own.values()))
    logs = [_log(evidence, fault) for fault in chosen]
    rows = [_row(fault, log.anchor) for fault, log in zip(chosen, logs)]
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
    """Which matches to look at for speed."""
    columns = parquet.read_columns(evidence.hall.folder, author.COLUMNS)
    found = [(bot, slow) for bot in evidence.bots for slow in author.slowest(columns, evidence.pool, bot)[:SLOWEST_EACH]]
    if not found:
        return None
    ids = parquet.read_match_ids(evidence.hall.folder, [slow.row for _, slow in found])
    heads = [
        Column("bot", is_number=False), Column("match", is_number=False, is_code=True), Column("seat"),
        Column("CPU ms", meaning="of its slowest decision in the match"),
    ]  # fmt: skip
    rows = [
        [Cell(shown(*bot)), Cell(ids[slow.row]), Cell(f"{slow.seat}", slow.seat), Cell(f"{slow.cpu_ms:,.1f}", slow.cpu_ms)]
        for bot, slow in found
    ]
    lead = f"The {SLOWEST_EACH} matches of each bot with its slowest decisions."
    blocks: Sequence[Block] = [Table(f"Slowest decisions in {evidence.title}", heads, rows)]
    return Section("Slowest decisions", lead, blocks)


def _row(fault: StoredFault, anchor: str) -> list[Cell]:
    reason = printable(fault.reason.partition("\nit printed: ")[0], _REASON_LETTERS)
    return [
        Cell(shown(fault.bot, fault.bot_version)), Cell(fault.match_id, link=anchor), Cell(f"{fault.seat}", fault.seat),
        Cell(f"{fault.decision}", fault.decision), Cell(fault.ending.value), Cell(reason),
    ]  # fmt: skip


def _log(evidence: PoolEvidence, fault: StoredFault) -> Log:
    """All that there is: reason, exit, output, and the view, which needs the match's key."""
    where = "at the start" if fault.decision == AT_START else f"at decision {fault.decision}"
    parts = [fault.reason.partition("\nit printed: ")[0]]
    if fault.exit:
        parts.append(f"its process: {fault.exit}")
    parts.append(f"it printed:\n{fault.output}" if fault.output else "it printed nothing")
    parts.append(_seen(evidence, fault))
    title = f"{shown(fault.bot, fault.bot_version)}: {fault.ending.value} {where} of {fault.match_id}"
    anchor = f"{evidence.anchor}-fault-{fault.match_id}-{fault.seat}-{fault.decision}"
    return Log(anchor, title, "\n\n".join(part for part in parts if part))


def _seen(evidence: PoolEvidence, fault: StoredFault) -> str:
    """What the bot saw, in words; why not, where it cannot be told."""
    manifest = evidence.hall.manifest
    if fault.decision == AT_START:
        return ""
    if manifest.key is None:
        return "What it saw is shown when the tournament is over."
    try:
        record = parquet.find_match(evidence.hall.folder, fault.match_id)
        game = games.load(record.game)
        if record.rules_version != game.version:
            return f"What it saw is left out: the rules of {record.game} have changed since."
        setup = setup_of(record, bytes.fromhex(manifest.key), msgspec.convert(manifest.config["clock"], Clock))
        view = pack(game, record, setup, manifest.name, fault.seat, fault).view
    except (ArenaError, ValueError, KeyError, StopIteration) as error:
        return f"What it saw is left out: {printable(str(error))}"
    return f"it saw:\n{view}"
