"""Scripted authors of a contest: each submits bots, looks at pages, watches the board, plays at tables and asks for matches.

An author is a thread with a token, as a person with a browser and a program would be. The server may be killed under it at any
moment: what gets no answer is tried again later, and only what was confirmed is counted.
"""

import contextlib
import http.client
import random
import re
import threading
import time
import urllib.parse
from collections import Counter
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any

import msgspec

from lab.answers import GAMES
from lab.tab import Tab
from lab.visitors import Note

SECONDS = 30.0
"""How long an author waits for an answer."""
WATCHED_SECONDS = 4.0
ACTIONS = 6
"""Actions at a table, after which the author leaves."""
GAME, RIVAL = GAMES[0], "house:random_bot"
_PAUSE = (0.2, 1.5)  # seconds between two acts
_GONE = 0.5  # seconds after which an author looks whether a server that is gone has come back
_DONE = re.compile(rb'"done":(\d+)')
_LOST = (OSError, http.client.HTTPException, ValueError, EOFError)
_BOT = '''from arena.agent import Agent


class Scripted(Agent):
    """Version {version} of {name}."""

    games = ("{game}",)

    def act(self, view):
        return view.legal[{choice} % len(view.legal)]
'''
_CRASHING = '''from arena.agent import Agent


class Scripted(Agent):
    """Version {version} of {name}, which is wrong."""

    games = ("{game}",)

    def act(self, view):
        raise ValueError({choice})
'''
_WRONG_SHARE = 0.15


@dataclass
class Diary:
    """What all authors together have seen. Threads share it."""

    confirmed: dict[str, str] = field(default_factory=dict)
    """The id of each submission that the server confirmed, and its bot."""
    unconfirmed: int = 0
    """Submissions that got no answer: the server was killed meanwhile."""
    full: int = 0
    """Submissions beyond the quota."""
    pages: list[float] = field(default_factory=list)
    """Seconds for each page."""
    notes: list[Note] = field(default_factory=list)
    """When each message of the board came, and how many matches it knew."""
    tables: int = 0
    actions: int = 0
    matches: int = 0
    """Matches that were asked for."""
    lost: int = 0
    """Acts that a kill cut short."""
    wrong: Counter[str] = field(default_factory=Counter)
    """Answers that are none of those expected."""


class Author(threading.Thread):
    """One author; `start` it, and set `ends` to end it."""

    def __init__(
        self, number: int, token: str, *, port: int, contest: str, diary: Diary, ends: threading.Event, seed: int
    ) -> None:  # fmt: skip
        super().__init__(name=f"author-{number}", daemon=True)
        self.bot = f"bot_{number:03}"
        self._address = f"10.0.{number // 250}.{number % 250 + 1}"
        self._token, self._port, self._contest, self._diary, self._ends = token, port, contest, diary, ends
        self._stream = random.Random(f"{seed} {number}")
        self._version = 0
        self._not_before = 0.0
        self._last = ""  # the id of the last submission
        self._cookie = ""

    def run(self) -> None:
        """Do one thing after the other."""
        acts = [self._submit] * 6 + [self._look] * 10 + [self._watch] * 3 + [self._play] * 2 + [self._ask_for_a_match] * 2
        act = self._submit
        while not self._ends.is_set():
            try:
                act()
            except _LOST:
                self._diary.lost += 1
                self._ends.wait(_GONE)
            act = self._stream.choice(acts)
            self._ends.wait(self._stream.uniform(*_PAUSE))

    def _submit(self) -> None:
        if time.monotonic() < self._not_before or self._is_pending():
            return
        self._version += 1
        text = _CRASHING if self._stream.random() < _WRONG_SHARE else _BOT
        code = text.format(game=GAME, name=self.bot, version=self._version, choice=self._stream.randrange(1000))
        try:
            status, body = self._asked("PUT", f"/api/bots/{self.bot}", code)
        except _LOST:
            self._diary.unconfirmed += 1
            raise
        if status == http.HTTPStatus.CREATED:
            self._last = msgspec.json.decode(body)["id"]
            self._diary.confirmed[self._last] = self.bot
        elif status == http.HTTPStatus.TOO_MANY_REQUESTS:
            self._diary.full += 1
            self._not_before = time.monotonic() + float(msgspec.json.decode(body).get("seconds") or 1)
        else:
            self._note_wrong("PUT /api/bots/NAME", status, body)

    def _is_pending(self) -> bool:
        """Whether the last submission has yet to be checked."""
        if not self._last:
            return False
        status, body = self._asked("GET", f"/api/submissions/{self._last}")
        if status != http.HTTPStatus.OK:
            self._note_wrong("GET /api/submissions/ID", status, body)
            return True
        return bool(msgspec.json.decode(body)["submission"]["is_pending"])

    def _look(self) -> None:
        pages = (
            "/",
            f"/t/{self._contest}",
            f"/t/{self._contest}?pool={GAME}",
            "/bots",
            f"/bots/{self.bot}",
            "/me",
            "/marks",
            "/api/me",
        )
        page = self._stream.choice(pages)
        began = time.perf_counter()
        status, body = self._asked("GET", page)
        if status == http.HTTPStatus.OK:
            self._diary.pages.append(time.perf_counter() - began)
        elif status != http.HTTPStatus.NOT_FOUND:  # a contest or a bot that nobody knows yet
            self._note_wrong(f"GET {page.replace(self.bot, 'NAME')}", status, body)

    def _watch(self) -> None:
        end = time.monotonic() + WATCHED_SECONDS
        with Tab(self._port, "/live", self._logged_in(), WATCHED_SECONDS) as tab:
            tab.say(b'{"watch":"t/%s"}' % self._contest.encode())
            while time.monotonic() < end and not self._ends.is_set():
                with contextlib.suppress(TimeoutError):  # nothing new for so long
                    if found := _DONE.search(tab.heard()):
                        self._diary.notes.append((time.monotonic(), int(found[1])))

    def _play(self) -> None:
        opening = msgspec.json.encode({"game": GAME, "seats": ["me", "level:beginner"]}).decode()
        status, body = self._asked("POST", "/api/tables", opening)
        if status != http.HTTPStatus.CREATED:
            if status not in (http.HTTPStatus.CONFLICT, http.HTTPStatus.SERVICE_UNAVAILABLE, http.HTTPStatus.TOO_MANY_REQUESTS):
                self._note_wrong("POST /api/tables", status, body)  # those: a table already, or none free
            return
        table = msgspec.json.decode(body)["table"]
        try:
            with Tab(self._port, f"/tables/{table}/socket", self._logged_in(), SECONDS) as tab:
                self._diary.tables += 1
                self._act(tab)
        finally:
            self._asked("POST", f"/tables/{table}/leave", "")

    def _act(self, tab: Tab) -> None:
        done = 0
        while done < ACTIONS and not self._ends.is_set():
            message: dict[str, Any] = msgspec.json.decode(tab.heard())
            if message["kind"] == "over" or message.get("state") == "broken":
                return
            if message["kind"] == "ask":
                action = self._stream.choice(message["legal"])
                tab.say(msgspec.json.encode({"kind": "act", "decision": message["decision"], "action": action}))
                self._diary.actions += 1
                done += 1

    def _ask_for_a_match(self) -> None:
        wish = msgspec.json.encode({"game": GAME, "bots": [self.bot, RIVAL]}).decode()
        status, body = self._asked("POST", "/api/ask", wish)
        if status == http.HTTPStatus.CREATED:
            self._diary.matches += 1
        elif status >= http.HTTPStatus.INTERNAL_SERVER_ERROR and status != http.HTTPStatus.SERVICE_UNAVAILABLE:
            self._note_wrong("POST /api/ask", status, body)  # it may be refused: the bot is not there yet, or one is played

    def _logged_in(self) -> str:
        """The cookie of a session, which outlives the server."""
        if not self._cookie:
            answer, _ = self._sent("POST", "/login", urllib.parse.urlencode({"token": self._token}), {})
            jar = SimpleCookie(answer.getheader("set-cookie", "")).values()
            if not jar:
                raise ValueError(f"{self.name} is not let in: status {answer.status}")
            self._cookie = "; ".join(f"{morsel.key}={morsel.value}" for morsel in jar)
        return self._cookie

    def _asked(self, method: str, path: str, body: str | None = None) -> tuple[int, bytes]:
        answer, content = self._sent(method, path, body, {"Authorization": f"Bearer {self._token}"})
        return answer.status, content

    def _sent(
        self, method: str, path: str, body: str | None, headers: dict[str, str]
    ) -> tuple[http.client.HTTPResponse, bytes]:  # fmt: skip
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SECONDS)
        try:
            connection.request(method, path, body, {**headers, "X-Forwarded-For": self._address})
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()

    def _note_wrong(self, what: str, status: int, body: bytes) -> None:
        self._diary.wrong[f"{what}: {status} {body[:160].decode('utf-8', 'replace')}"] += 1
