"""The feed: looks at what is being watched, twice a second and only while somebody watches, and publishes what is new.

All reading and rating is done in one thread of its own, so that the loop is always free for sockets and pages.
"""

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from arena.disk import is_there
from arena.errors import StoreError
from arena.results.manifest import MANIFEST_FILE
from arena.server.library import Library
from arena.server.live_board.board import LiveBoards, Seen
from arena.server.live_board.channel import HOME, TOURNAMENT, Channel
from arena.server.problems import Problem
from arena.server.views.home import Home, home_of, without_paths
from arena.server.views.tournament import seen_of

LOG = logging.getLogger("arena.server")
POLL_SECONDS = 0.5
"""How often the journals are asked whether there is anything new."""
PUBLISH_SECONDS = 1.0
"""How often a channel has a message, at most."""
MOST_CHANNELS = 1024
"""Channels that are remembered; those without readers make room. An account can watch 64 (socket.py)."""

State = Seen | Home | str


class Feed:
    """All channels. Lives in the event loop."""

    def __init__(self, library: Library, boards: LiveBoards, clock: Callable[[], float] = time.monotonic) -> None:
        self._library, self._boards, self._clock = library, boards, clock
        self._epoch = secrets.token_hex(8)
        self._channels: dict[tuple[str, str | None], Channel] = {}
        self._published: dict[str, float] = {}
        self._looks: dict[str, asyncio.Task[dict[str, State]]] = {}
        self._thread = ThreadPoolExecutor(1, "arena-live")
        self._task: asyncio.Task[None] | None = None

    async def channel(self, name: str, pool: str | None) -> Channel:
        """A channel that knows its present state. Raises Problem 404 for a name that is none."""
        if name != HOME and not name.startswith(TOURNAMENT):
            raise Problem(404, "refusal_no_channel", name=repr(name), known=f"{HOME}, {TOURNAMENT}NAME")
        key = (name, pool if name != HOME else None)
        found = self._channels.get(key)
        if found is None:
            self._make_room()
            found = self._channels[key] = Channel(*key, self._epoch)
        if found.is_empty or not self._is_looking:
            await self._look_once(name)
        return found

    def watch(self) -> None:
        """Begin to look, because somebody watches. It ends by itself when nobody does."""
        if not self._is_looking:
            self._task = asyncio.get_running_loop().create_task(self._go_on())

    async def close(self) -> None:
        """End all work."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._thread.shutdown(wait=False, cancel_futures=True)

    @property
    def _is_looking(self) -> bool:
        return self._task is not None and not self._task.done()

    async def _look_once(self, name: str) -> None:
        """Look at one channel's subject; however many ask meanwhile wait for the same look."""
        if name not in self._looks:
            look = self._looks[name] = asyncio.get_running_loop().create_task(self._look([name]))
            look.add_done_callback(lambda _: self._looks.pop(name, None))
        began = self._clock()
        self._publish(name, (await asyncio.shield(self._looks[name]))[name], began)

    async def _go_on(self) -> None:
        while names := self._watched():
            began = self._clock()
            due = [name for name in names if self._next(name) <= began]
            try:
                for name, state in (await self._look(due)).items():
                    self._publish(name, state, began)
            except Exception:
                LOG.exception("a board could not be brought up to date")
            soon = [self._next(name) - self._clock() for name in names]
            await asyncio.sleep(min([POLL_SECONDS, *(wait for wait in soon if wait > 0.0)]))

    def _next(self, name: str) -> float:
        """Return when a channel may have its next message."""
        return self._published.get(name, -PUBLISH_SECONDS) + PUBLISH_SECONDS

    def _watched(self) -> list[str]:
        """The names of the channels that have readers."""
        return list(dict.fromkeys(name for (name, _), channel in self._channels.items() if channel.readers))

    async def _look(self, names: Iterable[str]) -> dict[str, State]:
        """The state of each channel's subject, found in the thread."""
        chosen = list(names)
        if not chosen:
            return {}
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: {name: self._state(name) for name in chosen})

    def _state(self, name: str) -> State:
        try:
            if name == HOME:
                return without_paths(home_of(self._library, self._boards))
            tournament = name.removeprefix(TOURNAMENT)
            folder = self._library.folder(tournament)
            if not is_there(folder / MANIFEST_FILE):
                return self._boards.seen(folder)
            return seen_of(self._library, self._boards, tournament, folder)
        except Problem as problem:
            return problem.message
        except (StoreError, OSError) as error:
            return f"these results cannot be read: {error}"

    def _publish(self, name: str, state: State, began: float) -> None:
        """Tell the readers of all channels of a name. `began`: when the look began, from which the next second counts."""
        told = [channel.publish(state) for (other, _), channel in self._channels.items() if other == name]
        if any(told):
            self._published[name] = began

    def _make_room(self) -> None:
        if len(self._channels) >= MOST_CHANNELS:
            self._channels = {key: channel for key, channel in self._channels.items() if channel.readers}
        if len(self._channels) >= MOST_CHANNELS:
            raise Problem(503, "refusal_many_watched")
