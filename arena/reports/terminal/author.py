"""A bot's own evidence on the command line: its faults with what it printed, its slowest decisions, the seeds of its losses."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from arena.hints import hints
from arena.ratings.author import Seeds
from arena.reports.terminal.page import Column, Page, cut, fitting
from arena.results.schema import StoredFault

_FAULTS_SHOWN, _OUTPUT_LINES = 3, 6  # on the page; JSON has all of them


class SlowDecision(msgspec.Struct, frozen=True):
    """The slowest decision of a match."""

    match_id: str
    seat: int
    cpu_ms: float


class AuthorEvidence(msgspec.Struct, frozen=True):
    """What the author of a bot wants to see of one pool."""

    faults: Sequence[StoredFault]
    """The bot's faults, in plan order."""
    slowest: Sequence[SlowDecision]
    """The matches with its slowest decisions, the slowest first."""
    seeds: Mapping[str, Seeds]
    """The seeds of its worst losses, by match id; empty until the key of the deals is public."""


def author_rows(found: AuthorEvidence) -> dict[str, Any]:
    """The evidence as plain data, for JSON."""
    plain: dict[str, Any] = msgspec.to_builtins(found)
    return plain


def print_author_evidence(pool: str, found: AuthorEvidence, page: Page) -> None:
    """Print the evidence for the author of a bot about one pool."""
    page.say("")
    page.say(f"{pool}, for the author:", "bold")
    slowest = found.slowest
    if slowest:
        columns = [
            Column("slowest", [slow.match_id for slow in slowest], justify="left"),
            Column("seat", [str(slow.seat) for slow in slowest]),
            Column("CPU ms", [f"{slow.cpu_ms:,.1f}" for slow in slowest]),
        ]
        page.table(columns)
    if found.seeds:
        page.say("")
        columns = [
            Column("seeds of", list(found.seeds), justify="left"),
            Column("deal", [seeds.deal for seeds in found.seeds.values()], 2, "left"),
            Column("bot", [seeds.bot for seeds in found.seeds.values()], 1, "left"),
        ]
        page.table(fitting(columns, page.width, "seeds of"))
    _print_faults(found.faults, page)


def _print_faults(faults: Sequence[StoredFault], page: Page) -> None:
    for fault in faults[:_FAULTS_SHOWN]:
        page.say("")
        where = "at the start" if fault.decision < 0 else f"at decision {fault.decision}"
        page.say(f"{fault.ending.value} {where} of {fault.match_id}, seat {fault.seat}", "red")
        reason, _, _ = fault.reason.partition("\nit printed: ")
        for line in reason.splitlines():
            page.say(f"  {cut(line, max(40, page.width - 2))}")
        for hint in hints([reason]):
            page.say(f"  {hint}", "yellow")
        if fault.exit:
            page.say(f"  its process: {fault.exit}")
        if fault.output:
            page.say("  it printed at the end:")
            for line in fault.output.splitlines()[-_OUTPUT_LINES:]:
                page.say(f"    {cut(line, max(40, page.width - 4))}")
    if faults:
        page.say("")
        rest = len(faults) - _FAULTS_SHOWN
        more = f"and {rest:,} more (--format json has all); " if rest > 0 else ""
        page.say(f"{more}what it saw then, and what it does now: arena capsule {faults[0].match_id} {faults[0].seat} --run")
