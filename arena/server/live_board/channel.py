"""Channels: numbered messages to all who watch one table, and what goes over a socket: JSON, one message a frame.

A tab asks to watch a channel: `home`, or a tournament as `t/NAME` with one of its pools. The messages of a channel are
numbered. Who comes back names the last one and gets the rest, or a snapshot where that is too long ago or the server is a
new one.
"""

from collections import deque
from collections.abc import Iterable
from typing import Annotated, Protocol

import msgspec

from arena.server.live_board.board import Seen
from arena.server.views.home import Home
from arena.server.views.state import Progress
from arena.server.views.tables import BoardRow

HOME = "home"
TOURNAMENT = "t/"

_Short = Annotated[str, msgspec.Meta(max_length=300)]
_Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]


class Watch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a tab sends: it wants the messages of a channel, or to know whether the server is still there."""

    watch: _Short = ""
    """The channel: `home`, or `t/NAME`."""
    pool: _Short | None = None
    """The pool of a tournament; by default its first table."""
    epoch: _Short | None = None
    """The epoch of the last message that the tab knows."""
    last: _Number | None = None
    """The number of that message."""
    ping: _Number | None = None
    """Asks for `Alive` with the same number, and for nothing else."""


class Alive(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="alive"):
    """The answer to a ping."""

    ping: int


class Snapshot(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="snapshot"):
    """A whole table."""

    channel: str
    asked: str | None
    """The pool that the tab asked for."""
    epoch: str
    number: int
    progress: Progress
    pools: tuple[str, ...]
    pool: str | None
    """The pool of the table; None: there is no table yet."""
    board: tuple[BoardRow, ...]
    """The rows, best first."""
    behind: int


class ChangedRow(msgspec.Struct, frozen=True, array_like=True):
    """The numbers of a row that may change, as an array: thousands of tabs get each of them every second."""

    bot: str
    version: int
    rank: int | None
    rank_low: int | None
    rank_high: int | None
    separable: bool | None
    rating: float
    mu: float
    low: float
    high: float
    matches: int
    wins: int
    mean_place: float
    faults: int
    online: float | None
    bound: str


class Update(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="update"):
    """What has changed in a table since the message before."""

    channel: str
    asked: str | None
    """The pool that the tab asked for."""
    epoch: str
    number: int
    progress: Progress
    rows: tuple[ChangedRow, ...]
    """The rows that have changed; the others stay. Rows are ordered by rating, then by name."""
    behind: int


class HomeNews(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="home"):
    """All tournaments, whenever one of them has changed."""

    channel: str
    epoch: str
    number: int
    home: Home


class Trouble(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag="trouble"):
    """Why a channel has nothing to tell; it goes on by itself when that is over."""

    channel: str
    asked: str | None
    """The pool that the tab asked for."""
    epoch: str
    number: int
    error: str


Message = Snapshot | Update | HomeNews | Trouble
"""What a socket sends."""


REMEMBERED = 60
"""Messages of a channel that can be sent again: a minute of a board that moves."""


class Reader(Protocol):
    """Somebody who watches."""

    def offer(self, channel: "Channel", text: str) -> None:
        """Take a message, without waiting."""


class Channel:
    """The messages of one channel. Lives in the event loop."""

    def __init__(self, name: str, asked: str | None, epoch: str) -> None:
        """`asked`: the pool; `epoch`: tells this run of the server from others."""
        self.name, self.asked = name, asked
        self.readers: set[Reader] = set()
        self.number = 0
        """The number of the newest message."""
        self._epoch = epoch
        self._state: Seen | Home | str | None = None
        self._sent: deque[tuple[int, str]] = deque(maxlen=REMEMBERED)
        self._snapshot = (-1, "")

    @property
    def is_empty(self) -> bool:
        """Whether nothing is known of the channel yet."""
        return self._state is None

    def publish(self, state: Seen | Home | str) -> bool:
        """Tell all readers what is different now; False if nothing is. `state`: a text if there is trouble."""
        if state == self._state:
            return False
        before, self._state = self._state, state
        self.number += 1
        message = self._update(before, state) if isinstance(state, Seen) else None
        text = _text(message or self._whole())
        self._sent.append((self.number, text))
        for reader in tuple(self.readers):
            reader.offer(self, text)
        return True

    def missed(self, epoch: str | None, last: int | None) -> list[str]:
        """Return what somebody gets who comes, or comes back: the messages since the `last` one, or a snapshot."""
        oldest = self._sent[0][0] if self._sent else self.number + 1
        if epoch == self._epoch and last is not None and oldest - 1 <= last <= self.number:
            return [text for number, text in self._sent if number > last]
        return [self.snapshot()]

    def snapshot(self) -> str:
        """All that is known, as one message with the newest number; encoded once for all who need it."""
        if self._snapshot[0] != self.number:
            self._snapshot = (self.number, _text(self._whole()))
        return self._snapshot[1]

    def _whole(self) -> Message:
        state, epoch, number = self._state, self._epoch, self.number
        if isinstance(state, Home):
            return HomeNews(channel=HOME, epoch=epoch, number=number, home=state)
        if not isinstance(state, Seen):
            return Trouble(
                channel=self.name, asked=self.asked, epoch=epoch, number=number, error=state or "nothing is known yet"
            )
        pool = self._pool(state)
        return Snapshot(
            channel=self.name, asked=self.asked, epoch=epoch, number=number, progress=state.progress, pools=state.pools,
            pool=pool, board=self._rows(state), behind=state.behind,
        )  # fmt: skip

    def _update(self, before: Seen | Home | str | None, state: Seen) -> Message | None:
        """The rows that have changed; None: a snapshot is needed, because there are other bots or other tables."""
        if not isinstance(before, Seen) or before.pools != state.pools:
            return None
        old, new = ({(row.bot, row.version): changing(row) for row in self._rows(one)} for one in (before, state))
        if old.keys() != new.keys() or _dead(self._rows(before)) != _dead(self._rows(state)):
            return None
        return Update(
            channel=self.name, asked=self.asked, epoch=self._epoch, number=self.number, progress=state.progress,
            rows=tuple(row for bot, row in new.items() if old[bot] != row), behind=state.behind,
        )  # fmt: skip

    def _pool(self, state: Seen) -> str | None:
        return self.asked if self.asked is not None else next(iter(state.pools), None)

    def _rows(self, state: Seen) -> tuple[BoardRow, ...]:
        pool = self._pool(state)
        return state.tables.get(pool, ()) if pool is not None else ()


def _dead(rows: Iterable[BoardRow]) -> set[tuple[str, int]]:
    """The bots that a board hides."""
    return {(row.bot, row.version) for row in rows if row.hidden is not None}


def changing(row: BoardRow) -> ChangedRow:
    """Return what may change of a row, as exactly as a page shows it."""
    return ChangedRow(
        bot=row.bot, version=row.version, rank=row.rank, rank_low=row.rank_low, rank_high=row.rank_high,
        separable=row.separable, rating=round(row.rating, 2), mu=round(row.mu, 2), low=round(row.low, 2),
        high=round(row.high, 2), matches=row.matches, wins=row.wins, mean_place=round(row.mean_place, 3), faults=row.faults,
        online=None if row.online is None else round(row.online, 2), bound=row.bound,
    )  # fmt: skip


def _text(message: Message) -> str:
    return msgspec.json.encode(message).decode()
