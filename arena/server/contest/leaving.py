"""How a bot leaves a contest: what was sent before, and waits or is checked, does not bring it back."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import msgspec

from arena.results.inbox import Inbox
from arena.server.contest.messages import Checked
from arena.tournament.check_report import refused

WITHDRAWN = "the bot was withdrawn before this was checked"


@contextlib.contextmanager
def dropped(inbox: Inbox, bot: str, why: str) -> Iterator[None]:
    """Refuse what waits or is checked under the name of a bot, together with what is done within. Raises StoreError."""
    with inbox.dropping(bot, msgspec.json.encode(Checked(report=refused(bot, why)))):
        yield


@contextlib.contextmanager
def dropped_in(results: Path, bot: str) -> Iterator[None]:
    """The same for a command that takes a bot out of a results folder, which may belong to a hall. Raises StoreError."""
    inbox = Inbox(results)
    try:
        with dropped(inbox, bot, WITHDRAWN) if inbox.path.exists() else contextlib.nullcontext():
            yield
    finally:
        inbox.close()
