"""One zygote for the locked seats of many tests: its start takes longer than most of what they do."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from arena.match import choose, holder
from arena.match.sandbox import LOCKED, NAMESPACE, Supervisor


class Borrowed:
    """A supervisor for one holder or worker, whose zygote outlives their seats."""

    def __init__(self, lasting: Supervisor) -> None:
        self._lasting = lasting

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lasting, name)

    def __enter__(self) -> "Borrowed":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the core, and the zygote as it is. The supervisor itself still ends one that is lost, or does not start."""
        self._lasting._core.close(self._lasting.pids)


@contextmanager
def one_zygote(games: Iterable[str]) -> Iterator[None]:
    """Meanwhile all holders, and workers in this process, take their locked seats from one zygote, which has loaded `games`."""
    with Supervisor(games) as lasting, zygote_of(lasting):
        yield


@contextmanager
def zygote_of(lasting: Supervisor) -> Iterator[None]:
    """The same with the zygote of a supervisor, such as the fixture `supervisor`."""
    with pytest.MonkeyPatch.context() as patch:

        def supervisor(games: Iterable[str], *, level: str = NAMESPACE, least: str = LOCKED) -> Any:
            is_usual = (level, least) == (NAMESPACE, LOCKED)
            return Borrowed(lasting) if is_usual else Supervisor(games, level=level, least=least)

        for module in (holder, choose):
            patch.setattr(module, "Supervisor", supervisor)
        yield
