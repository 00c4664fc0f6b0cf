"""What a DLPack capsule tells a consumer, read from its bytes: dlpack.h, releases 0.8 (unversioned) and 1.0."""

import ctypes
from dataclasses import dataclass
from typing import Any

_VERSIONED = b"dltensor_versioned"
_PLAIN = b"dltensor"
_BEFORE_TENSOR = 32  # bytes of DLManagedTensorVersioned: version, context, deleter, flags
_FLAGS_AT = 24
KINDS = {0: "int", 1: "uint", 2: "float", 5: "complex", 6: "bool"}
"""Names of DLDataTypeCode."""
CUDA = 2
"""kDLCUDA, a device type."""


@dataclass(frozen=True)
class Tensor:
    """A tensor of a capsule; strides count items."""

    address: int
    device: tuple[int, int]
    kind: str
    shape: list[int]
    strides: list[int]
    is_readonly: bool
    """A capsule without a version cannot say so."""


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_uint64), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32), ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]  # fmt: skip


def tensor(capsule: Any) -> Tensor:
    """The tensor of a capsule that nobody consumed yet."""
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    name = _name(capsule)
    address = pointer(capsule, name)
    flags = ctypes.c_uint64.from_address(address + _FLAGS_AT).value if name == _VERSIONED else 0
    told = _Tensor.from_address(address + (_BEFORE_TENSOR if name == _VERSIONED else 0))
    assert told.lanes == 1, told.lanes
    return Tensor(
        address=told.data + told.byte_offset,
        device=(told.device_type, told.device_id),
        kind=f"{KINDS[told.code]}{told.bits}",
        shape=told.shape[: told.ndim],
        strides=told.strides[: told.ndim],
        is_readonly=bool(flags & 1),
    )


def _name(capsule: Any) -> bytes:
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    found = name(capsule)
    assert found in (_PLAIN, _VERSIONED), f"consumed already, or no capsule of a tensor: {found!r}"
    return bytes(found)
