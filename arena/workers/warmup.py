"""Compiles the rooms in use before workers start, once for each machine and version, a process for each room."""

import contextlib
import os
import selectors
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from types import MappingProxyType
from typing import IO, cast

from arena import games, search
from arena.cache import cache_root
from arena.engine import jit
from arena.errors import ArenaError
from arena.workers.processes import available_cpus


def warm_rooms(names: Iterable[str], say: Callable[[str], None], others: Mapping[str, str] = MappingProxyType({})) -> float:
    """Compile the rooms that are not in the cache, one per core at a time; returns the seconds that it took.

    `others`: other things to compile, by name, with the modules that compile them when run.
    """
    modules = {**dict.fromkeys(names, "arena.workers.warmup"), **others}
    cold = [name for name in modules if not (jit.is_warm(name) if name in others else _is_warm(name))]
    if not cold:
        return 0.0
    say(f"compiling {', '.join(cold)} (first run only) ...")
    began = time.monotonic()
    with contextlib.closing(_compiled({name: modules[name] for name in cold})) as compiled:
        for done, name in enumerate(compiled, start=1):
            seconds = time.monotonic() - began
            if done < len(cold):
                say(f"{name} is compiled, {done} of {len(cold)}, about {seconds / done * (len(cold) - done):.0f} s left")
    say(f"compiled in {seconds:.1f} s")
    return seconds


def _compiled(modules: Mapping[str, str]) -> Generator[str, None, None]:
    """Run a process for each name, one per core at a time; yields the names as they end. No process outlives the call."""
    cache_root()  # a temporary fallback is made here, and the processes inherit its name
    waiting = deque(modules)
    with selectors.DefaultSelector() as pipes:
        try:
            while waiting or pipes.get_map():
                while waiting and len(pipes.get_map()) < available_cpus():
                    name = waiting.popleft()
                    child = _started(modules[name], name)
                    pipes.register(cast(IO[str], child.stderr), selectors.EVENT_READ, (name, child))
                for key, _ in pipes.select():  # it ends, or says something: mostly why it is about to end
                    name, child = key.data
                    _finish(name, child)
                    pipes.unregister(key.fileobj)
                    yield name
        finally:
            for key in pipes.get_map().values():
                with key.data[1] as child:
                    child.kill()


def _started(module: str, name: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    return subprocess.Popen([sys.executable, "-P", "-m", module, name], stderr=subprocess.PIPE, text=True, env=environment)


def _finish(name: str, child: subprocess.Popen[str]) -> None:
    """Wait for the process to end. Raises ArenaError if it could not compile."""
    _, trouble = child.communicate()
    if child.returncode:
        last = trouble.strip().splitlines()[-1] if trouble.strip() else f"exit code {child.returncode}"
        raise ArenaError(f"{name} could not be compiled: {last}")


def _is_warm(name: str) -> bool:
    """Whether a room and its searches are in the cache."""
    room = games.package(name)
    return jit.is_warm(room) and jit.is_warm(jit.search_of(room))


def _compile(name: str) -> None:
    room = games.load(name)
    with jit.compiling(room.package):
        for part, warm in ((room.package, games.warm), (jit.search_of(room.package), search.warm)):
            if not jit.is_warm(part):  # else another process did it while this one waited
                warm(room)
                jit.mark_warm(part)


if __name__ == "__main__":
    _compile(sys.argv[1])
