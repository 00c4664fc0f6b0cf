"""A graphics card: memory on it, and kernels that run there. The one door to NVIDIA's runtime (cuda.core)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from cuda.bindings import driver
from cuda.core import Device, LaunchConfig, ObjectCode, Stream, launch
from cuda.pathfinder import DynamicLibNotFoundError
from numpy.typing import NDArray

from arena.engine.cuda.arrays import LEGACY_STREAM, CardArray, column_strides, entered
from arena.engine.cuda.kernels import kernel, path_of
from arena.engine.cuda.present import told
from arena.engine.cuda.source import Source
from arena.errors import ConfigError

LANES_IN_BLOCK = 64
"""Enough to fill a card, and few enough that all have registers."""


class OutOfCardMemory(ConfigError, MemoryError):
    """What was asked for does not fit on the card."""


class Card:
    """A card and the stream on which all that is asked of it runs, in the order in which it is asked."""

    def __init__(self, number: int = 0, stream: Any = None) -> None:
        """`number`: which card; `stream`: of the caller: torch's, any object with `__cuda_stream__`, or a handle; None: the one
        that everybody has without asking for one. Raises ConfigError where there is no such card.
        """
        self._device = _device(number)
        self._stream = self._device.default_stream if stream is None else _stream(stream, self._device)
        self._callers = stream  # who made it may let it go

    @property
    def name(self) -> str:
        """What its maker calls it."""
        return str(self._device.name)

    @property
    def capability(self) -> tuple[int, int]:
        """The compute capability."""
        found = self._device.compute_capability
        return int(found.major), int(found.minor)

    def zeros(self, shape: Sequence[int], dtype: Any) -> CardArray:
        """An array of zeros with its first axis side by side. Raises OutOfCardMemory."""
        kind = np.dtype(dtype)
        size = max(1, int(np.prod(shape, dtype=np.int64)) * kind.itemsize)
        with entered(self._device), self._room(f"{size / 1e9:.1f} GB more"):
            memory = self._device.allocate(size, stream=self._stream)
            memory.fill(0, stream=self._stream)
        return CardArray(memory, 0, tuple(shape), column_strides(shape, kind), kind, self._device, self._stream)

    def put(self, array: NDArray[Any]) -> CardArray:
        """A copy of an array on the card."""
        copy = self.zeros(array.shape, array.dtype)
        self.write(copy, array)
        return copy

    def write(self, out: CardArray, array: NDArray[Any]) -> None:
        """Overwrite all of an array on the card, which is not a part of another one."""
        whole = np.asfortranarray(array, out.dtype)
        if whole.shape != out.shape:
            raise ValueError(f"shape {whole.shape} for an array of {out.shape}")
        if whole.nbytes:
            with entered(self._device):
                told(driver.cuMemcpyHtoDAsync(out.address, whole.ctypes.data, whole.nbytes, self._stream.handle))
            self.synchronize()  # what is copied may be gone when this returns

    def copy(self, out: CardArray, source: Any) -> None:
        """Overwrite an array [n] on the card by one of the same kind of numbers that lies there, too. Raises ConfigError."""
        given = source.__cuda_array_interface__
        shape, kind, steps = tuple(given["shape"]), np.dtype(given["typestr"]), given.get("strides")
        has_gaps = len(shape) == 1 and shape[0] > 1 and steps not in (None, (kind.itemsize,))
        if shape != out.shape or kind != out.dtype or has_gaps:
            gaps = " with gaps" if has_gaps else ""
            raise ConfigError(f"indices: {out.dtype} [{len(out)}] without gaps is needed, not {kind} {list(shape)}{gaps}")
        address, others = int(given["data"][0]), given.get("stream")
        with entered(self._device):
            if others and others != int(self._stream.handle):
                self._stream.wait(Stream.from_handle(others))
            told(driver.cuMemcpyDtoDAsync(out.address, address, len(out) * kind.itemsize, self._stream.handle))

    def read(self, array: CardArray) -> NDArray[Any]:
        """A copy of an array on the card in the memory of the processor; waits for all that was asked before."""
        return array.copy_to_host()

    def is_ready(self, source: Source) -> bool:
        """Whether the cache has a kernel."""
        return path_of(source, self.capability).exists()

    def prepare(self, source: Source) -> Any:
        """Have a kernel on the card. Raises ConfigError for a card that nothing can be compiled for, and OutOfCardMemory."""
        compiled = kernel(source, self.capability)
        with entered(self._device), self._room("a kernel"):
            return ObjectCode.from_cubin(compiled.cubin).get_kernel(compiled.name)

    def run(self, prepared: Any, lanes: int, records: CardArray, places: CardArray, number: int) -> None:
        """Run a kernel with a lane for each table. Does not wait for it. Raises OutOfCardMemory."""
        blocks = -(-lanes // LANES_IN_BLOCK)
        words = (np.int64(lanes), np.int64(records.address), np.int64(places.address), np.int64(number))
        with entered(self._device), self._room("what lanes work in"):
            launch(self._stream, LaunchConfig(grid=blocks, block=LANES_IN_BLOCK), prepared, *words)

    def free_memory(self) -> int:
        """How many bytes of memory nobody has."""
        with entered(self._device):
            return int(told(driver.cuMemGetInfo()))

    def synchronize(self) -> None:
        """Wait for all that was asked of the card on this stream."""
        with entered(self._device):
            self._stream.sync()

    @contextmanager
    def _room(self, what: str) -> Iterator[None]:
        """Raise OutOfCardMemory if the card has no memory for what is done here."""
        try:
            yield
        except Exception as error:  # cuda.core's own kinds have no public name
            if "OUT_OF_MEMORY" not in str(error):
                raise
            raise OutOfCardMemory(f"{self.name}: no room for {what}; take fewer tables") from None


def _device(number: int) -> Any:
    try:
        device = Device(number)
        device.set_current()
    except DynamicLibNotFoundError:
        raise ConfigError(f'device: no card "cuda:{number}" here: NVIDIA\'s driver is missing') from None
    except Exception as error:  # cuda.core raises CUDAError, RuntimeError or ValueError, as the driver is missing, old or busy
        reason = str(error).strip().split("\n")[0]
        raise ConfigError(f'device: no card "cuda:{number}" here: {reason}') from None
    return device


def _stream(given: Any, device: Any) -> Stream:
    if hasattr(given, "__cuda_stream__"):
        return device.create_stream(given)
    handle = getattr(given, "cuda_stream", given)  # torch's
    if isinstance(handle, bool) or not isinstance(handle, int) or handle < 0:
        raise ConfigError(f"stream: {given!r} is no stream; give torch's, any with __cuda_stream__, or a handle")
    return Stream.from_handle(handle) if handle not in (0, LEGACY_STREAM) else device.default_stream
