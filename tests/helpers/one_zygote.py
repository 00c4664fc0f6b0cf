"""One zygote for the locked seats of many tests: its start takes longer than most of what they do."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from arena.match import holder
from arena.match.sandbox import LOCKED, Supervisor


class _Borrowed:
    """A supervisor for one holder, whose zygote outlives the holder's seats."""

    def __init__(self, lasting: Supervisor) -> None:
        self._lasting = lasting

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lasting, name)

    def close(self) -> None:
        """Leave the zygote as it is. The supervisor itself still ends one that is lost, or does not start."""


@contextmanager
def one_zygote(games: Iterable[str]) -> Iterator[None]:
    """Meanwhile all holders take their locked seats from one zygote, which has loaded `games`."""
    with Supervisor(games) as lasting, pytest.MonkeyPatch.context() as patch:

        def supervisor(games: Iterable[str], *, least: str = LOCKED) -> Any:
            return _Borrowed(lasting) if least == LOCKED else Supervisor(games, least=least)

        patch.setattr(holder, "Supervisor", supervisor)
        yield
