"""One zygote for the locked seats of many tests: its start takes longer than most of what they do."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from arena.seats import holder
from arena.seats.sandbox import LOCKED, Keeper


class _Lasting(Keeper):
    """A keeper whose zygote outlives the seats of one holder."""

    def close(self) -> None:
        """Leave the zygote as it is."""

    def end(self) -> None:
        super().close()


@contextmanager
def one_zygote(rooms: Iterable[str]) -> Iterator[None]:
    """Meanwhile all holders take their locked seats from one zygote, which has loaded `rooms`."""
    lasting = _Lasting(rooms)

    def keeper(rooms: Iterable[str], *, least: str = LOCKED) -> Keeper:
        return lasting if least == LOCKED else Keeper(rooms, least=least)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(holder, "Keeper", keeper)
        try:
            yield
        finally:
            lasting.end()
