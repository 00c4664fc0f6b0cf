"""How the server and its results folder are at one moment, as numbers: of no person, and of no bot."""

import contextlib
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import arena
from arena.disk import is_there
from arena.errors import StoreError
from arena.match.model_seat import ISOLATION as MODEL
from arena.match.sandbox import LOCKED, NAMESPACE, NONE, PROCESS
from arena.records import Ending
from arena.results import parquet
from arena.results.inbox import State
from arena.results.schema import MATCHES
from arena.server.asking import matches
from arena.server.library import Library
from arena.server.limits import cpu_seconds
from arena.server.metrics.exposition import COUNTER, GAUGE, Family, by_label, single
from arena.server.people.store import PERSON, REMOTE_SEAT
from arena.server.problems import Problem
from arena.server.tables import table
from arena.server.views.state import UNREADABLE, Progress, progress_of
from arena.tournament.workers.ray.watchdog import descendants

if TYPE_CHECKING:
    from arena.server.app import Server

ISOLATIONS = (NONE, PROCESS, LOCKED, NAMESPACE, MODEL, PERSON, REMOTE_SEAT)
OTHER = "other"
"""What an isolation is called that a file names and this version does not know."""
STATES = ("starting", "running", "stopped", "finished", "unreadable")
"""How far a tournament may be."""
DOING = ("starting", "compiling", "playing", "waiting", "failed")
"""What the ladder of a contest does."""
_OF_MATCH = (matches.WAITING, matches.STARTING, matches.COMPILING, matches.PLAYING, matches.OVER, matches.BROKEN)
_OF_TABLE = (table.LOBBY, table.STARTING, table.COMPILING, table.PLAYING, table.OVER, table.BROKEN)
_PAGE = os.sysconf("SC_PAGE_SIZE")


def of_loop(server: "Server") -> list[Family]:
    """What lives in the event loop: tables, matches that were asked for, remote programs, the contest's ladder."""
    tables = server.tables.all()
    found = [
        by_label("tables", GAUGE, "Tables of people, by state; those that are over are kept for a while.", "state",
            _counted([one.state for one in tables], _OF_TABLE)),
        single("people_at_tables", GAUGE, "Seats that people hold at tables that are not over.",
            sum(len(list(one.people())) for one in tables if one.is_running)),
        by_label("asked_matches", GAUGE, "Matches that were asked for, by state; `waiting` is the queue.", "state",
            _counted(server.bot_matches.states(), _OF_MATCH)),
        single("remote_programs", GAUGE, "Programs that are connected from their authors' machines.", len(server.lobby.here())),
    ]  # fmt: skip
    if server.contest is not None:
        state = server.contest.state
        found += [
            by_label("contest_ladder", GAUGE, "What the ladder of the contest does: 1, and all else 0.", "doing",
                _counted([state.doing], DOING)),
            single("contest_matches", GAUGE, "Matches that the ladder has played.", state.matches),
            single("contest_matches_per_second", GAUGE, "How fast it has played of late.", state.rate),
        ]  # fmt: skip
    return found


def of_folder(server: "Server") -> Iterator[Family]:
    """What is read from the results folder, and of the processes. Reads files: for threads."""
    found = [_progress(server, name, folder) for name, folder in server.library.folders().items()]
    yield by_label("tournaments", GAUGE, "Tournaments of the results folder, by state.", "state",
        _counted([one.state for one in found], STATES))  # fmt: skip
    waiting = sum(max(0, one.total - one.done) for one in found if one.is_running)
    counts = {"played": sum(one.done - one.void for one in found), "void": sum(one.void for one in found), "waiting": waiting}
    yield by_label("matches", GAUGE, "Matches of all tournaments; waiting: of those that are being played.", "state", counts)
    endings = {ending.value: float(sum(one.endings.get(ending, 0) for one in found)) for ending in Ending}
    yield by_label("seat_endings", GAUGE, "Seats of stored matches by how the match ended for them.", "ending", endings)
    yield single("faults", GAUGE, "Of these those that blame the bot.",
        sum(endings[ending.value] for ending in Ending if ending.blame == "bot"))  # fmt: skip
    yield by_label("seats", GAUGE, "Seats in written results, by isolation.", "isolation", _isolations(server))
    with contextlib.suppress(StoreError):
        states = server.submitting.inbox.states()
        yield by_label("submissions", GAUGE, "Submissions by state; `waiting` is the queue.", "state",
            {state.value: states.get(state, 0) for state in State})  # fmt: skip
    yield from _processes()


def _counted(found: Sequence[str], known: Sequence[str]) -> dict[str, float]:
    """How many there are of each, those that are missing as 0; what is not known is left out."""
    counts = Counter(found)
    return {name: counts[name] for name in known}


def _progress(server: "Server", name: str, folder: Path) -> Progress:
    try:
        return progress_of(server.library, name, folder)
    except (StoreError, OSError, Problem):
        return UNREADABLE


def _isolations(server: "Server") -> dict[str, float]:
    """How many seats were played at each level; results of elsewhere may name others, and all these are one."""
    found: Counter[str] = Counter()
    for name, folder in server.library.folders().items():
        with contextlib.suppress(StoreError, OSError, Problem):
            found.update(_isolations_of(server.library, name, folder))
    known = {name: float(found.pop(name, 0)) for name in ISOLATIONS}
    return known | {OTHER: float(sum(found.values()))}


def _isolations_of(library: Library, name: str, folder: Path) -> dict[str, int]:
    def read() -> dict[str, int]:
        texts = parquet.read_columns(folder, ["isolation"]).texts["isolation"]
        return dict(zip(texts.values, map(int, np.bincount(texts.codes, minlength=len(texts.values)))))

    return library.kept(("isolations", name), folder, read, (MATCHES.file,)) if is_there(folder / MATCHES.file) else {}


def _processes() -> Iterator[Family]:
    own, below = os.getpid(), descendants({os.getpid()})
    yield by_label("process_resident_memory_bytes", GAUGE, "Memory of the server, and of all that it has started.", "process",
        {"server": _resident(own), "children": sum(map(_resident, below))})  # fmt: skip
    yield single("processes", GAUGE, "Processes: the server, and all that it has started.", 1 + len(below))
    yield single("process_cpu_seconds_total", COUNTER, "CPU time of these, and of those that have ended.", cpu_seconds(own))
    with contextlib.suppress(OSError):
        yield single(
            "process_open_fds", GAUGE, "Open files and sockets of the server.", len(list(Path("/proc/self/fd").iterdir()))
        )


def _resident(pid: int) -> float:
    try:
        return float(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError):  # it has ended, or this is no Linux
        return 0.0


def about(started: float) -> list[Family]:
    """What the server is. `started`: by the clock of the machine."""
    return [
        by_label("info", GAUGE, "The version of arena.", "version", {arena.__version__: 1}),
        single("start_time_seconds", GAUGE, "When the server was opened; seconds since 1970.", started),
    ]
