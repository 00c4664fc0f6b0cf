"""The door to SQLite: two processes may open a new file at the same moment."""

import sqlite3
import threading
from pathlib import Path

from arena.store import sqlite


def test_a_file_that_somebody_else_is_making_is_waited_for(tmp_path: Path) -> None:
    """SQLite gives up at once there: it waits with its own busy handler for ordinary statements only."""
    path = tmp_path / "new.sqlite"
    maker = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    maker.execute("begin immediate")
    maker.execute("create table made (number integer)")
    later = threading.Timer(0.1, maker.execute, ["commit"])
    later.start()
    try:
        comer = sqlite.opened(path, "rw", is_shared=False)
        assert comer.execute("pragma journal_mode").fetchone() == ("wal",)
        assert comer.execute("select count(*) from made").fetchone() == (0,)
    finally:
        later.join()
        maker.close()
    comer.close()
