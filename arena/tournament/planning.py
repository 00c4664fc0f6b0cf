"""The plan of a run: made of its config, and held against what its folder has already."""

from pathlib import Path
from typing import Any

import msgspec

from arena.disk import is_there
from arena.errors import ConfigError, StoreError
from arena.match.seeds import key_from_seed, new_key
from arena.records import canonical_json
from arena.results.journal import Journal
from arena.results.manifest import MANIFEST_FILE
from arena.tournament.config import Tournament
from arena.tournament.formats.plan import Contestant, Plan
from arena.tournament.formats.schedule import FormatState

MOST_MATCHES = 100_000_000  # a byte of memory each


class OtherPlan(StoreError):
    """A folder that holds results of another plan than the one that is to be played there."""

    def __init__(self, folder: Path, differing: list[str]) -> None:
        """`differing`: the settings in which the two differ, in the words of the config."""
        self.differing = ", ".join(differing)
        super().__init__(
            f"{folder}: holds results of another plan (it differs in {self.differing}); start anew with --fresh (the "
            f"old results are set aside), or choose another --name"
        )


def plan_of(
    tournament: Tournament, contestants: tuple[Contestant, ...], seed: int | None, journal: Journal, folder: Path
) -> tuple[Plan, FormatState | None]:
    """The plan with the journal's key, or with a new one that is stored at once; refuses a journal of another plan.

    With it the state of a format that goes on after its end.
    """
    has_matches = next(journal.indices(), None) is not None
    stored_key = journal.meta("key") if has_matches else None
    key = key_from_seed(seed) if seed is not None else stored_key or new_key()
    plan = Plan(
        entries=tournament.entries, contestants=contestants, rotations=tournament.rotations, clock=tournament.clock,
        limits=tournament.limits, faults=tournament.faults, key=key, seed=seed, format=tournament.format,
    )  # fmt: skip
    plan, state = plan.format.begin(plan, journal, has_matches=has_matches)
    matches = max(len(plan), plan.format.most_matches(plan))
    if matches > MOST_MATCHES:
        raise ConfigError(f"deals: {matches:,} matches are too many for one tournament, {MOST_MATCHES:,} are possible")
    document = canonical_json(plan.lasting_document)
    stored = journal.meta("plan")
    if stored is None and is_there(folder / MANIFEST_FILE):  # the journal is written first
        raise StoreError(
            f"{folder}: holds results, but {journal.path.name} is missing or empty: it cannot go on; restore that, "
            f"or move the folder away to start anew (a tournament also has --fresh, which does that, and --name)"
        )
    if stored is None or not has_matches:  # what was never begun binds nobody
        journal.set_meta({"plan": document.encode()})
    elif stored.decode() != document:
        differing = _differences(msgspec.json.decode(stored), msgspec.json.decode(document))
        raise OtherPlan(folder, differing)
    journal.set_meta({"key": plan.key, **(state.values() if state is not None else {})})
    return plan, state


def _differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The settings in which two plans differ, in the words of the config."""
    words = {"entries": "games", "contestants": "bots", "commitment": "seed"}
    keys = [words.get(key, key) for key in {**old, **new} if old.get(key) != new.get(key)]
    names = {bot["name"] for bot in old["contestants"] if bot in new["contestants"]}
    changed = sorted({bot["name"] for bot in old["contestants"] + new["contestants"]} - names)
    return sorted({f"bots: {', '.join(changed)}" if key == "bots" else key for key in keys})
