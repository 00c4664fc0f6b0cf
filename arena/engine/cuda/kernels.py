"""Kernels: a function of one table, compiled for a kind of card, and kept beside the CPU's compiled code of the game.

A kernel runs one lane for each table. Three things are not as numba-cuda does them by itself. Look-up tables lie in global
memory: constant memory has 64 KiB, and lanes read different places. Products and sums are never contracted, so that numbers
with a fraction come out as on the CPU. Neither a card nor a driver is needed to compile.
"""

import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba.cuda
import numpy as np
from cuda.core import Program, ProgramOptions
from numba.cuda import compiler, dispatcher, target, types
from numba.cuda.cudadrv import nvrtc

from arena.engine import jit
from arena.engine.cuda.lowering import Lowering
from arena.engine.cuda.source import Source
from arena.engine.machine import array_at
from arena.engine.stored_code import read, write
from arena.errors import ConfigError

_OPTIONS = {"opt": 3, "fma": False}  # of NVVM
_PARAMETERS = (types.int64,) * 4
_lock = threading.Lock()


@dataclass(frozen=True)
class Kernel:
    """A kernel in the machine code of one kind of card. Its parameters are four words: lanes, the addresses of the records and
    of the places, and the number.
    """

    name: str
    """What the code calls it."""
    cubin: bytes


def path_of(source: Source, capability: tuple[int, int]) -> Path:
    """The file in which a kernel for cards of a compute capability is kept."""
    folder = jit.cache_folder(jit.tables_of(source.game.package))
    return folder / f"{source.name}-{_architecture(capability)}-{_own_hash()}.cubin"


def kernel(source: Source, capability: tuple[int, int]) -> Kernel:
    """The kernel, from the cache or compiled now. Raises ConfigError for cards that this version of CUDA does not know."""
    path = path_of(source, capability)
    stored = read(path)
    if stored is None:
        with jit.compiling(jit.tables_of(source.game.package)):
            stored = read(path)
            if stored is None:
                stored = _compiled(source, capability)
                write(path, stored)
    name, _, cubin = stored.partition(b"\n")
    return Kernel(name.decode(), cubin)


def ptx(source: Source, capability: tuple[int, int]) -> tuple[str, str]:
    """The kernel's name in the code, and the code as PTX, the text that assemblers of all cards of a capability read."""
    with _lock, _as_for_a_card(capability):
        compiled = compiler.compile_cuda(_body(source), types.void, _PARAMETERS, nvvm_options=_OPTIONS, cc=capability)
        library = compiled.library
        function = library.get_function(compiled.fndesc.llvm_func_name)
        compiler.kernel_fixup(function, False)
        (text,) = library.get_asm_strs(cc=capability)
    return function.name, text


def _compiled(source: Source, capability: tuple[int, int]) -> bytes:
    """The name and the machine code, which NVIDIA's assembler makes."""
    known = nvrtc.get_supported_ccs()
    if capability not in known:
        first, last = (".".join(map(str, end(known))) for end in (min, max))
        raise ConfigError(
            f"device: a card of compute capability {capability[0]}.{capability[1]} is none that CUDA's compilers here can "
            f"compile for; they know {first} to {last}"
        )
    name, text = ptx(source, capability)
    program = Program(text, "ptx", options=ProgramOptions(arch=_architecture(capability)))
    return name.encode() + b"\n" + bytes(program.compile("cubin").code)


def _body(source: Source) -> Any:
    record = source.game.rules.STATE
    lane = Lowering(record, dict(source.instead)).of(source.lane)
    arrays = source.arrays

    def body(lanes: int, records: int, places: int, number: int) -> None:
        own = numba.cuda.grid(1)
        if own < lanes:
            lane(array_at(records, (lanes,), record), array_at(places, (arrays, 4), np.int64), number, own)

    return body


@contextmanager
def _as_for_a_card(capability: tuple[int, int]) -> Iterator[None]:
    """Let numba-cuda compile as if such a card were there, and put constants into global memory."""
    spaces, device = target.nvvm, dispatcher.get_current_device
    target.nvvm = SimpleNamespace(**{**vars(spaces), "ADDRSPACE_CONSTANT": spaces.ADDRSPACE_GLOBAL})
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        target.nvvm, dispatcher.get_current_device = spaces, device


def _architecture(capability: tuple[int, int]) -> str:
    return f"sm_{capability[0]}{capability[1]}"


@cache
def _own_hash() -> str:
    """Over what decides what a kernel is, beside the sources that the CPU's code is kept under."""
    digest = hashlib.sha256(repr([metadata.version(name) for name in ("numba-cuda", "cuda-core", "llvmlite")]).encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
