"""`arena notify URL --to RECEIVER`: post what is news on a server to a webhook."""

import os
import threading
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import msgspec
import typer

from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import Token
from arena.cli.shared.printing import note, say
from arena.cli.shared.remote_server import RemoteServer, Unreachable
from arena.cli.shared.webhooks import State, Webhook, body_of, news_in, receiver_at, secret_of
from arena.errors import ConfigError, one_line
from arena.server.joining.address import server_at
from arena.stopping import heard_by

SECRET_VARIABLE = "ARENA_NOTIFY_SECRET"
"""The variable of the environment that holds what signs the messages: command lines can be seen by all users."""
STATE_FILE = Path("arena-notify.json")
EVERY = 60.0
LEAST, MOST = 5.0, 86_400.0
"""Seconds between two looks: a look costs as much as three pages."""


class _Stopped(Exception):
    """Ctrl-C, in the middle of a wait."""


class _News(msgspec.Struct, frozen=True):
    items: tuple[dict[str, Any], ...]


def notify(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the server, such as http://127.0.0.1:8000.")],
    to: Annotated[str, typer.Option("--to", metavar="URL", help="Address of the receiver, which takes a POST of JSON.")],
    token: Token = None,
    state: Annotated[Path, typer.Option("--state", metavar="FILE", help="File that remembers what was sent.")] = STATE_FILE,
    every: Annotated[
        float, typer.Option("--every", metavar="S", min=LEAST, max=MOST, help="Seconds between two looks at the server.")
    ] = EVERY,
    once: Annotated[bool, typer.Option("--once", help="Look once, send what is new, and end.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would be sent, all that the server tells, and change nothing.")
    ] = False,
) -> int:
    """Post what is news on a server to a webhook.

    That is new leaders, refused bots, frozen marks and tournaments that are over. Of refused bots a token of an organiser
    tells. ARENA_NOTIFY_SECRET in the environment signs the messages. What had happened before the first start is not sent.
    Exit code 1: with --once, something has not arrived.
    """
    place, receiver = server_at(url, token), receiver_at(to)
    server = RemoteServer(place)
    if dry_run:
        for item, whole in news_in(server.get("/news", _News).items):
            say(body_of(item, whole, place.url).decode())
        return DONE
    stopping = threading.Event()

    def wait(seconds: float) -> None:
        if stopping.wait(seconds):
            raise _Stopped

    def stop(_number: int, _frame: FrameType | None) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt  # it need not wait for an answer
        stopping.set()

    secret = os.environ.get(SECRET_VARIABLE)
    if not secret:
        note(f"{SECRET_VARIABLE} is not set: nothing is signed, so the receiver cannot know who sends")
    hook = Webhook(receiver, secret_of(secret) if secret else None, note, sleep=wait)
    with State(state, place.url, receiver) as known, heard_by(stop):
        try:
            is_done = _looked(server, hook, known, place.url)
            if once:
                return DONE if is_done else NO
            while True:
                wait(every)
                try:
                    _looked(server, hook, known, place.url)
                except (Unreachable, ConfigError) as error:  # it was right before, and may be again
                    note(one_line(str(error)))
        except _Stopped:
            return DONE


def _looked(server: RemoteServer, hook: Webhook, known: State, url: str) -> bool:
    """Send what is new, the oldest first; whether nothing is left. Raises Unreachable and ConfigError."""
    found = [*news_in(server.get("/news", _News).items)]
    if known.is_new:
        known.note([item for item, _ in found])
        note(f"{len(found)} entries were there before, and are not sent")
        return True
    for item, whole in found:
        if known.is_known(item):
            continue
        if not hook.send(item, body_of(item, whole, url)):
            return False  # what came later waits, so that all arrives in order
        known.note([item])
        say(f"{item.at} {item.title}")
    return True
