"""The server, measured: what `python -m lab server` prints. Figures of this machine; never a test.

The server runs in a process of its own, as `arena serve` runs it, but for the number of requests that an address may make: all
visitors of the bench have the same one. A second process writes matches into a journal and notes when each was committed; the
visitors note when each message came. All clocks are the machine's one monotonic clock.
"""

import asyncio
import contextlib
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from arena.cli.measuring.scale import PER_DEAL, Meter, Table, alone, processes
from arena.games import names
from arena.records import MatchRecord
from arena.results.journal import Journal, packed
from arena.results.lock import FolderLock
from arena.results.manifest import BotEntry, Manifest, write_manifest
from arena.results.status import Pace, Score
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings
from lab.answers import ACTIONS, GAMES, AnswerCost, answer_cost
from lab.drawn import CLICKS, browser_program, drawn_costs
from lab.rows import BOTS, POOLS, bot_name, bot_sha256, made_up
from lab.server_process import TABS, Server, open_server
from lab.visitors import Note, Visitor, visit

SOCKETS = 2_000
SECONDS = 20.0
OPEN_PAGES = 50
TURNS = 3
COMMIT_SECONDS = 0.1
PER_COMMIT = 20  # matches
BOARD = "board"
"""The tournament whose journal is written."""
_MOST_MATCHES = 3_000  # of the tournament that is played with and without pages
_PER_SECOND = 150  # matches for each second that is asked for, where that is fewer
LAST_SECONDS = 2.0  # for the last message
_ACTIONS_PER_SECOND = 5  # of people at live tables, for each second that is asked for
_CLICKS_PER_SECOND = 2  # in a browser, for each second that is asked for
_WARMING = 0.1  # share of the matches before the clock starts
_LOADED = re.compile(r'<(?:script|img|source|iframe)\b[^>]*?\bsrc="([^"]*)"|<link\b[^>]*?\bhref="([^"]*)"')
_OF_A_GAME = re.compile(r"<template data-game=.*?</template>", re.DOTALL)

Say = Callable[[str], None]


class SocketCost(msgspec.Struct, frozen=True, kw_only=True):
    """How fast matches that were committed to a journal reach all sockets, while a tournament plays beside it."""

    sockets: int
    open_s: float
    """Seconds to open all of them, one after the other in batches."""
    messages: int
    """Messages that came, all sockets together."""
    commits: int
    message_bytes: float
    """Mean size of a message."""
    p50_ms: float
    p95_ms: float
    """The time from a commit to the first message that tells of it, over all commits and sockets; ms. It includes the wait
    until the board is published again, at most once a second."""
    beyond_ms: float
    """`p95_ms` without that second."""
    newest_p95_ms: float
    """The time from the newest commit in a message to its arrival, over all messages; ms: the look, the rating and the way
    to the last socket, and the wait for the next look."""
    spread_p95_ms: float
    """The time from the first socket that has a message to each other one; ms."""
    cpu_us: float
    """CPU time of the server per message, all that it does besides included; microseconds."""
    server_mb: float
    """Resident memory of the server, in MB."""


class PageWeight(msgspec.Struct, frozen=True, kw_only=True):
    """What a browser loads for a page that it sees for the first time."""

    page: str
    kb: float
    """All of it, compressed, in kB: the page, its files, and the data that its script asks for."""
    page_kb: float
    """The page alone."""
    requests: int
    outside: int
    """Requests that leave the server."""


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament that was played once."""

    per_second: float
    """Matches per second."""
    driver_us: float
    """CPU time of the driver per match, in microseconds: what other programs on the machine take does not count."""


class TournamentPace(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament that was played with open pages and without, in turns."""

    pages: int
    without: tuple[Turn, ...]
    """Each turn without pages."""
    watched: tuple[Turn, ...]
    """Each turn with them."""

    @property
    def share(self) -> float:
        """The median matches per second with pages, as a share of those without."""
        watched, without = (np.median([turn.per_second for turn in turns]) for turns in (self.watched, self.without))
        return float(watched / without)


class ServerCost(msgspec.Struct, frozen=True, kw_only=True):
    """All figures of the server."""

    sockets: SocketCost
    pages: tuple[PageWeight, ...]
    pace: TournamentPace
    answers: tuple[AnswerCost, ...]
    """To the position that shows an action, as the socket brings it."""
    drawn: tuple[AnswerCost, ...]
    """The time from a click to the table that shows it, in a browser; empty where there is none to measure with."""


def server_cost(sockets: int, seconds: float, say: Say) -> ServerCost:
    """Measure the server with so many sockets for so many seconds."""
    say(f"sockets: {sockets:,} on a board that is written for {seconds:g} s, while a niced tournament plays ...")
    reached = socket_cost(sockets, seconds)
    say(f"tournament: {TURNS} turns with {OPEN_PAGES} open pages and {TURNS} without ...")
    matches = max(2 * PER_DEAL, min(_MOST_MATCHES, round(_PER_SECOND * seconds)))
    with Table(False, matches) as table:
        pace = tournament_pace(table, matches)
        say("pages: what a browser loads for each ...")
        pages = tuple(page_weights(table / "out"))
    say("live tables: from an action to the position that shows it ...")
    with tempfile.TemporaryDirectory(prefix="arena-hall-") as out, open_server(Path(out)) as server:
        answers = tuple(answer_cost(server, game, min(ACTIONS, round(seconds * _ACTIONS_PER_SECOND))) for game in GAMES)
        program = browser_program()
        if program:
            say("live tables: from a click to the table that shows it, in a browser ...")
        drawn = drawn_costs(server, program, max(2, min(CLICKS, round(seconds * _CLICKS_PER_SECOND)))) if program else ()
    return ServerCost(sockets=reached, pages=pages, pace=pace, answers=answers, drawn=drawn)


def socket_cost(sockets: int, seconds: float) -> SocketCost:
    """Open the sockets and follow a board that is written while a niced tournament plays beside it."""
    with tempfile.TemporaryDirectory(prefix="arena-hall-") as folder, Table(False, 100_000) as table:
        out = Path(folder)
        with begun(out / BOARD), _tournament(table), open_server(out) as server, processes(1) as writer:
            return asyncio.run(_follow(server, writer, out, sockets, seconds))


async def _follow(server: Server, writer: Any, out: Path, sockets: int, seconds: float) -> SocketCost:
    cookies = [server.logged_in() for _ in range(-(-sockets // TABS))]
    began = time.monotonic()
    async with visit(server.port, cookies, f"t/{BOARD}", sockets) as visitors:
        open_s = time.monotonic() - began
        for visitor in visitors:
            visitor.bytes = 0
        cpu = server.cpu_seconds()
        writing: Future[list[Note]] = writer.submit(write_board, out / BOARD, seconds)
        commits = await asyncio.wrap_future(writing)
        await asyncio.sleep(LAST_SECONDS)
        messages = sum(len(visitor.notes) - 1 for visitor in visitors)
        return SocketCost(
            sockets=sockets, open_s=open_s, messages=messages, commits=len(commits), server_mb=server.memory_mb(),
            message_bytes=sum(visitor.bytes for visitor in visitors) / max(1, messages),
            cpu_us=1e6 * (server.cpu_seconds() - cpu) / max(1, messages), **_reached(visitors, commits),
        )  # fmt: skip


def _reached(visitors: Sequence[Visitor], commits: Sequence[Note]) -> dict[str, float]:
    """Percentiles over commits, messages and sockets; ms."""
    when = np.array([at for at, _ in commits])
    done = np.array([count for _, count in commits])
    ages, newest = [], []
    first: dict[int, float] = {}
    for visitor in visitors:
        for at, count in visitor.notes[1:]:
            first[count] = min(first.get(count, at), at)
    spread = []
    for visitor in visitors:
        came = np.array([at for at, _ in visitor.notes[1:]])
        known = np.array([count for _, count in visitor.notes[1:]])
        place = np.searchsorted(known, done)  # the first message that tells of each commit
        told = place < len(known)
        ages.append(came[place[told]] - when[told])
        fresh = known < done[-1]  # a message after the last commit has nothing newer to tell, however late it is
        newest.append((came - when[np.searchsorted(done, known, side="right") - 1])[fresh])
        spread.append(came - np.array([first[count] for count in known.tolist()]))
    age, new, apart = (1e3 * np.concatenate(parts) for parts in (ages, newest, spread))
    p95 = float(np.percentile(age, 95))
    return {
        "p50_ms": float(np.percentile(age, 50)), "p95_ms": p95, "beyond_ms": p95 - 1e3,
        "newest_p95_ms": float(np.percentile(new, 95)), "spread_p95_ms": float(np.percentile(apart, 95)),
    }  # fmt: skip


@contextlib.contextmanager
def begun(folder: Path) -> Iterator[None]:
    """A folder that is being played in, as far as anybody can tell: a manifest, a journal, a lock."""
    with FolderLock(folder):
        bots = tuple(
            BotEntry(name=bot_name(bot), version=1, sha256=bot_sha256(bot), params="{}", games=POOLS, trusted=True)
            for bot in range(BOTS)
        )
        entries = [{"game": pool, "pool": pool, "options": {}} for pool in POOLS[:1]]
        manifest = Manifest(
            name=folder.name, finished=False, started="2026-11-21T00:00:00+00:00", config={"entries": entries}, packages={},
            rules_versions={}, bots=bots, pools=POOLS[:1], plan_sha256="", commitment="", matches=1_000_000,
        )  # fmt: skip
        write_manifest(folder, manifest)
        with Journal(folder) as journal:
            _store(journal, [], Score(), 0.0)
            yield


def write_board(folder: Path, seconds: float) -> list[Note]:
    """Commit made-up matches as a driver does; when each commit was made, and how many matches were done by it."""
    matches = made_up(np.random.default_rng(1), len(POOLS) * int(seconds / COMMIT_SECONDS + 2) * PER_COMMIT)
    began, notes, score = time.monotonic(), list[Note](), Score()
    with Journal(folder) as journal:
        while (now := time.monotonic()) < began + seconds:
            records = [next(matches) for _ in range(PER_COMMIT)]
            score = _store(journal, records, score, now - began)
            notes.append((time.monotonic(), score.done))
            time.sleep(max(0.0, began + COMMIT_SECONDS * len(notes) - time.monotonic()))
    return notes


def _store(journal: Journal, records: list[MatchRecord], score: Score, seconds: float) -> Score:
    finished = packed(records)
    score = score.plus(finished.endings)
    pace = Pace(total=1_000_000, played=score.done, seconds=seconds)
    journal.add(finished.rows, {**score.values(), **pace.values()})
    return score


@contextlib.contextmanager
def _tournament(table: Path) -> Iterator[None]:
    """A tournament that is played with what the machine has left."""
    play = [sys.executable, "-P", "-m", "arena", "tournament", "scale.yaml", "--backend", LOCAL, "--workers", "1"]
    with subprocess.Popen(
        ["nice", "-n", "10", *play], cwd=table, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            yield
        finally:
            process.terminate()


def tournament_pace(table: Path, matches: int) -> TournamentPace:
    """Play a tournament in turns: with open pages, and without."""
    watched, without = [], []
    for turn in range(TURNS):
        without.append(alone(_played, table, f"without-{turn}", matches))
        with open_server(table / "out") as server:
            watched.append(asyncio.run(_watched(server, table, f"watched-{turn}", matches)))
    return TournamentPace(pages=OPEN_PAGES, without=tuple(without), watched=tuple(watched))


async def _watched(server: Server, table: Path, name: str, matches: int) -> Turn:
    """A tournament while pages are open."""
    cookies = [server.logged_in() for _ in range(-(-OPEN_PAGES // TABS))]
    async with visit(server.port, cookies, f"t/{name}", OPEN_PAGES) as visitors:  # they wait for it to begin
        turn = await asyncio.to_thread(alone, _played, table, name, matches)
        assert all(len(visitor.notes) > 0 for visitor in visitors)
        return turn


def _played(table: Path, name: str, matches: int) -> Turn:
    """Play the tournament under this name."""
    meter = Meter(int(_WARMING * matches))
    run_tournament(table / "scale.yaml", Settings(out=table / "out", name=name, backend=LOCAL, workers=1), meter)
    seconds, cpu, played = meter.costs()
    return Turn(per_second=played / seconds, driver_us=1e6 * cpu / played)


def page_weights(out: Path) -> Iterator[PageWeight]:
    """What a browser loads for each page of a server with a finished tournament."""
    with open_server(out) as server:
        name = "without-0"
        (match,) = server.json(f"/api/t/{name}/matches?limit=1")["matches"]
        bot, match_id, pool = match["seats"][0]["bot"], match["match_id"], match["pool"]
        pages = {
            "/": (), f"/t/{name}": (), f"/t/{name}?pool={pool}": (), f"/t/{name}/matches?limit=200": (), f"/bots/{bot}": (),
            f"/m/{match_id}": (f"/api/m/{match_id}?page=0", f"/api/m/{match_id}/opinion"),
            f"/embed/m/{match_id}": (f"/embed/m/{match_id}.json?page=0",),
            "/tv": ("/api/tv", f"/api/t/{name}?pool={pool}", f"/api/m/{match_id}?page=0"),
            "/play": (), **{f"{path}/{game}": () for path in ("/rules", "/play", "/learn") for game in names()},
        }  # fmt: skip
        for page, data in pages.items():
            yield _weight(server, page, data)


def _weight(server: Server, page: str, data: Sequence[str]) -> PageWeight:
    packed_page, content = server.get(page)
    text = content.decode()
    targets = _loaded(_OF_A_GAME.sub("", text))
    kept = [_loaded(part) for part in _OF_A_GAME.findall(text)]  # one game is shown at a time: the heaviest counts
    sizes = {target: len(server.get(target)[0]) for target in set().union(targets, *kept) if _is_own(target)}
    one = max(kept, key=lambda files: sum(sizes.get(file, 0) for file in files - targets), default=set())
    loaded = [size for target, size in sizes.items() if target in targets | one]
    total = len(packed_page) + sum(loaded) + sum(len(server.get(target)[0]) for target in data)
    name = re.sub(r"[0-9a-f]{24}", "ID", page)
    return PageWeight(
        page=name, kb=total / 1e3, page_kb=len(packed_page) / 1e3, requests=1 + len(loaded) + len(data),
        outside=sum(not _is_own(target) for target in set().union(targets, *kept)),
    )  # fmt: skip


def _loaded(text: str) -> set[str]:
    return {target for found in _LOADED.findall(text) for target in found if target}


def _is_own(target: str) -> bool:
    return target.startswith("/") and not target.startswith("//")
