"""Real kills: of the ladder, which is started again, and of the server, which leaves nothing behind; then the same board."""

import os
import signal
from pathlib import Path

import pytest

from arena.audit.results_audit import audit_results
from arena.results.journal import Journal, stored_matches
from arena.results.lock import running_process
from arena.results.manifest import published_matches
from arena.server.running_contest.running import COMMAND
from arena.tournament.workers.ray.watchdog import descendants
from helpers.contests import submit, write_contest
from helpers.processes import survivors, until
from helpers.serving import served
from helpers.tournaments import journalled

pytestmark = pytest.mark.slow


def ladder_of(server: int) -> int | None:
    """The process of the ladder beside a server."""
    for child in descendants({server}):
        try:
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if COMMAND[-1].encode() in words:
            return child
    return None


def test_killed_ladders_and_servers_lose_nothing_and_leave_nothing(tmp_path: Path) -> None:
    results = tmp_path / "out"
    contest, folder = write_contest(tmp_path, ladder={"sigma": 0.3, "separable": False}), results / "class"
    with served(results, "--contest", contest, "--workers", 1) as open_server:
        server = open_server.process
        until(lambda: journalled(folder) > 20)
        first = ladder_of(server)
        assert first is not None
        submit(results, "alice")
        os.kill(first, signal.SIGKILL)
        until(lambda: ladder_of(server) not in (None, first))
        stored = journalled(folder)
        until(lambda: journalled(folder) > stored)
        children = descendants({server})
        os.kill(server, signal.SIGKILL)
        until(lambda: not survivors(children))
    before = stored_matches(folder)
    assert running_process(folder) is None
    with served(results, "--contest", contest, "--workers", 1) as open_server:
        server = open_server.process
        until(lambda: journalled(folder) > before)
        children = descendants({server})
        os.kill(server, signal.SIGINT)
        until(lambda: not survivors(children))
    with Journal(folder, is_read_only=True) as journal:
        ids = [record.match_id for record in journal.records()]
        assert any(seat.bot == "alice" for record in journal.records() for seat in record.seats)
    assert len(set(ids)) == len(ids) == published_matches(folder) > before
    assert audit_results(folder, 1, lambda _: None).problems == []
