"""The actor on each node of a cluster beside the workers: reports what is installed, compiles rules, shows signs of life.

This module is shipped by value, because arena may be missing on the node or have another version. So it imports nothing of
arena at the top, and speaks in plain dicts and texts.
"""

import importlib.metadata
import sys
from collections.abc import Mapping, Sequence
from typing import Any


class NodeAgent:
    """The Ray actor of one node."""

    def installation(self, games: Sequence[str]) -> dict[str, str]:
        """Return what is installed on the node (see installation.installation), or only the version of one that is too old."""
        try:
            from arena.tournament.workers.ray.installation import installation
        except ImportError as error:
            try:
                return {"arena": importlib.metadata.version("arena-hall")}
            except importlib.metadata.PackageNotFoundError:
                return {"arena": f"none ({error})"}
        return installation(games)

    def prepare(
        self, needs: Mapping[str, Sequence[str]], level: str, least: str, has_untrusted: bool, programs: Sequence[Any]
    ) -> dict[str, str]:
        """Compile what is needed unless that was done on this node, and find out how untrusted bots are locked in here.

        `needs`: games, with the parts of each that bots ask for; `programs`: command bots whose program has to be here. Answers
        with `error` when the node cannot be used, and with what is worth a line.
        """
        from arena import cache
        from arena.errors import ArenaError, BotError
        from arena.match.sandbox import LockError, Supervisor, find_program
        from arena.tournament.workers.compiling import warm_games

        said: dict[str, str] = {}
        for bot in programs:
            try:
                find_program(bot, cache.cache_root())
            except BotError as error:
                return {"error": f"{bot.name} cannot play there: {error}"}
        if sys.flags.hash_randomization:
            return {"error": "its workers do not start with PYTHONHASHSEED=0: sets of strings would be in another order"}
        if has_untrusted:
            try:
                with Supervisor((), level=level, least=least) as supervisor:
                    said["isolation"], said["reason"] = supervisor.level, supervisor.reason
            except LockError as error:
                return {"error": f"bots that are not trusted cannot be locked in there: {error}"}
        cache.cache_root()
        if cache.is_temporary():
            said["cache"] = f"no folder of its own for compiled rules (set {cache.VARIABLE}): every worker compiles for itself"
            return said
        try:
            seconds = warm_games(needs, lambda _: None)
        except ArenaError as error:
            return {"error": str(error)}
        return said | ({"compiled": f"the rules were compiled after {seconds:.0f} s"} if seconds else {})

    def answer(self) -> None:
        """Answer, which shows that the node lives."""
