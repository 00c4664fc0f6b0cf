"""Bots that are the same as one of somebody else, for organisers: whoever copies changes the name, and seldom more."""

import functools
import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from arena.agent.submissions import Submission, Submissions
from arena.results.inbox import Sent
from arena.server.asked import Asked
from arena.server.library import SubmittedBot
from arena.userfiles import content

MOST_KEPT = 4096
"""Versions whose files are not read again."""


def copies(asked: Asked[Any], sent: Iterable[Sent]) -> dict[str, tuple[str, ...]]:
    """The versions of other owners that are the same as what was sent, such as `alice v2`, by the id of the submission."""
    store, owners, bots = asked.submitting.store, asked.submitting.inbox.owners(), asked.library.submitted.all()
    versions = [version for bot in bots.values() for version in bot.versions]
    found = {}
    for one in sent:
        mine = _version(bots.get(one.bot), one.version)
        if mine is not None:
            same = [
                f"{other.name} v{other.version}" for other in versions
                if other.name != one.bot and owners.get(other.name) != one.account and _is_same(store, mine, other)
            ]  # fmt: skip
            if same:
                found[one.id] = tuple(same)
    return found


def _version(bot: SubmittedBot | None, number: int | None) -> Submission | None:
    return None if bot is None else next((one for one in bot.versions if one.version == number), None)


def _is_same(store: Submissions, one: Submission, other: Submission) -> bool:
    """Files of other sizes are not read."""
    if one.sha256 == other.sha256:
        return True
    return one.bytes == other.bytes and _content(store.folder, one) == _content(store.folder, other) != ""


@functools.lru_cache(maxsize=MOST_KEPT)
def _content(folder: Path, version: Submission) -> str:
    """The hash of a bot of one file without the name of that file, which is the bot's; empty for one that cannot be read so."""
    paths = list(Submissions(folder.parent).paths(version).values())
    try:
        return hashlib.sha256(content(paths[0])).hexdigest() if len(paths) == 1 else ""
    except OSError:
        return ""
