"""One match in which language models learn: what their seats are asked, what their answers are worth."""

import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from arena import games
from arena.agent.model_bot import OMIT
from arena.agent.view import View
from arena.engine.game import Game
from arena.errors import BotError, ConfigError
from arena.learning.language_models.exchange import Exchange, answered
from arena.learning.language_models.settings import LUCK, EpisodeSettings
from arena.llm.answer import ILLEGAL, Answer, read_answer
from arena.llm.prompt import again
from arena.llm.refusal import explained
from arena.match import Fault, MatchSetup
from arena.match.seeds import key_of_cards, single_match_id
from arena.match.situation import Heard, decision_of, situation_of
from arena.ratings.error_bars import FIRST_COEFFICIENT
from arena.ratings.match_luck import luck_of, no_luck
from arena.ratings.skill import shares_of
from arena.records import Ending, MatchRecord
from arena.results.people import EPISODES
from arena.server.people.store import keep


class Asked(msgspec.Struct, frozen=True):
    """What a seat is asked."""

    seat: int
    attempt: int
    """0, or how many answers to this decision were no action."""
    prompt: str
    """The situation; after an answer that was no action, what was wrong with it."""
    legal: tuple[str, ...]
    """The legal actions, for masks and scripted players. A model sees those that are in the prompt."""


class Legality(msgspec.Struct):
    """How well one seat's answers could be read and played."""

    decisions: int = 0
    """Decisions that the seat was asked for."""
    first_try: int = 0
    """How many of them had a legal action as their first answer."""
    wrong: Counter[str] = msgspec.field(default_factory=Counter)
    """How many answers were no action, by kind (arena/llm/answer.py)."""
    faults: int = 0
    """Decisions at which no answer was an action."""

    def add(self, other: "Legality") -> None:
        """Count another seat's decisions, too."""
        self.decisions += other.decisions
        self.first_try += other.first_try
        self.wrong.update(other.wrong)
        self.faults += other.faults


class Outcome(msgspec.Struct, frozen=True):
    """How an episode ended. Sequences are by seat."""

    places: Sequence[int]
    scores: Sequence[float]
    shares: Sequence[float]
    """The share of its rivals that each seat beat, a tie counting half."""
    rewards: Mapping[int, float]
    """What the episode was worth to each seat that learns, costs of answers included."""


@dataclass
class _Turn:
    """A decision that is put to a seat."""

    view: View
    attempt: int = 0
    said: str | None = None
    """What is asked now; None: the situation, which nobody has looked at."""


@dataclass
class Episode:
    """One match: `asked` says who is to answer what, `answer` goes on. `Table.begin` makes one.

    After the last answer `is_over`, and `outcome` tells. An episode that is not played to its end has to be closed, or
    forgotten. Not for several threads at once.
    """

    game: Game
    settings: EpisodeSettings
    setup: MatchSetup
    head: str
    """The first part of every prompt, see `Table.head`."""
    learners: tuple[int, ...]
    """The seats that learn, ascending."""
    legality: dict[int, Legality]
    """How well each of them has answered so far."""
    _exchange: Exchange
    _turns: dict[int, _Turn] = field(default_factory=dict)
    _heard: dict[int, Heard] = field(default_factory=dict)
    _notes: dict[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Close the episode when it is forgotten."""
        weakref.finalize(self, self._exchange.close)
        self._take_turns()

    @property
    def asked(self) -> dict[int, Asked]:
        """What each seat is asked that is to answer now; several where choices are simultaneous, none when it is over."""
        return {seat: self._asked(seat, turn) for seat, turn in sorted(self._turns.items())}

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return self._exchange.is_over

    def answer(self, seat: int, text: str, *, is_cut: bool = False) -> Answer:
        """Take a model's answer for a seat that is asked; returns what was read in it. `is_cut`: it was cut off.

        Once all seats that are asked together have answered, the match goes on. Raises ConfigError for a seat that is not
        asked, and BotError where a rival fails.
        """
        turn = self._turns.get(seat)
        if turn is None:
            raise ConfigError(f"seat: {seat!r} is not asked now; {self._who_is_asked()}")
        read = explained(read_answer(text, turn.view.legal, is_cut=is_cut), turn.view, language=self.settings.language)
        counts = self.legality[seat]
        if read.notes:
            self._notes[seat] = read.notes
        if read.is_action:
            counts.first_try += turn.attempt == 0
            self._reply(seat, answered(read.action))
            return read
        counts.wrong[read.kind] += 1
        turn.attempt += 1
        if turn.attempt <= self.settings.rethinks:
            legal = None if self.settings.legal == OMIT else turn.view.legal
            turn.said = again(read, legal=legal, language=self.settings.language)
            return read
        counts.faults += 1
        ending = Ending.ILLEGAL if read.kind == ILLEGAL else Ending.MALFORMED
        self._reply(seat, Fault(ending, f"{read.kind} at the last of {turn.attempt} answers: {read.raw}"))
        return read

    @cached_property
    def outcome(self) -> Outcome:
        """How the match ended. Raises ConfigError before that."""
        record = self.record
        units = [seat.unit for seat in record.seats]
        places = [seat.place for seat in record.seats]
        shares = shares_of(places, units)
        taken = [FIRST_COEFFICIENT * luck for luck in self.luck] if self.settings.reward == LUCK else [0.0] * len(units)
        rewards = {seat: 2.0 * (shares[seat] - taken[seat]) - 1.0 + self.costs(seat) for seat in self.learners}
        return Outcome(places, [seat.score for seat in record.seats], shares, rewards)

    @cached_property
    def luck(self) -> list[float]:
        """What the cards gave each seat, as a share of its rivals; zeros in a game that does not say. As `outcome`."""
        found = luck_of(self.game, self.setup, self.record) if games.has_luck(self.game.name) else no_luck(self.record)
        return [seat.bounded for seat in found.seats]

    def costs(self, seat: int) -> float:
        """What a seat's answers that were no action are worth so far: 0 or less."""
        return -self.settings.illegal_cost * self.legality[seat].wrong.total()

    @property
    def record(self) -> MatchRecord:
        """The match as the referee recorded it. Raises ConfigError before its end."""
        if self._exchange.record is None:
            raise ConfigError(f"episode: it is not over; {self._who_is_asked()}")
        return self._exchange.record

    def keep(self, results: Path) -> str:
        """Store the match outside any tournament, for `arena replay` and the server; returns its id. `results`: the folder.

        Raises ConfigError before the end of the match, and StoreError if the folder cannot be written.
        """
        key = key_of_cards(self.setup.deal_seed)
        names = [player.bot for player in self.setup.players]
        match_id = single_match_id(key, names, list(self.record.actions))
        record = msgspec.structs.replace(self.record, match_id=match_id, pool=f"{EPISODES}/{self.game.name}")
        return keep(results, record, key).match_id

    def close(self) -> None:
        """End a match that nobody will play on."""
        self._exchange.close()
        self._turns.clear()

    def _reply(self, seat: int, reply: Any) -> None:
        del self._turns[seat]
        self._exchange.reply(seat, reply)
        self._take_turns()

    def _take_turns(self) -> None:
        """Put the new decisions to their seats. Raises what ended the match otherwise, and BotError for a rival that failed."""
        if self._exchange.error is not None:
            raise self._exchange.error
        if self._exchange.record is not None:
            self._check_rivals(self._exchange.record)
        for seat, view in self._exchange.views.items():
            if seat not in self._turns:
                self._turns[seat] = _Turn(view)
                self._heard.setdefault(seat, Heard()).hear(decision_of(view))
                self.legality[seat].decisions += 1

    def _check_rivals(self, record: MatchRecord) -> None:
        for fault in record.faults:
            if fault.seat not in self.learners:
                raise BotError(f"rival {self.setup.players[fault.seat].bot} failed: {fault.reason}")

    def _asked(self, seat: int, turn: _Turn) -> Asked:
        if turn.said is None:
            turn.said = situation_of(self.settings, turn.view, self._heard[seat].events, notes=self._notes.get(seat, ""))
        return Asked(seat, turn.attempt, turn.said, tuple(turn.view.legal))

    def _who_is_asked(self) -> str:
        seats = ", ".join(map(str, sorted(self._turns)))
        return f"asked: seat {seats}" if seats else "nobody is asked"
