"""A contest under load, and in a storm: what `python -m lab contest` does, prints and checks. Loopback only.

The server is the command that anybody types, in a process of its own, with a ladder that really plays. Scripted authors submit,
look, watch, play and ask for matches; server, ladder, checker and tables are killed at random moments. In the end nothing that
was confirmed may be lost, no match may be there twice, the board must follow from the stored matches, and no process may be
left.
"""

import datetime
import itertools
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import numpy as np

from arena.agent.submissions import Submissions
from arena.errors import ArenaError, StoreError
from arena.ratings.standings import Standings
from arena.ratings.stored import stored_field, stored_settings
from arena.results.accounts import TERMINAL, Accounts
from arena.results.inbox import Inbox, Sent, State
from arena.results.journal import Journal
from arena.results.manifest import read_manifest
from arena.results.site_file import SiteFile
from lab.contest_authors import GAME, RIVAL, SECONDS, WATCHED_SECONDS, Author, Diary
from lab.contest_storm import Served, Storm
from lab.server_process import open_server
from lab.visitors import Note

NAME = "contest"
AUTHORS = 50
LONGEST_SECONDS = 3600.0
"""It stops after that long, whatever is left to do."""
STUCK_SECONDS = 90.0
"""How long nothing may happen at the end, while the queue becomes empty and the ladder rates what was accepted."""
_DIGITS = 4  # of the numbers of a board
_LOOK_SECONDS = 0.1  # between two looks at the journal
_WORKERS = 1
_CONTEST = {
    "name": NAME, "games": [{"game": GAME, "seats": 2}], "quotas": {"versions_a_day": 1000, "pending": 1},
    "reference_bots": [{"path": RIVAL, "trusted": True}],
}  # fmt: skip

Say = Callable[[str], None]


class ContestCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a contest under load has shown."""

    authors: int
    seconds: float
    """How long the authors were at work."""
    kills: dict[str, int]
    """How many processes were killed, by kind."""
    confirmed: int
    """Submissions that the server confirmed."""
    unconfirmed: int
    """Submissions that a kill cut short: nobody was told that they had arrived."""
    states: dict[str, int]
    """How the confirmed ones ended."""
    over_quota: int
    submissions_a_minute: float
    rated: int
    """Versions with a rated match."""
    rated_p50_s: float | None
    rated_p95_s: float | None
    """The time from the arrival of a submission to its first rated match, checks and queue included; seconds."""
    accepted_p50_s: float | None
    accepted_p95_s: float | None
    """The same, counted from the end of its check."""
    pages: int
    pages_p50_ms: float | None
    pages_p95_ms: float | None
    boards: int
    """Messages of boards."""
    boards_p95_ms: float | None
    """The time from the newest stored match in a message to its arrival; ms. The wait until it is published is in it."""
    tables: int
    actions: int
    matches_asked: int
    matches: int
    """Matches of the ladder."""
    end_seconds: float
    """The time from Ctrl-C to the end of the server."""
    left: int
    """Processes that outlived the server."""
    wrong: tuple[str, ...]
    """What is not as it has to be; empty if all is right."""

    @property
    def is_right(self) -> bool:
        """Whether nothing was lost, doubled or left, and no answer was a mistake."""
        return not self.wrong


def contest_cost(out: Path, *, authors: int, seconds: float, kills: int, seed: int, say: Say) -> ContestCost:
    """Hold a contest in an empty folder for so many seconds, and until so many processes were killed."""
    contest = out / "contest.yaml"
    contest.write_bytes(msgspec.json.encode(_CONTEST))  # JSON is YAML
    results = out / "leaderboards"
    results.mkdir()
    with socket.socket() as place:
        place.bind(("127.0.0.1", 0))
        port = int(place.getsockname()[1])
    tokens = list(_invited(results, authors))
    served = Served(results, contest, port, _WORKERS)
    try:
        return _Contest(results, served, port, tokens, Storm(served, kills, random.Random(seed)), say).held(seconds, seed)
    finally:
        served.close()


def _invited(results: Path, authors: int) -> Iterator[str]:
    """The tokens of so many authors, who have all used their links."""
    file = SiteFile(results)
    accounts = Accounts(file)
    try:
        for one in accounts.invite(TERMINAL, [f"author {number}" for number in range(authors)]):
            joined = accounts.join(one.code)
            assert joined is not None
            yield joined.token
    finally:
        file.close()


class _Contest:
    def __init__(self, results: Path, served: Served, port: int, tokens: list[str], storm: Storm, say: Say) -> None:
        self._results, self._served, self._port, self._tokens = results, served, port, tokens
        self._storm, self._say = storm, say
        self._diary = Diary()
        self._inbox = Inbox(results)
        self._commits: list[Note] = []
        self._began = time.monotonic()

    def held(self, seconds: float, seed: int) -> ContestCost:
        ends, watched = threading.Event(), threading.Event()
        authors = [
            Author(number, token, port=self._port, contest=NAME, diary=self._diary, ends=ends, seed=seed)
            for number, token in enumerate(self._tokens)
        ]
        watcher = threading.Thread(target=self._note_commits, args=[watched], daemon=True)
        try:
            for thread in (*authors, watcher):
                thread.start()
            self._rage(seconds)
        finally:
            ends.set()
        worked = time.monotonic() - self._began
        for author in authors:
            author.join(SECONDS + WATCHED_SECONDS)
        self._settle()
        watched.set()
        watcher.join()
        self._say("Ctrl-C ...")
        code, end_seconds = self._served.end()
        left = self._served.left()
        wrong = list(self._wrong())
        if code:
            wrong.append(f"the server ended with exit code {code}")
        if left:
            wrong.append(f"{left} processes outlived the server")
        return self._cost(worked, end_seconds, left, wrong)

    def _rage(self, seconds: float) -> None:
        """Let the authors work, and kill."""
        said = self._began
        while (now := time.monotonic() - self._began) < seconds or not self._storm.is_over:
            if now > LONGEST_SECONDS:
                raise ArenaError(f"only {self._storm.killed.total()} kills in {LONGEST_SECONDS:.0f} s")
            if self._storm.is_over:
                time.sleep(min(1.0, max(0.0, seconds - now)))
            else:
                self._storm.step(self._commits[-1][1] if self._commits else 0)
            self._served.look()
            if time.monotonic() - said > 10.0:
                said = time.monotonic()
                self._say(
                    f"{self._storm.killed.total()} kills, {len(self._diary.confirmed)} submissions, "
                    f"{len(self._diary.pages):,} pages, {self._commits[-1][1] if self._commits else 0:,} matches"
                )

    def _settle(self) -> None:
        """Wait until all submissions have ended and all that were accepted are rated, as long as that goes on."""
        for what, is_open in (("checked", self._inbox.pending), ("rated", lambda: len(self._unrated()))):
            before, left = -1, is_open()
            self._say(f"waiting until all is {what}: {left} to go ...")
            while left:
                if left != before:
                    before, deadline = left, time.monotonic() + STUCK_SECONDS
                if time.monotonic() > min(deadline, self._began + LONGEST_SECONDS):
                    break
                self._served.look()
                time.sleep(_LOOK_SECONDS)
                left = is_open()

    def _unrated(self) -> list[Sent]:
        """The newest accepted version of each bot, where it has no rated match yet."""
        newest: dict[str, Sent] = {}
        for sent in self._sent():
            if sent.state is State.ACCEPTED and (sent.version or 0) >= (
                newest[sent.bot].version or 0 if sent.bot in newest else 0
            ):
                newest[sent.bot] = sent
        return [sent for sent in newest.values() if sent.rated is None]

    def _sent(self) -> list[Sent]:
        return self._inbox.everything(most=1_000_000)

    def _note_commits(self, ends: threading.Event) -> None:
        """Note when matches were stored."""
        while not ends.wait(_LOOK_SECONDS):
            try:
                with Journal(self._results / NAME, is_read_only=True) as journal:
                    self._commits.append((time.monotonic(), journal.count()))
            except StoreError:  # it is just being made
                pass

    def _wrong(self) -> Iterator[str]:
        """What is not as it has to be, in words."""
        known = {sent.id: sent for sent in self._sent()}
        for name, bot in self._diary.confirmed.items():
            if name not in known:
                yield f"submission {name} of {bot} was confirmed, and is lost"
            elif known[name].state.is_pending:
                yield f"submission {name} of {bot} is {known[name].state} at the end"
        versions = Counter((sent.bot, sent.version) for sent in known.values() if sent.state is State.ACCEPTED)
        missing = [f"{bot} v{version}" for bot, version in versions if not self._is_kept(bot, version)]
        if missing:
            yield f"accepted, and not kept: {', '.join(missing)}"
        yield from (f"{count} times: {what}" for what, count in self._diary.wrong.items())
        yield from self._wrong_matches()

    def _is_kept(self, bot: str, version: int | None) -> bool:
        return any(one.version == version for one in Submissions(self._results).versions(bot))

    def _wrong_matches(self) -> Iterator[str]:
        folder = self._results / NAME
        try:
            with Journal(folder, is_read_only=True) as journal:
                records = list(journal.records())
        except StoreError as error:
            yield f"the journal of the ladder cannot be read: {error}"
            return
        for what, count in (
            ("ids", len({record.match_id for record in records})), ("places in the plan", len({one.index for one in records})),
        ):  # fmt: skip
            if count != len(records):
                yield f"{len(records)} matches have {count} {what}: some are there twice"
        manifest = read_manifest(folder)
        standings = Standings(stored_settings(manifest, folder), stored_field(manifest))
        for record in sorted(records, key=lambda one: one.index):
            standings.add(record)
        again = {
            (one.bot, one.bot_version): _row(one.mu, one.sigma, one.matches) for one in standings.ratings() if one.pool == GAME
        }
        with open_server(self._results) as server:
            rows = server.json(f"/api/t/{NAME}?pool={GAME}&hidden=true")["board"]
        shown = {(row["bot"], row["version"]): _row(row["mu"], row["sigma"], row["matches"]) for row in rows}
        if shown != again:
            differ = [
                f"{bot} v{version}"
                for bot, version in sorted(shown.keys() | again.keys())
                if shown.get((bot, version)) != again.get((bot, version))
            ]
            yield f"the board does not follow from the stored matches: {', '.join(differ)}"

    def _cost(self, worked: float, end_seconds: float, left: int, wrong: list[str]) -> ContestCost:
        diary, sent = self._diary, [one for one in self._sent() if one.id in self._diary.confirmed]
        rated = [one for one in sent if one.rated is not None]
        lags = _lags(diary.notes, self._commits)
        pages = [1e3 * one for one in diary.pages]
        return ContestCost(
            authors=len(self._tokens), seconds=worked, kills=dict(self._storm.killed), confirmed=len(diary.confirmed),
            unconfirmed=diary.unconfirmed, states=dict(Counter(one.state.value for one in sent)), over_quota=diary.full,
            submissions_a_minute=60 * len(diary.confirmed) / worked, rated=len(rated),
            **_percentiles("rated", "s", [_between(one.received, one.rated) for one in rated]),
            **_percentiles("accepted", "s", [_between(one.ended, one.rated) for one in rated]),
            pages=len(pages), **_percentiles("pages", "ms", pages), boards=len(diary.notes),
            boards_p95_ms=_percentiles("", "", lags)["_p95_"], tables=diary.tables, actions=diary.actions,
            matches_asked=diary.matches, matches=self._commits[-1][1] if self._commits else 0, end_seconds=end_seconds,
            left=left, wrong=tuple(wrong),
        )  # fmt: skip


def _lags(notes: list[Note], commits: list[Note]) -> list[float]:
    """The time from the newest match in a message to its arrival, for messages with something new; ms."""
    if not commits:
        return []
    first: dict[int, float] = {}
    for at, count in commits:
        first.setdefault(count, at)
    counts, when = np.array(sorted(first)), np.array([first[count] for count in sorted(first)])
    fresh = [pair for pair in itertools.pairwise(sorted(notes)) if pair[1][1] > pair[0][1]]
    found = []
    for _, (at, count) in fresh:
        place = int(np.searchsorted(counts, count))
        if place < len(counts) and at > when[place]:
            found.append(1e3 * (at - when[place]))
    return found


def _percentiles(name: str, unit: str, values: list[float]) -> dict[str, float | None]:
    return {f"{name}_p{share}_{unit}": float(np.percentile(values, share)) if values else None for share in (50, 95)}


def _between(first: str | None, last: str | None) -> float:
    """Seconds between two times of the site's file, which has whole seconds."""
    assert first is not None and last is not None
    return (datetime.datetime.fromisoformat(last) - datetime.datetime.fromisoformat(first)).total_seconds()


def _row(mu: float, sigma: float, matches: int) -> tuple[float, float, int]:
    return round(mu, _DIGITS), round(sigma, _DIGITS), matches
