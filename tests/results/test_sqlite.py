"""The door to SQLite: who else uses the same file."""

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

from arena.results import sqlite


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


def test_looking_at_a_file_keeps_the_locks_on_it(tmp_path: Path) -> None:
    """A process loses every lock on a file once it closes any descriptor of it: the next one to come removed the log."""
    path = tmp_path / "kept.sqlite"
    writer = sqlite.opened(path, "rwc", is_shared=False)
    writer.execute("create table kept (number integer)")
    assert not sqlite.is_half_made(path)
    comer = "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.execute('select * from kept').fetchall(); db.close()"
    subprocess.run([sys.executable, "-c", comer, str(path)], check=True)
    assert path.with_name("kept.sqlite-wal").exists()  # whoever closes last removes it, and the other is open
    writer.execute("insert into kept values (1)")
    reader = sqlite.opened(path, "ro", is_shared=False)
    assert reader.execute("select count(*) from kept").fetchone() == (1,)
    reader.close()
    writer.close()
    assert sorted(tmp_path.iterdir()) == [path]
