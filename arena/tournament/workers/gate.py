"""Which matches can be played already: those of games that are compiled where they are played."""

import itertools
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from typing import Protocol

from arena.tournament.workers.compiling import Compiling

MOST_HELD = 50_000  # matches that wait for their game to be compiled, before no more of the plan is looked at


class Gate(Protocol):
    """What the driver asks before it hands out matches."""

    def is_ready(self, game: str) -> bool:
        """Whether the matches of a game can be played now."""
        ...

    def compile(self, game: str, part: str) -> None:
        """Have a part of a game compiled that a bot asked for."""
        ...

    def is_compiled(self, game: str, part: str) -> bool:
        """Whether the matches that asked for a part can be played now."""
        ...

    @property
    def is_open(self) -> bool:
        """Whether nothing has to be waited for."""
        ...

    @property
    def busy(self) -> int:
        """How many CPUs of the workers' machine compile now."""
        ...

    def wait(self, seconds: float) -> None:
        """Wait for news, at most `seconds`."""
        ...


class OpenGate:
    """Everything can be played: who plays compiles it before; implements Gate."""

    is_open = True
    busy = 0

    def __init__(self, compile_elsewhere: Callable[[str, str], object] = lambda game, part: None) -> None:
        """`compile_elsewhere`: see Backend.compile."""
        self._compile_elsewhere = compile_elsewhere

    def is_ready(self, game: str) -> bool:
        """Always true."""
        return True

    def compile(self, game: str, part: str) -> None:
        """Have a part of a game compiled where the workers are."""
        self._compile_elsewhere(game, part)

    def is_compiled(self, game: str, part: str) -> bool:
        """Always true."""
        return True

    def wait(self, seconds: float) -> None:
        """Wait: there are no news here."""
        time.sleep(seconds)


class CompilingGate:
    """Opens game by game while this machine compiles; implements Gate."""

    def __init__(self, compiling: Compiling, compile_elsewhere: Callable[[str, str], bool]) -> None:
        """`compile_elsewhere`: see Backend.compile."""
        self._compiling, self._compile_elsewhere = compiling, compile_elsewhere
        self.is_ready = compiling.is_ready
        self.is_compiled = compiling.is_compiled

    def compile(self, game: str, part: str) -> None:
        """Have a part of a game compiled where the workers are."""
        if not self._compile_elsewhere(game, part):
            self._compiling.ask(game, part)

    @property
    def is_open(self) -> bool:
        """Whether all games are compiled."""
        return self._compiling.is_over

    @property
    def busy(self) -> int:
        """How many processes compile now."""
        return self._compiling.running

    def wait(self, seconds: float) -> None:
        """Wait until something is compiled."""
        self._compiling.look(seconds)


class Queue:
    """Matches in the order in which they come, those of games that are not ready kept back."""

    def __init__(self, indices: Iterable[int], game_of: Callable[[int], str], gate: Gate) -> None:
        """`game_of`: the game of a match by its index."""
        self._indices, self._game_of, self._gate = iter(indices), game_of, gate
        self._held: defaultdict[str, deque[int]] = defaultdict(deque)
        self._held_count = 0
        self._is_exhausted = False

    @property
    def is_empty(self) -> bool:
        """Whether all matches were taken; known once `take` has given none."""
        return self._is_exhausted and not self._held_count

    def take(self, count: int) -> list[int]:
        """The next `count` matches that can be played, or fewer; none if there are none now."""
        if self._gate.is_open and not self._held_count:
            taken = list(itertools.islice(self._indices, count))
            self._is_exhausted = len(taken) < count
            return taken
        taken = []
        for game, held in self._held.items():
            while held and len(taken) < count and self._gate.is_ready(game):
                taken.append(held.popleft())
                self._held_count -= 1
        while len(taken) < count and not self._is_exhausted and self._held_count < MOST_HELD:
            index = next(self._indices, None)
            if index is None:
                self._is_exhausted = True
            elif self._gate.is_open or self._gate.is_ready(game := self._game_of(index)):
                taken.append(index)
            else:
                self._held[game].append(index)
                self._held_count += 1
        return taken
