"""All live tables of the server, and how many there may be. Lives in the event loop."""

import asyncio
import contextlib
import os
from collections import OrderedDict
from collections.abc import Callable, Sequence

from arena.results.site_file import StoredPerson
from arena.server.problems import Problem
from arena.server.tables.plan import TablePlan
from arena.server.tables.seats import COMMAND
from arena.server.tables.table import Later, Table, in_loop

A_CORE, A_CORE_IN_REAL_TIME = 4, 2
"""Processes of tables for each core of the machine: most wait for people, those in real time seldom do."""
MOST_LOBBIES = 64
"""Tables whose people are still being waited for."""
MOST_KEPT = 100
"""Tables that are over and can still be looked at."""
MOST_PLAYED = 200
"""Matches of a person that are remembered as theirs."""


class Tables:
    """The tables by id."""

    def __init__(self, *, cores: int | None = None, later: Later = in_loop, command: Sequence[str] = COMMAND) -> None:
        self._cores = cores or len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        self._later, self._command = later, command
        self._tables: OrderedDict[str, Table] = OrderedDict()
        self._played: dict[str, OrderedDict[str, None]] = {}

    def open(
        self, plan: TablePlan, host: StoredPerson, pay: Callable[[float], object] = lambda seconds: None
    ) -> Table:  # fmt: skip
        """A new table, which starts at once if nobody else can join. Raises Problem 409 and 429.

        `pay`: is told how many CPU seconds it has taken.
        """
        self.check_free(host)
        if plan.has_lobby and sum(one.state == "lobby" for one in self._tables.values()) >= MOST_LOBBIES:
            raise Problem(429, "refusal_many_lobbies", most=MOST_LOBBIES)
        if not plan.has_lobby:
            self._check_room(plan)
        table = Table(plan, host, later=self._later, command=self._command, ended=self._ended, pay=pay)
        self._tables[table.id] = table
        self._make_room()
        if not plan.has_lobby:
            table.start()
        return table

    def check_free(self, person: StoredPerson | None) -> None:
        """Raise Problem 409 if the person sits at another table already."""
        if running := self.running(person):
            raise Problem(409, "refusal_has_table", table=running[0].id)

    def check_start(self, table: Table) -> None:
        """Raise Problem 429 if the machine has no room for another match."""
        self._check_room(table.plan)

    def at(self, table_id: str, person: StoredPerson | None) -> tuple[Table, int]:
        """A table and the seat of a person there. Raises Problem 404: whoever does not sit there learns nothing of it."""
        table = self._tables.get(table_id)
        seat = None if table is None else table.seat_of(person)
        if table is None or seat is None:
            raise Problem(404, "refusal_no_table")
        return table, seat

    def by_code(self, code: str) -> Table:
        """The table that a link leads to. Raises Problem 404."""
        for table in self._tables.values():
            if table.code == code:
                return table
        raise Problem(404, "refusal_no_link")

    def all(self) -> list[Table]:
        """All tables that are kept, the oldest first."""
        return list(self._tables.values())

    def of(self, person: StoredPerson | None) -> list[Table]:
        """The tables of a person, the newest first."""
        return [table for table in reversed(self._tables.values()) if table.seat_of(person) is not None]

    def running(self, person: StoredPerson | None) -> list[Table]:
        """The tables of a person whose match goes on or has yet to start."""
        return [table for table in self.of(person) if table.is_running]

    def has_played(self, person: StoredPerson | None, match_id: str) -> bool:
        """Return whether a person sat at the table of a match."""
        return person is not None and match_id in self._played.get(person.id, ())

    async def close(self) -> None:
        """End all tables, and wait until no process is left."""
        await asyncio.gather(*(table.close() for table in self._tables.values()), return_exceptions=True)

    def _check_room(self, plan: TablePlan) -> None:
        live = [table for table in self._tables.values() if table.has_process]
        fast = sum(table.plan.tick_ms is not None for table in live)
        if len(live) >= A_CORE * self._cores:
            raise Problem(429, "refusal_many_playing", most=A_CORE * self._cores)
        if plan.tick_ms is not None and fast >= A_CORE_IN_REAL_TIME * self._cores:
            raise Problem(429, "refusal_many_playing", most=A_CORE_IN_REAL_TIME * self._cores)

    def _ended(self, table: Table) -> None:
        if table.match_id is not None:
            for person in table.people():
                played = self._played.setdefault(person.id, OrderedDict())
                played[table.match_id] = None
                while len(played) > MOST_PLAYED:
                    played.popitem(last=False)

    def _make_room(self) -> None:
        """Forget the oldest tables that are over."""
        over = [table for table in self._tables.values() if not table.is_running and not table.has_process]
        for table in over[: max(0, len(over) - MOST_KEPT)]:
            del self._tables[table.id]
            with contextlib.suppress(RuntimeError):
                asyncio.get_running_loop().create_task(table.close())
