"""Ladders, which never end: whether a tournament is one, or even that of a contest, and which of its legs are over."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.results.journal import JOURNAL_FILE, Journal
from arena.results.manifest import Manifest
from arena.tournament.formats.ladder.state import read_ladder


def is_ladder(manifest: Manifest) -> bool:
    """Return whether a tournament is a rating list that goes on."""
    return format_of(manifest).get("name") == "ladder"


def is_of_contest(manifest: Manifest) -> bool:
    """Return whether a tournament is the ladder of a contest, whose bots have owners."""
    return is_ladder(manifest) and isinstance(format_of(manifest).get("owners"), list)


def leg_is_over(folder: Path, index: int) -> bool:
    """Return whether a match of a ladder that goes on belongs to a leg that is over. Raises StoreError.

    Every leg has a key of its own, so nobody who is still to play gets the cards of such a match. A stage is stored before its
    first match is.
    """
    if not (folder / JOURNAL_FILE).exists():
        return False
    with Journal(folder, is_read_only=True) as journal:
        state = read_ladder(journal)
    if state is None or not state.legs:
        return False
    newest = [stage.first_index for stage in state.stages if stage.number >= state.legs[-1].first_stage]
    return state.has_ended or index < min(newest, default=math.inf)


def format_of(manifest: Manifest) -> Mapping[str, Any]:
    """The format of a tournament with what was played of it."""
    found = manifest.config.get("format")
    return found if isinstance(found, dict) else {}
