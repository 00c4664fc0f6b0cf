"""Where results lie: the folder of tournaments, submitted bots and the hall."""

import os
from pathlib import Path

RESULTS = Path("leaderboards")
"""The results folder of a working folder."""
RESULTS_VARIABLE = "ARENA_RESULTS"
"""The environment variable that names another one."""


def nearest_results() -> Path:
    """`leaderboards/` here, or in the nearest folder above that has one; here, if none has.

    A folder that belongs to another user is passed over: in a place that many write to, anybody could put one.
    """
    for up in (Path(), *(Path(*[".."] * level) for level in range(1, len(Path.cwd().parts)))):
        folder = up / RESULTS
        if folder.is_dir() and (up == Path() or folder.stat().st_uid == os.geteuid()):
            return folder
    return RESULTS
