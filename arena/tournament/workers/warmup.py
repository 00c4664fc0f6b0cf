"""Compiles the rooms in use before anything is played, once for each machine and version."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from arena.tournament.workers.compiling import Compiling, Needs


def warm_rooms(needs: Needs, say: Callable[[str], None], others: Mapping[str, str] = MappingProxyType({})) -> float:
    """Compile what is needed and is not in the cache, a process for each room; returns the seconds that it took.

    `others`: other things to compile, by name, with the modules that compile them when run.
    """
    with Compiling(needs, say, others) as compiling:
        compiling.finish()
        return compiling.seconds
