"""What happened in a match so far: every state, so that what a seat saw at a decision can be shown whenever somebody looks."""

from itertools import pairwise

import numpy as np

from arena.engine.entries import ENDED_ROUND
from arena.engine.game import Actions, Game, States

PAGE_BYTES = 1 << 16  # of states that are kept together


class MatchHistory:
    """The states of a match as they came about, and the actions that led from each to the next."""

    def __init__(self, game: Game, seats: int, states: States) -> None:
        """`states`: the first position."""
        self.game = game
        self.played: list[int] = []
        """The actions, as `step` took them."""
        self.rounds = [0]
        """How many actions had been played when each round was dealt, the present one last."""
        self._follow = game.engine.follow
        self._choice = 2 * seats  # places that a simultaneous choice may need
        self._length = max(PAGE_BYTES // states.itemsize, 2 * self._choice)  # of a page
        self._past: list[tuple[States, int]] = []  # page and place of the state before each action
        self._page = states  # where the state is
        self._place = 0
        self._asked = 0  # the place of the state that the next decision is about: of the state, or of a supposed one
        self._free = 1
        self._turn_page()

    @property
    def states(self) -> States:
        """The state as it is."""
        return self._page[self._place : self._place + 1]

    def play(self, action: int, out: Actions) -> int:
        """Play an action; see `Engine.follow` for `out` and for what is returned."""
        if self._free == self._length:
            self._turn_page()
        before, after = self._place, self._free
        self._past.append((self._page, before))
        self.played.append(action)
        self._place = self._asked = after
        self._free = after + 1
        found = self._follow(self._page, before, after, action, out)
        if found & ENDED_ROUND:
            self.rounds.append(len(self.played))
        return found

    def suppose(self, action: int, out: Actions) -> int:
        """Play an action that may not be the one that is chosen, for what the next seat of a simultaneous choice sees."""
        if self._asked == self._place and self._free + self._choice > self._length:
            self._turn_page()
        before, self._asked = self._asked, self._free
        self._free += 1
        return self._follow(self._page, before, self._asked, action, out)

    def decision(self, seat: int, count: int, legal: memoryview, heard: int) -> "Decision":
        """The decision to take in the state as it is, or after what was supposed since then; see Decision."""
        return Decision(self, self._page, self._asked, seat, count, legal, heard, len(self.played))

    def take_back(self) -> None:
        """Return to the state before the last action. Decisions about what came after it still show what they showed."""
        self._page, self._place = self._past.pop()
        if self.rounds[-1] == len(self.played) and len(self.rounds) > 1:
            self.rounds.pop()
        self.played.pop()
        self._turn_page()

    def events(self, first: int, last: int, viewer: int) -> list[tuple[int, str]]:
        """Return what a seat may know of the actions from number `first` up to `last`, `last` excluded."""
        seen_action, event_texts = self.game.engine.seen_action, self.game.text.event_texts
        found = []
        for (page, place), action in zip(self._past[first:last], self.played[first:last]):
            seen = seen_action(page[place : place + 1], action, viewer)
            if seen:
                found += event_texts(page[place], seen)
        return found

    def _turn_page(self) -> None:
        """Go on on a new page, which begins with the state as it is."""
        page = np.empty(self._length, self._page.dtype)
        page[0] = self._page[self._place]
        self._page, self._place, self._asked, self._free = page, 0, 0, 1


class Decision:
    """A decision that a seat is asked for; implements view.Moment. What nobody looks at is not made."""

    __slots__ = ("_heard", "_page", "_place", "_played", "_tape", "_texts", "count", "game", "legal_codes", "seat")

    def __init__(
        self, tape: MatchHistory, page: States, place: int, seat: int, count: int, legal: memoryview, heard: int, played: int
    ) -> None:
        """`legal`: the legal actions, `count` of them, until the next action is played.

        `heard`, `played`: the numbers of actions of which the seat heard before, and that were played.
        """
        self.game = tape.game
        self.seat = seat
        self.count = count
        self.legal_codes = legal
        self._tape = tape
        self._page = page
        self._place = place
        self._heard = heard
        self._played = played
        self._texts: tuple[str, ...] | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts of the legal actions, made of what the seat sees."""
        if self._texts is None:
            self._texts = tuple(self.game.text.action_texts(self.observed()[0], self.codes()))
        return self._texts

    def observed(self) -> States:
        """The state as `observe` shows it to the seat."""
        return self.game.observed(self._states, self.seat)

    def codes(self) -> list[int]:
        """The legal actions as codes."""
        return self.game.legal_list(self._states)

    def legal(self) -> list[str]:
        """Their texts, for the bot to do with what it likes."""
        return list(self.texts)

    def events(self) -> list[tuple[int, str]]:
        """Return what the seat may know of the actions since its last decision."""
        return self._tape.events(self._heard, self._played, self.seat)

    def since_deal(self) -> list[tuple[int, str]]:
        """Return what the seat may know of all actions since the cards of this round were dealt."""
        return self._tape.events(self._dealt()[-1], self._played, self.seat)

    def earlier_rounds(self) -> list[list[tuple[int, str]]]:
        """Return what the seat may know of all actions of each round before this one, the first round first."""
        dealt = self._dealt()
        return [self._tape.events(first, last, self.seat) for first, last in pairwise(dealt)]

    @property
    def rounds(self) -> int:
        """How many rounds were dealt up to this decision."""
        return len(self._dealt())

    def _dealt(self) -> list[int]:
        """How many actions had been played when each round up to this decision was dealt."""
        return [number for number in self._tape.rounds if number <= self._played]

    @property
    def _states(self) -> States:
        return self._page[self._place : self._place + 1]
