"""A stand-in for NVIDIA's driver, for tests of what arena asks of a card on machines without one: cuda_driver.c.

`build` compiles it; `Driver.run` calls a function of a test file in a process that takes it for the driver, and gives it
a `StandIn`, which registers what launches do and tells which calls the driver got.
"""

import ctypes
import json
import os
import runpy
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.once import once

_SOURCES = [Path(__file__).with_name(name) for name in ("cuda_driver.c", "cuda_driver_work.c")]
_TESTS = Path(__file__).parents[1]
_MOST_PARAMETERS = 16
_NO_STREAM = 2**64 - 1
_SECONDS = 240.0  # after which a process hangs
_WAITING = {
    "cuStreamSynchronize", "cuCtxSynchronize", "cuEventSynchronize", "cuMemcpyHtoD", "cuMemcpyDtoH",
    "cuMemAlloc", "cuMemFree", "cuMemAllocHost", "cuMemFreeHost",
}  # fmt: skip
"""Calls that make the program wait for the card, or may."""
_QUESTIONS = ("cuStreamGet", "cuStreamIs", "cuStreamQuery")
"""How calls begin that name a stream and put no work on it."""


@dataclass(frozen=True)
class Driver:
    """A folder with the library."""

    folder: Path

    def ended(self, function: Callable[..., Any], *arguments: Any) -> "subprocess.CompletedProcess[str]":
        """Call `function(StandIn(), *arguments)` of a test file in a process of its own, whose last line is what it returns."""
        paths = os.pathsep.join([str(_TESTS), str(_TESTS.parent), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {"LD_LIBRARY_PATH": str(self.folder), "PYTHONPATH": paths}
        command = [sys.executable, "-m", "helpers.cuda_driver", function.__code__.co_filename, function.__name__]
        command.append(json.dumps(arguments))
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=_SECONDS, check=False)

    def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What `function(StandIn(), *arguments)` returns, as JSON gives it back; fails with what its process printed."""
        process = self.ended(function, *arguments)
        assert process.returncode == 0, process.stdout + process.stderr
        return json.loads(process.stdout.splitlines()[-1])


def build(folders: pytest.TempPathFactory) -> Driver:
    """The stand-in, compiled once for all test processes; skips the test where a compiler or what it needs is missing."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None or find_spec("cuda") is None or find_spec("cuda.core") is None:
        pytest.skip("needs a C compiler and the package cuda-core")
    from cuda.pathfinder import find_nvidia_header_directory

    headers = find_nvidia_header_directory("cudart")
    if headers is None:
        pytest.skip("needs NVIDIA's cuda.h: the package nvidia-cuda-runtime-cu12")
    return Driver(Path(once(folders, "cuda_driver", lambda: _compiled(compiler, headers, folders.mktemp("cuda_driver")))))


def _compiled(compiler: str, headers: str, folder: Path) -> str:
    options = ["-shared", "-fPIC", "-O1", "-fvisibility=hidden", "-Wl,-soname,libcuda.so.1", f"-I{headers}"]
    target = str(folder / "libcuda.so.1")
    subprocess.run([compiler, *options, *map(str, _SOURCES), "-o", target, "-ldl", "-lpthread"], check=True)
    return str(folder)


@dataclass(frozen=True)
class Call:
    """A call that the driver got."""

    name: str
    """As NVIDIA's documents have it, without the ending _v2."""
    stream: int | None
    """The handle of its stream (0 and 1: the default one); None for calls without a stream."""
    is_pageable: bool
    """Whether it copied from or to memory of the host that the driver did not allocate: then it may wait for the card."""


@dataclass(frozen=True)
class Launch:
    """A kernel that the driver was to run, with the values of its parameters as int64."""

    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    stream: int
    parameters: tuple[int, ...]


class _Call(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("stream", ctypes.c_uint64), ("is_pageable", ctypes.c_int)]


class _Launch(ctypes.Structure):
    _fields_ = [
        ("kernel", ctypes.c_char_p), ("grid", ctypes.c_uint * 3), ("block", ctypes.c_uint * 3), ("stream", ctypes.c_uint64),
        ("count", ctypes.c_int), ("values", ctypes.c_int64 * _MOST_PARAMETERS),
    ]  # fmt: skip


_LAUNCHED = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Launch))


class StandIn:
    """The stand-in, seen by a test in the process that has it for its driver."""

    def __init__(self) -> None:
        self._library = library = ctypes.CDLL("libcuda.so.1")
        library.standin_calls.restype = library.standin_used_memory.restype = ctypes.c_size_t
        library.standin_calls.argtypes = [ctypes.POINTER(ctypes.POINTER(_Call))]
        library.standin_set_memory.argtypes = [ctypes.c_size_t]
        library.standin_is_inside.argtypes = [ctypes.c_uint64, ctypes.c_size_t]
        self._launched: Any = None

    def on_launch(self, function: Callable[[Launch], None]) -> None:
        """Let launches call `function`; where it raises, the launch fails with CUDA_ERROR_LAUNCH_FAILED."""

        def launched(pointer: Any) -> int:
            told = pointer.contents
            try:
                parameters = tuple(told.values[: told.count])
                function(Launch(told.kernel.decode(), tuple(told.grid), tuple(told.block), told.stream, parameters))
            except BaseException:
                sys.excepthook(*sys.exc_info())
                return 1
            return 0

        self._launched = _LAUNCHED(launched)  # is kept: the library has its address
        self._library.standin_on_launch(self._launched)

    def memory(self, address: int, count: int, dtype: Any) -> np.ndarray[Any, Any]:
        """The array of `count` items of the device's memory at `address`; raises where they are not in one allocation."""
        kind = np.dtype(dtype)
        if not self._library.standin_is_inside(address, count * kind.itemsize):
            raise ValueError(f"{count} x {kind} at {address:#x} is not allocated")
        return np.frombuffer((ctypes.c_ubyte * (count * kind.itemsize)).from_address(address), kind)

    def limit_memory(self, size: int) -> None:
        """Let the device have `size` bytes (4 GiB otherwise)."""
        self._library.standin_set_memory(size)

    def add_device(self) -> None:
        """Let there be a second device, with memory of the same size. Before anybody has asked how many there are."""
        self._library.standin_set_devices(2)

    def used_memory(self) -> int:
        """Bytes of all devices that are allocated."""
        return int(self._library.standin_used_memory())

    def log(self) -> list[Call]:
        """The calls since the last `forget`, but for those that ask about the driver and the device."""
        first = ctypes.POINTER(_Call)()
        count = self._library.standin_calls(ctypes.byref(first))
        return [_call(first[i]) for i in range(count)]

    def forget(self) -> None:
        """Empty the log."""
        self._library.standin_forget_calls()

    def counts(self) -> Counter[str]:
        """How often the log has each function."""
        return Counter(call.name for call in self.log())

    def waits(self) -> list[str]:
        """Functions in the log that make the program wait for the card, or may."""
        return [call.name for call in self.log() if call.name in _WAITING or call.is_pageable]

    def streams(self) -> set[int]:
        """Handles of the streams that the log puts work on."""
        return {call.stream for call in self.log() if call.stream is not None and not call.name.startswith(_QUESTIONS)}


def _call(told: _Call) -> Call:
    stream = None if told.stream == _NO_STREAM else told.stream
    return Call(told.name.decode().removesuffix("_v2"), stream, bool(told.is_pageable))


if __name__ == "__main__":
    _file, _name, _arguments = sys.argv[1:]
    print(json.dumps(runpy.run_path(_file)[_name](StandIn(), *json.loads(_arguments))))
