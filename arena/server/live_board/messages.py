"""What goes over a socket, in both directions: JSON, one message a frame.

A tab asks to watch a channel: `home`, or a tournament as `t/NAME` with one of its pools. The messages of a channel are
numbered. Who comes back names the last one and gets the rest, or a snapshot where that is too long ago or the hall was started
anew.
"""

from typing import Annotated

import msgspec

from arena.server.views.home import Home
from arena.server.views.state import Progress
from arena.server.views.tables import BoardRow

HOME = "home"
TOURNAMENT = "t/"

_Short = Annotated[str, msgspec.Meta(max_length=300)]
_Number = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]


class Watch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a tab sends: it wants the messages of a channel, or to know whether the hall is still there."""

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
