"""Arrays in the memory of a card, which torch and CuPy take without a copy."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from cuda.bindings import driver
from cuda.core import Buffer, Device, Stream
from cuda.core.utils import StridedMemoryView
from numpy.typing import NDArray

from arena.engine.cuda.present import told

LEGACY_STREAM = 1  # the handle of the stream that everybody has without asking for one


@dataclass(frozen=True, eq=False, repr=False)
class CardArray:
    """An array in the memory of a card, or a part of one. Work on its stream fills it.

    It has `__cuda_array_interface__` and `__dlpack__` (all but records), so `torch.from_dlpack(array)` is a tensor over the
    same memory. `copy_to_host` and `numpy.asarray` wait for the card and copy.
    """

    memory: Buffer
    """What holds it; it lives as long as an array over it."""
    offset: int
    """The place of its first number in that memory, in bytes."""
    shape: tuple[int, ...]
    """Sizes of the axes."""
    strides: tuple[int, ...]
    """Steps from one number to the next along each axis, in bytes."""
    dtype: np.dtype[Any]
    """What each number is."""
    device: Device
    """The card. Its stream does not tell it: the one that everybody has is the same object for all cards."""
    stream: Stream
    """The stream whose work fills it."""

    def __len__(self) -> int:
        return self.shape[0]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {list(self.shape)} of {self.dtype} on {self.device.name}>"

    @property
    def ndim(self) -> int:
        """How many axes there are."""
        return len(self.shape)

    @property
    def address(self) -> int:
        """The place of the first number on the card."""
        return int(self.memory.handle) + self.offset

    @property
    def extent(self) -> int:
        """How many bytes lie between the first number and the end of the last one."""
        steps = sum((size - 1) * stride for size, stride in zip(self.shape, self.strides))
        return steps + self.dtype.itemsize if all(self.shape) else 0

    def __getitem__(self, key: Any) -> "CardArray":
        """A part of the array, by whole numbers and slices with a step of 1 or more; no copy."""
        keys = key if isinstance(key, tuple) else (key,)
        if len(keys) > self.ndim:
            raise IndexError(f"{len(keys)} indices for an array of {self.ndim} axes")
        offset, shape, strides = self.offset, [], []
        for size, stride, one in zip(self.shape, self.strides, [*keys, *[slice(None)] * (self.ndim - len(keys))]):
            if isinstance(one, slice):
                places = range(size)[one]
                if places.step < 1:
                    raise IndexError(f"a slice with a step of {places.step}; 1 or more is needed")
                offset += places.start * stride if len(places) else 0
                shape.append(len(places))
                strides.append(stride * places.step)
            else:
                offset += range(size)[one] * stride
        return replace(self, offset=offset, shape=tuple(shape), strides=tuple(strides))

    def copy_to_host(self) -> NDArray[Any]:
        """A copy in the memory of the processor, when all work on the array's stream is done."""
        held = np.empty(self.extent, np.uint8)
        with entered(self.device):
            if held.nbytes:
                told(driver.cuMemcpyDtoHAsync(held.ctypes.data, self.address, held.nbytes, self.stream.handle))
            self.stream.sync()
        return np.ndarray(self.shape, self.dtype, held.data, strides=self.strides).copy()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array on a card is copied into the memory of the processor")
        return self.copy_to_host().astype(dtype or self.dtype, copy=False)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        """The array for others (version 3 of the interface)."""
        described = {"typestr": self.dtype.str, **({"descr": self.dtype.descr} if self.dtype.names else {})}
        return {
            "version": 3, "shape": self.shape, "strides": self.strides, "data": (self.address, False),
            "stream": int(self.stream.handle), **described,
        }  # fmt: skip

    def __dlpack__(self, *, stream: int | None = None, dl_device: Any = None, **wanted: Any) -> Any:
        """The array for others. `stream`: theirs, which waits for this array's work up to now; -1: it does not.

        Raises BufferError for another device, or for a copy.
        """
        if dl_device not in (None, self.__dlpack_device__()):
            raise BufferError(f"the array lies on {self.__dlpack_device__()}")
        theirs = LEGACY_STREAM if stream is None else stream
        with entered(self.device):
            if theirs not in (-1, int(self.stream.handle)):
                Stream.from_handle(theirs).wait(self.stream)
            return StridedMemoryView.from_cuda_array_interface(self, stream_ptr=-1).__dlpack__(**wanted)

    def __dlpack_device__(self) -> tuple[int, int]:
        """The kind of device (2: CUDA) and its number."""
        return 2, int(self.device.device_id)


def column_strides(shape: Sequence[int], dtype: np.dtype[Any]) -> tuple[int, ...]:
    """Strides in bytes of an array with its first axis side by side: a table per column."""
    strides = [dtype.itemsize]
    for size in shape[:-1]:
        strides.append(strides[-1] * size)
    return tuple(strides)


@contextmanager
def entered(device: Any) -> Iterator[None]:
    """Have a card for the current one of this thread, as the driver wants it, and after that the one that was."""
    before = told(driver.cuCtxGetCurrent())
    device.set_current()
    try:
        yield
    finally:
        if int(before):  # a thread that had none keeps the card
            driver.cuCtxSetCurrent(before)
