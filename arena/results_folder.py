"""Where results lie: the folder of tournaments, submitted bots and the archive; and who may read what strangers leave there.

Private by default. A results folder with the setgid bit (`chmod g+s`) is shared: whatever is made below it belongs to its
group, which may then read and write as its owner does.
"""

import os
import stat
from pathlib import Path

from arena.disk import set_mode

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


def protect(*paths: Path) -> None:
    """Keep everybody away from files and folders but their owner, and their group in a shared folder. Raises OSError.

    Folders come before what lies in them.
    """
    for path in paths:
        mode = 0o700 if path.is_dir() or path.stat().st_mode & stat.S_IXUSR else 0o600
        if path.parent.stat().st_mode & stat.S_ISGID:
            mode |= mode >> 3 | (stat.S_ISGID if path.is_dir() else 0)
        set_mode(path, mode)


def umask_of(results: Path) -> int:
    """The umask of a process that writes what `protect` would protect, in every file of a results folder. Raises OSError."""
    is_shared = results.exists() and results.stat().st_mode & stat.S_ISGID
    return 0o007 if is_shared else 0o077
