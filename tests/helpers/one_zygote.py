"""One zygote for the locked seats of many tests: its start takes longer than most of what they do."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from arena.match import holder
from arena.match.sandbox import LOCKED, Keeper


class _Borrowed:
    """A keeper for one holder, whose zygote outlives the holder's seats."""

    def __init__(self, lasting: Keeper) -> None:
        self._lasting = lasting

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lasting, name)

    def close(self) -> None:
        """Leave the zygote as it is. The keeper itself still ends one that is lost, or does not start."""


@contextmanager
def one_zygote(rooms: Iterable[str]) -> Iterator[None]:
    """Meanwhile all holders take their locked seats from one zygote, which has loaded `rooms`."""
    with Keeper(rooms) as lasting, pytest.MonkeyPatch.context() as patch:

        def keeper(rooms: Iterable[str], *, least: str = LOCKED) -> Any:
            return _Borrowed(lasting) if least == LOCKED else Keeper(rooms, least=least)

        patch.setattr(holder, "Keeper", keeper)
        yield
