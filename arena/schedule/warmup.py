"""Compiling before workers start: one process per room, only the rooms in use, once per machine and version."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from arena import game, jit, search
from arena.cache import cache_root
from arena.errors import ArenaError


def warm_rooms(names: Iterable[str], say: Callable[[str], None], others: Mapping[str, str] = MappingProxyType({})) -> float:
    """Compile the rooms that are not in the cache, side by side; returns the seconds it took.

    `others`: what else to compile, by name, and the modules that do it when they are run.
    """
    modules = {**dict.fromkeys(names, "arena.schedule.warmup"), **others}
    cold = [name for name in modules if not (jit.is_warm(name) and (name in others or jit.is_warm(jit.search_of(name))))]
    if not cold:
        return 0.0
    say(f"compiling {', '.join(cold)} (first run only) ...")
    began = time.monotonic()
    cache_root()  # a temporary fallback is made here, and the processes inherit its name
    children = [
        (
            name,
            subprocess.Popen(
                [sys.executable, "-P", "-m", modules[name], name], stderr=subprocess.PIPE, text=True, env=_environment()
            ),
        )
        for name in cold
    ]
    for name, child in children:
        _, trouble = child.communicate()
        if child.returncode:
            for _, other in children:
                other.kill()
            last = trouble.strip().splitlines()[-1] if trouble.strip() else f"exit code {child.returncode}"
            raise ArenaError(f"{name} could not be compiled: {last}")
    seconds = time.monotonic() - began
    say(f"compiled in {seconds:.1f} s")
    return seconds


def _environment() -> dict[str, str]:
    return {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def _compile(name: str) -> None:
    with jit.compiling(name):
        room = game.load(name)
        for part, warm in ((name, game.warm), (jit.search_of(name), search.warm)):
            if not jit.is_warm(part):  # else another process did it while this one waited
                warm(room)
                jit.mark_warm(part)


if __name__ == "__main__":
    _compile(sys.argv[1])
