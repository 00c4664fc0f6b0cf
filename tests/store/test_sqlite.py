"""The door to SQLite: two processes may open a new file at the same moment."""

import threading
from pathlib import Path

from arena.store import sqlite


def test_a_file_that_somebody_else_is_making_is_waited_for(tmp_path: Path) -> None:
    """SQLite gives up at once there: it waits with its own busy handler for ordinary statements only."""
    path = tmp_path / "new.sqlite"
    maker = sqlite.opened(path, "rwc", is_shared=True)
    maker.execute("begin immediate")
    maker.execute("create table made (number integer)")
    later = threading.Timer(0.1, maker.execute, ["commit"])
    comer = sqlite.opened(path, "rw", is_shared=False)
    later.start()
    try:
        sqlite.keep_log(comer)
        assert comer.execute("pragma journal_mode").fetchone() == ("wal",)
        assert comer.execute("select count(*) from made").fetchone() == (0,)
    finally:
        later.join()
        for connection in (comer, maker):
            connection.close()
