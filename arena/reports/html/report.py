"""The report of a tournament: what it shows, in which order. A new section is a function in `sections/` and a line here."""

from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from arena.reports.html.plots import Plotter
from arena.reports.html.sections import overview, strength
from arena.reports.pages.document import Chapter, Document, Fact, Section
from arena.reports.pages.template import anchor
from arena.reports.selection.boards import headline
from arena.reports.selection.evidence import Evidence, PoolEvidence
from arena.reports.selection.names import shown

POOL_SECTIONS = (
    "strength.ranking",
    "strength.rating_history",
    "pairs.heat_map",
    "pairs.together",
    "strength.rank_chances",
    "strength.opinions",
    "conduct.decision_time",
    "conduct.endings",
    "faults.faults",
    "faults.slow_decisions",
    "fairness.seats",
    "fairness.rotations",
    "luck.skill",
    "matches.matches",
)
"""The sections about each rating pool, in order: a file of `sections/` and a `PoolSection` in it."""
OVERVIEW_SECTIONS = (
    "overview.leaders",
    "overview.by_game",
    "overview.field",
    "overview.provenance",
)
"""The sections about the whole tournament, in order, after the picture of the ranks, the notes and the overall ranking."""

PoolSection = Callable[[PoolEvidence, Plotter], Section | None]
"""Makes a section about one rating pool; None if there is nothing to show."""
OverviewSection = Callable[[Evidence], Section | None]
"""Makes a section about the whole tournament; None if there is nothing to show."""


def report(folder: Path, say: Callable[[str], None] = lambda _: None) -> Document:
    """Read a tournament's folder and build its report, pool by pool. Raises StoreError. `say`: called with the present step."""
    say("reading the matches")
    tournament = Evidence(folder)
    plotter = Plotter()
    chapters = []
    for number, name in enumerate(tournament.pools):
        say(f"{shown(name)} ({number + 1} of {len(tournament.pools)})")
        chapters.append(_pool(tournament.pool(name, f"pool-{number}-{anchor(name)}"), plotter))
    about_all: list[OverviewSection] = [section(name) for name in OVERVIEW_SECTIONS]
    firsts = [strength.ranks(tournament, plotter), overview.warnings(tournament), *strength.overall(tournament, plotter)]
    summary = Chapter("overview", "Overview", "", _present([*firsts, *(make(tournament) for make in about_all)]))
    return Document(
        title=f"{tournament.manifest.name}: tournament report",
        summary=headline(tournament.manifest).partition(": ")[2],
        facts=[Fact(name, value) for name, value in overview.facts(tournament)],
        chapters=[summary, *chapters],
        footer=f"Made by arena from {shown(tournament.manifest.name)}, started {tournament.manifest.started}.",
    )


def section(name: str) -> Any:
    """The function of a section, a `PoolSection` or an `OverviewSection`. `name`: its file in `sections/` and its own name."""
    file, function = name.split(".")
    return getattr(import_module(f"arena.reports.html.sections.{file}"), function)


def _pool(evidence: PoolEvidence, plotter: Plotter) -> Chapter:
    entries = [_entry(entry) for entry in evidence.entries]
    sections: list[PoolSection] = [section(name) for name in POOL_SECTIONS]
    return Chapter(
        evidence.anchor, evidence.title, "; ".join(entries), _present([make(evidence, plotter) for make in sections])
    )


def _present(sections: Sequence[Section | None]) -> list[Section]:
    return [section for section in sections if section is not None]


def _entry(entry: dict[str, Any]) -> str:
    """A game of the config in words."""
    table = f"{entry.get('game')}, {entry.get('seats')} seats"
    deals = entry.get("deals")  # of the hall, every tournament had its own number
    return table if deals is None else f"{table}, {deals} {'deal' if deals == 1 else 'deals'} a table"
