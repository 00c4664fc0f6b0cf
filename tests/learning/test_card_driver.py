"""What is asked of NVIDIA's driver, tried with a stand-in for it: what the stand-in itself does, seen through cuda.core."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from helpers import dlpack
from helpers.cuda_driver import Driver, Launch, StandIn, build

pytestmark = pytest.mark.slow

TWICE = """
.version 8.0
.target sm_90
.address_size 64
.visible .entry twice(
    .param .u64 lanes,
    .param .u64 numbers
)
{
    ret;
}
"""
SUM = b'extern "C" __global__ void sum(long long lanes, int first, int *out, signed char last) { *out = lanes + first + last; }'
NUMBERS = list(range(100, 1000, 100))


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Driver:
    return build(tmp_path_factory)


# ---- What runs in processes of its own, with the stand-in for its driver


def card() -> tuple[Any, Any]:
    """The device and a stream of its own."""
    from cuda.core import Device

    device = Device(0)
    device.set_current()
    return device, device.create_stream()


def result(answer: tuple[Any, ...]) -> str:
    return str(answer[0].name)


def doubling(stand_in: StandIn, grid: tuple[int, ...] = (2,), block: tuple[int, ...] = (64,)) -> list[int]:
    """Numbers that went to the device, were doubled there by a kernel, and came back."""
    from cuda.bindings import driver
    from cuda.core import LaunchConfig, ObjectCode, launch

    def twice(asked: Launch) -> None:
        lanes, address = asked.parameters
        stand_in.memory(address, lanes, np.int64)[:] *= 2

    device, stream = card()
    stand_in.on_launch(twice)
    there = np.array(NUMBERS)
    back = np.zeros_like(there)
    buffer = device.allocate(there.nbytes, stream=stream)
    kernel = ObjectCode.from_ptx(TWICE.encode()).get_kernel("twice")
    assert result(driver.cuMemcpyHtoDAsync(buffer.handle, there.ctypes.data, there.nbytes, stream.handle)) == "CUDA_SUCCESS"
    launch(stream, LaunchConfig(grid=tuple(grid), block=tuple(block)), kernel, np.int64(len(there)), np.int64(buffer.handle))
    assert result(driver.cuMemcpyDtoHAsync(back.ctypes.data, buffer.handle, back.nbytes, stream.handle)) == "CUDA_SUCCESS"
    stream.sync()
    return back.tolist()


def the_device(stand_in: StandIn) -> list[Any]:
    from cuda.core import Device

    device = Device(0)
    return [list(device.compute_capability), device.properties.multiprocessor_count, device.properties.max_threads_per_block]


def launches(stand_in: StandIn) -> list[Any]:
    """Launches as the function of a test gets them, and the handle of their stream."""
    from cuda.core import LaunchConfig, ObjectCode, Stream, launch

    asked: list[Any] = []
    _, stream = card()
    stand_in.on_launch(lambda one: asked.append(asdict(one) | {"own": one.stream == int(stream.handle)}))
    kernel = ObjectCode.from_ptx(TWICE.encode()).get_kernel("twice")
    launch(stream, LaunchConfig(grid=(3, 2), block=(64, 4)), kernel, np.int64(5), np.int64(-1))
    launch(Stream.from_handle(0), LaunchConfig(grid=1, block=1), kernel, np.int64(0), np.int64(0))
    return asked


def refusals(stand_in: StandIn) -> dict[str, str]:
    """What the driver says to what is no memory, no kernel, no stream."""
    from cuda.bindings import driver
    from cuda.core import ObjectCode, Stream

    device, stream = card()
    host = np.zeros(4096, np.uint8)
    buffer, freed = device.allocate(1000, stream=stream), device.allocate(1000, stream=stream)
    inside, outside = int(buffer.handle), int(freed.handle)
    freed.close()
    own = int(stream.handle)
    closed = device.create_stream()
    closed_handle = int(closed.handle)
    closed.close()
    stand_in.limit_memory(5000)
    return {
        "to the end": result(driver.cuMemcpyHtoDAsync(inside + 1, host.ctypes.data, 999, own)),
        "a byte behind the end, in": result(driver.cuMemcpyHtoDAsync(inside + 1, host.ctypes.data, 1000, own)),
        "a byte behind the end, out": result(driver.cuMemcpyDtoHAsync(host.ctypes.data, inside, 1001, own)),
        "a byte before the start": result(driver.cuMemsetD8Async(inside - 1, 0, 1, own)),
        "from a side to itself": result(driver.cuMemcpyDtoDAsync(inside, host.ctypes.data, 10, own)),
        "the device's as the host's": result(driver.cuMemcpyHtoDAsync(inside, inside, 10, own)),
        "after it was freed": result(driver.cuMemcpyDtoHAsync(host.ctypes.data, outside, 1, own)),
        "an event that was not recorded": result(driver.cuStreamWaitEvent(own, driver.cuEventCreate(0)[1], 0)),
        "freed twice": result(driver.cuMemFreeAsync(outside, own)),
        "on a closed stream": result(driver.cuMemcpyHtoDAsync(inside, host.ctypes.data, 1, closed_handle)),
        "a stream that is none": raised(lambda: Stream.from_handle(12345).sync()),
        "more memory than there is": raised(lambda: device.allocate(4001, stream=stream)),
        "a kernel that is not there": raised(lambda: ObjectCode.from_ptx(TWICE.encode()).get_kernel("thrice")),
        "no image": raised(lambda: ObjectCode.from_cubin(b"hello").get_kernel("twice")),
    }


def raised(call: Any) -> str:
    try:
        call()
    except Exception as error:
        return str(error).partition(":")[0]
    return "nothing"


def without_context(stand_in: StandIn) -> list[str]:
    """What the driver says before it was started, and to a thread that set no context."""
    from cuda.bindings import driver

    before = result(driver.cuMemAlloc(10))
    driver.cuInit(0)
    return [before, result(driver.cuMemAlloc(10))]


def cubins(stand_in: StandIn) -> list[Any]:
    """The parameters of a kernel of a cubin, their values at a launch, and the answer to a cubin for another card."""
    from cuda.bindings import nvrtc
    from cuda.core import LaunchConfig, ObjectCode, launch

    def cubin(card: bytes) -> bytes:
        _, program = nvrtc.nvrtcCreateProgram(SUM, b"sum.cu", 0, [], [])
        assert result(nvrtc.nvrtcCompileProgram(program, 1, [b"-arch=" + card])) == "NVRTC_SUCCESS"
        image = bytes(nvrtc.nvrtcGetCUBINSize(program)[1])
        nvrtc.nvrtcGetCUBIN(program, image)
        return image

    values: list[Any] = []
    _, stream = card()
    stand_in.on_launch(lambda asked: values.append(asked.parameters))
    kernel = ObjectCode.from_cubin(cubin(b"sm_90")).get_kernel("sum")
    launch(stream, LaunchConfig(grid=1, block=1), kernel, np.int64(-7), np.int32(6), np.int64(5), np.int8(4))
    sizes = [(one.offset, one.size) for one in kernel.arguments_info]
    return [sizes, values, raised(lambda: ObjectCode.from_cubin(cubin(b"sm_80")).get_kernel("sum"))]


def orders(stand_in: StandIn) -> list[Any]:
    """What the log has of a step on a stream of its own that the default stream waits for; then of what waits."""
    from cuda.bindings import driver
    from cuda.core import LegacyPinnedMemoryResource, Stream

    device, stream = card()
    pinned = LegacyPinnedMemoryResource().allocate(100)
    ours, default = int(stream.handle), Stream.from_handle(0)
    stand_in.forget()
    buffer = device.allocate(100, stream=stream)
    buffer.fill(7, stream=stream)
    driver.cuMemcpyDtoHAsync(pinned.handle, buffer.handle, 100, ours)
    step = [stand_in.waits(), stand_in.streams() == {ours}]
    default.wait(stream)
    step += [stand_in.waits(), stand_in.streams() == {ours, 0}, dict(stand_in.counts())]
    stand_in.forget()
    driver.cuMemcpyDtoHAsync(np.zeros(100, np.uint8), buffer.handle, 100, ours)
    stream.sync()
    buffer.close()
    return [*step, stand_in.waits(), stand_in.used_memory()]


class Shown:
    """Memory of the device, shown to others as an array; `strides` are in bytes."""

    def __init__(self, buffer: Any, shape: list[int], strides: list[int] | None, kind: str) -> None:
        address, told = (int(buffer.handle), False), None if strides is None else tuple(strides)
        self.__cuda_array_interface__ = {"version": 3, "shape": tuple(shape), "strides": told, "typestr": kind, "data": address}
        self.buffer = buffer


def capsules(stand_in: StandIn, *arrays: tuple[list[int], list[int] | None, str]) -> list[Any]:
    """For each array what consumers read in its capsules, without and with a version, less the address, which must be right."""
    from cuda.core.utils import StridedMemoryView

    device, stream = card()
    buffer = device.allocate(4096, stream=stream)
    found = []
    for array in arrays:
        view = StridedMemoryView.from_cuda_array_interface(Shown(buffer, *array), stream_ptr=-1)
        assert list(map(int, view.__dlpack_device__())) == [dlpack.CUDA, 0]
        told = [asdict(dlpack.tensor(view.__dlpack__(**asked))) for asked in ({}, {"max_version": (1, 0)})]
        assert [one.pop("address") for one in told] == 2 * [int(buffer.handle)]
        found.append(told)
    return found


def keeps(stand_in: StandIn) -> list[int]:
    """Bytes of the device in use: with a capsule of memory that nobody else holds, and after the capsule is gone."""
    from cuda.core.utils import StridedMemoryView

    device, stream = card()
    shown = Shown(device.allocate(800, stream=stream), [100], None, "<i8")
    view = StridedMemoryView.from_cuda_array_interface(shown, stream_ptr=-1)
    capsule = view.__dlpack__()
    del shown, view
    held = stand_in.used_memory()
    del capsule
    return [held, stand_in.used_memory()]


def touches(stand_in: StandIn, place: int, is_freed: bool) -> int:
    """Write a byte of the device's memory as a kernel would, without a check."""
    device, stream = card()
    buffer = device.allocate(1024, stream=stream)
    address = int(buffer.handle)
    item = stand_in.memory(address, 1024, np.uint8)
    if is_freed:
        buffer.close()
    np.lib.stride_tricks.as_strided(item, (place + 1,), (1,))[place] = 1
    return place


# ---- The tests


def test_numbers_are_doubled_on_the_device_and_come_back(driver: Driver) -> None:
    assert driver.run(doubling) == [2 * number for number in NUMBERS]


def test_the_device_says_what_it_is(driver: Driver) -> None:
    assert driver.run(the_device) == [[9, 0], 132, 1024]


def test_a_launch_tells_its_sizes_its_stream_and_its_parameters(driver: Driver) -> None:
    first, second = driver.run(launches)
    assert (first["kernel"], first["grid"], first["block"], first["parameters"]) == ("twice", [3, 2, 1], [64, 4, 1], [5, -1])
    assert first["own"] and not second["own"] and second["stream"] == 0


@pytest.mark.parametrize(("grid", "block"), [((1,), (1025,)), ((1,), (64, 17)), ((2**31,), (32,))])
def test_a_launch_that_is_too_large_fails(driver: Driver, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
    process = driver.ended(doubling, grid, block)
    assert process.returncode == 1 and "CUDA_ERROR_INVALID_VALUE" in process.stderr


def test_a_kernel_that_goes_wrong_fails_its_launch(driver: Driver) -> None:
    process = driver.ended(failing)
    assert process.returncode == 1 and "CUDA_ERROR_LAUNCH_FAILED" in process.stderr and "is not allocated" in process.stderr


def failing(stand_in: StandIn) -> None:
    """A kernel that reads one number too many."""
    from cuda.core import LaunchConfig, ObjectCode, launch

    device, stream = card()
    stand_in.on_launch(lambda asked: print(stand_in.memory(asked.parameters[1], asked.parameters[0], np.int64)))
    buffer = device.allocate(80, stream=stream)
    kernel = ObjectCode.from_ptx(TWICE.encode()).get_kernel("twice")
    launch(stream, LaunchConfig(grid=1, block=1), kernel, np.int64(10), np.int64(buffer.handle))
    launch(stream, LaunchConfig(grid=1, block=1), kernel, np.int64(11), np.int64(buffer.handle))


def test_what_is_no_memory_no_kernel_and_no_stream_is_refused(driver: Driver) -> None:
    found = driver.run(refusals)
    assert found.pop("to the end") == "CUDA_SUCCESS"
    assert found.pop("more memory than there is") == "CUDA_ERROR_OUT_OF_MEMORY"
    assert found.pop("a kernel that is not there") == "CUDA_ERROR_NOT_FOUND"
    assert found.pop("no image") == "CUDA_ERROR_INVALID_IMAGE"
    assert {found.pop("on a closed stream"), found.pop("a stream that is none")} == {"CUDA_ERROR_INVALID_HANDLE"}
    assert len(found) == 8 and set(found.values()) == {"CUDA_ERROR_INVALID_VALUE"}, found


def test_nothing_is_done_before_the_driver_is_started_nor_without_a_context(driver: Driver) -> None:
    assert driver.run(without_context) == ["CUDA_ERROR_NOT_INITIALIZED", "CUDA_ERROR_INVALID_CONTEXT"]


def test_a_cubin_tells_its_kernels_and_the_card_it_is_for(driver: Driver) -> None:
    sizes, values, other = driver.run(cubins)
    assert sizes == [[0, 8], [8, 4], [16, 8], [24, 1]] and values == [[-7, 6, 5, 4]]
    assert other == "CUDA_ERROR_NO_BINARY_FOR_GPU"


def test_the_log_tells_which_streams_got_work_and_what_waits(driver: Driver) -> None:
    alone, is_ours, with_default, is_both, counts, waiting, left = driver.run(orders)
    assert alone == with_default == [] and is_ours and is_both
    assert counts["cuMemAllocFromPoolAsync"] == counts["cuMemsetD8Async"] == counts["cuMemcpyDtoHAsync"] == 1
    assert counts["cuEventRecord"] == counts["cuStreamWaitEvent"] == 1
    assert waiting == ["cuMemcpyDtoHAsync", "cuStreamSynchronize"]
    assert left == 0


ARRAYS = [
    ([4, 8], None, "<i4", [8, 1], "int32"),
    ([8, 4], [4, 32], "<i4", [1, 8], "int32"),  # the same memory, transposed
    ([10], [104], "<i8", [13], "int64"),  # a field of records of 104 bytes
    ([3, 5], None, "|b1", [5, 1], "bool8"),
    ([6], None, "<f4", [1], "float32"),
]
"""Shape, strides in bytes and kind of arrays; their strides in items and their kind as capsules tell them."""


def test_a_capsule_tells_shape_strides_kind_and_device(driver: Driver) -> None:
    found = driver.run(capsules, *(array[:3] for array in ARRAYS))
    for (shape, _, _, strides, kind), told in zip(ARRAYS, found):
        expected = {"device": [dlpack.CUDA, 0], "kind": kind, "shape": shape, "strides": strides, "is_readonly": False}
        assert told == [expected, expected]


def test_memory_lives_as_long_as_a_capsule_of_it(driver: Driver) -> None:
    assert driver.run(keeps) == [800, 0]


@pytest.mark.parametrize(
    ("place", "is_freed", "line"),
    [(1024, False, "memory behind an allocation was touched"), (0, True, "memory that was freed was touched")],
)
def test_a_kernel_that_touches_other_memory_ends_the_process(driver: Driver, place: int, is_freed: bool, line: str) -> None:
    process = driver.ended(touches, place, is_freed)
    assert process.returncode < 0 and line in process.stderr


def test_a_kernel_may_touch_all_of_its_memory(driver: Driver) -> None:
    assert driver.run(touches, 1023, False) == 1023
