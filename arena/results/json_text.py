"""JSON of files of ours, which may be long or somebody else's."""

import contextlib
import gc
from collections.abc import Iterator
from typing import TypeVar

import msgspec

T = TypeVar("T")


def decode(data: bytes, kind: type[T], most_parts: int | None = None) -> T:
    """Decode JSON. Raises msgspec.DecodeError, UnicodeError or RecursionError.

    `most_parts`: how many lists and objects it may have, each of which takes many times its bytes in memory.
    """
    if most_parts is not None and (parts := data.count(b"[") + data.count(b"{")) > most_parts:
        raise msgspec.DecodeError(f"it has {parts:,} lists and objects, and {most_parts:,} are possible")
    with no_collecting():
        return msgspec.json.decode(data, type=kind)


@contextlib.contextmanager
def no_collecting() -> Iterator[None]:
    """Look for no garbage meanwhile: where much is made that stays, that takes most of the time."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
