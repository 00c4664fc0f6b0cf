"""What a bot sees at a decision. Each game's own view extends this one."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from arena.engine.room import Document, Game, States
from arena.records import Clock
from arena.search import Findings, Memory, search, settings_of


class View:
    """One seat's knowledge at one decision. A value copy: nothing that a bot does to it reaches the game."""

    def __init__(
        self,
        game: Game,
        observed: States,
        seat: int,
        *,
        codes: Sequence[int],
        events: Callable[[], list[tuple[int, str]]],
        clock: Clock,
    ) -> None:
        """`observed`: the state as `observe` shows it to the seat; `codes`: its legal actions; `events`: makes the events."""
        self.state: Any = observed[0]
        """The state as the seat sees it, a record of the room's STATE; everything that the seat cannot know is zero."""
        self.seat = seat
        """The bot's own seat, from 0."""
        self.clock = clock
        """The CPU seconds for this decision, and what is left in the bank."""
        self._game = game
        self._observed = observed
        self.is_timed = False
        """Whether a search was given a time budget: then the decision cannot be repeated exactly."""
        self.thread_seconds = 0.0
        """CPU seconds of the search's extra threads."""
        self.codes = codes
        """The legal actions as codes, in the order of `legal`."""
        self._events = events

    @property
    def game(self) -> str:
        """The name of the game that is played."""
        return self._game.name

    @cached_property
    def legal(self) -> list[str]:
        """The legal actions in canonical order; `act` returns one of them."""
        return self._game.text.action_texts(self.state, self.codes)

    @cached_property
    def events(self) -> list[tuple[int, str]]:
        """What the seat may know of the actions since its last decision, that one included, as (seat, text)."""
        return self._events()

    @cached_property
    def position(self) -> Document:
        """The masked position: a JSON object with `?` for each hidden card."""
        return self._game.text.masked_position(self.state, self.seat)

    def search(self, memory: Memory | None = None, **settings: Any) -> Findings:
        """The compiled search from this seat's knowledge, such as `view.search(iterations=1000).best`.

        `settings`: the fields of `arena.search.Settings`: iterations, time, method, rollout, evaluate, ...; `memory`: what
        earlier searches of this match learnt, so that this one need not start from nothing. Raises ConfigError.
        """
        asked = settings_of(settings)
        self.is_timed |= asked.time is not None
        found = search(self._game, self._observed, self.seat, list(self.codes), asked, memory)
        self.thread_seconds += found.thread_seconds
        return found

    def __str__(self) -> str:
        lines = [self._game.text.describe(self.state, self.seat)]
        lines += [f"  {place:3}  {text}" for place, text in enumerate(self.legal)]
        return "\n".join(lines)
