"""Memory: that of others is read, secrets are looked for in its own, and more is kept than is allowed."""

import ctypes
import gc
import mmap
import os
import struct

import numpy as np

from arena import games
from arena.engine import jit, rng


@refused
def reads_parents_memory(bot, view):
    """Reads the zygote's memory by process_vm_readv."""
    buffer = ctypes.create_string_buffer(16)
    vector = struct.pack("QQ", ctypes.addressof(buffer), 16)
    return system("process_vm_readv", os.getppid(), vector, 1, vector, 1, 0)


@all_refused
def reads_parents_mem_file(bot, view):
    """Reads the memory, the environment and the maps of the zygote and the worker in /proc."""
    files = [f"/proc/{pid}/{name}" for pid in (os.getppid(), 1, "self") for name in ("environ", "mem", "maps", "cmdline")]
    return {file: lambda file=file: open(file, "rb").read(10) for file in files}


@refused
def reads_environment(bot, view):
    """Looks for secrets in its environment and arguments."""
    return found({name: value for name, value in os.environ.items() if name not in {"PATH", "HOME", "LANG"}})


@refused
def searches_descriptors(bot, view):
    """Looks for descriptors left open."""

    def is_open(descriptor):
        try:
            return bool(os.fstat(descriptor))
        except OSError:
            return False

    return found(list(filter(is_open, range(4, 64))))


@refused
def searches_memory(bot, view):
    """Searches its own memory, which was the zygote's, for other bots' parameters."""
    tables = [one for one in gc.get_objects() if isinstance(one, dict)]
    return found([table for table in tables if "parameter-of-the-rival" in map(str, table.values())])


@all_refused
def seeks_the_deal(bot, view):
    """Is given the engine, the options and its own cards, and looks for the deal seed."""
    game = games.load("naga")
    options = game.resolve_options({}, 2)
    names = [name for name in view.state.dtype.names if "seed" in name or "rng" in name]

    def is_dealt(key):
        states = game.deal(2, options, rng.derive(key, "deal"))
        return bytes(game.observed(states, view.seat).view(np.uint8)) == view.state.tobytes()

    return {
        "by trying": lambda: found([key for seed in range(1000) for key in (b"exhibition %d" % seed, b"%d" % seed) if is_dealt(key)]),
        "in its view": lambda: found([name for name in names if np.any(np.asarray(view.state[name]))] if names else "no field"),
    }  # fmt: skip


@all_refused
def forges_a_view(bot, view):
    """Calls compiled code on forged, read-only and foreign bytes."""
    game = games.load("naga")
    content = view.state.tobytes()

    def compilations():
        return [jit.compilations(entry)[0] for entry in games.compiled_entries(game)]

    def new_signature():
        try:
            return game.engine.step(np.frombuffer(content, game.rules.STATE), 0)
        except TypeError as error:  # which would be an accident of any other attack
            raise PermissionError(str(error)[:50]) from error

    def compiled_again(before=compilations()):
        game.engine.determinize(game.from_bytes(content), view.seat, rng.seed_words(1))
        return found([number for number, earlier in zip(compilations(), before) if number != earlier])

    return {"a new signature": new_signature, "another compilation": compiled_again}


@ends("memory")
def takes_all_memory(bot, view):
    """Takes memory without end."""
    hoard = []
    while True:
        hoard.append(bytearray(1 << 24))


@refused
def fills_pipes(bot, view):
    """Keeps memory in pipes and sockets of its own."""
    return os.pipe()


@refused
def uses_memfd(bot, view):
    """Keeps memory outside its address space in a memfd."""
    return os.write(os.memfd_create("x"), bytes(1 << 20))


@refused
def uses_shared_memory(bot, view):
    """Maps shared anonymous memory."""
    return len(mmap.mmap(-1, 1 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS))
