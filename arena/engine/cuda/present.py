"""What graphics cards a machine has, as their driver tells: nothing is compiled, and nothing is put on a card."""

from dataclasses import dataclass
from typing import Any

from cuda.bindings import driver
from cuda.pathfinder import DynamicLibNotFoundError


@dataclass(frozen=True)
class PresentCard:
    """A card of this machine."""

    name: str
    """What its maker calls it."""
    capability: tuple[int, int]
    """The compute capability."""
    memory: int
    """All of its memory, in bytes."""


def present_cards() -> list[PresentCard]:
    """All cards of this machine. Raises RuntimeError, which says what is wrong, where there is no driver or no card for it."""
    try:
        told(driver.cuInit(0))
    except DynamicLibNotFoundError:
        raise RuntimeError("NVIDIA's driver is missing") from None
    return [_card(told(driver.cuDeviceGet(number))) for number in range(told(driver.cuDeviceGetCount()))]


def told(result: tuple[Any, ...]) -> Any:
    """What a call of the driver gave first, or None. Raises RuntimeError if the driver says that something is wrong."""
    error, *given = result
    if error != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"the card's driver: {driver.CUresult(error).name}")
    return given[0] if given else None


def _card(device: Any) -> PresentCard:
    name, kind = told(driver.cuDeviceGetName(128, device)), driver.CUdevice_attribute
    major, minor = (
        int(told(driver.cuDeviceGetAttribute(which, device)))
        for which in (
            kind.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, kind.CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
        )
    )  # fmt: skip
    return PresentCard(name.partition(b"\0")[0].decode(), (major, minor), int(told(driver.cuDeviceTotalMem(device))))
