"""Where episodes begin: one table, its deals by number in two streams, and who sits where."""

import hashlib
from collections.abc import Mapping
from contextlib import ExitStack
from functools import lru_cache, partial
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec.structs import replace

from arena import games
from arena.agent import BotFiles
from arena.agent.model_bot import NOTES
from arena.errors import ConfigError
from arena.learning.language_models.episode import Episode, Legality
from arena.learning.language_models.exchange import Exchange, OutsideSeat
from arena.learning.language_models.rivals import rival
from arena.learning.language_models.settings import EVALUATION, LUCK, PLACES, TRAINING, EpisodeSettings
from arena.learning.parts import unmeasured
from arena.learning.rivals import role_of
from arena.llm.prompt import head
from arena.match import MatchSetup, Player, Seat, play
from arena.match.seeds import key_from_seed, match_seeds, single_match_id, training_key
from arena.match.single_match import Named, agree, bot_seat
from arena.records import MatchRecord, canonical_json
from arena.server.people.store import bot_as_player

LEARNER = "learner"
"""The name of a seat that learns, in records."""
EVALUATION_SEED = 51
"""The deals of the evaluation are those of a tournament with this seed."""
EVALUATION_DEALS = 200
"""How many they are."""


class Table:
    """A table at which models learn: `begin` gives its episodes."""

    def __init__(self, settings: EpisodeSettings) -> None:
        """Check everything. Raises ConfigError, and BotError or StoreError for a rival that does not play here."""
        self.settings = settings
        self.game = games.load(settings.game)
        self.seats = self.game.seats[0] if settings.seats is None else settings.seats
        self.game.check_seats(self.seats)
        self.options = self.game.resolve_options(settings.options, self.seats)
        unmeasured(self.game, self.options)
        if settings.reward == LUCK and not games.has_luck(self.game.name):
            raise ConfigError(f"reward: {self.game.name} does not say what chance decides in it; take {PLACES}")
        if not settings.rivals:
            raise ConfigError("rivals: give at least one")
        for seat in settings.learners or ():
            if not 0 <= seat < self.seats:
                raise ConfigError(f"learners: seats 0 to {self.seats - 1}, not {seat}")
        self.rivals = [rival(name, self.game, f"rivals[{place}]: ") for place, name in enumerate(settings.rivals)]
        for one in self.rivals:
            role_of(one, self.game, self.seats, self.options)  # it starts, and plays this game

    @property
    def head(self) -> str:
        """The first part of every prompt: rules, notation, this table, the form of the answer. Equal in all episodes."""
        takes_notes = self.settings.memory == NOTES
        return head(self.game, self.seats, self.options, language=self.settings.language, takes_notes=takes_notes)

    @property
    def turns(self) -> int:
        """How many episodes in a row have the same deal: one for each seat where one learns at a time, else 1."""
        return self.seats if self.settings.learners is None else 1

    def episodes(self, stream: str = EVALUATION) -> int | None:
        """How many episodes a stream has; None: as many as one likes."""
        if stream not in (TRAINING, EVALUATION):
            raise ConfigError(f"stream: {TRAINING} or {EVALUATION}, not {stream!r}")
        return EVALUATION_DEALS * self.turns if stream == EVALUATION else None

    def learners(self, number: int) -> tuple[int, ...]:
        """The seats that learn in an episode, ascending."""
        chosen = self.settings.learners
        if chosen is None:
            return (number % self.seats,)
        return tuple(sorted(set(chosen))) or tuple(range(self.seats))

    def begin(self, number: int, stream: str = TRAINING) -> Episode:
        """Deal episode `number` of a stream, and have it played until somebody is asked.

        The same number gives the same cards and the same rivals. Where one seat learns at a time, `seats` episodes in a row
        have the same cards, each with another seat learning. Raises ConfigError for a number that the stream does not have.
        """
        most = self.episodes(stream)
        if number < 0 or (most is not None and number >= most):
            which = "from 0 on" if most is None else f"from 0 to {most - 1}"
            raise ConfigError(f"seed: {number}; the {stream} stream has the episodes {which}")
        learners = self.learners(number)
        setup = self._setup(number // self.turns, learners, stream)
        exchange = Exchange()
        legality = {seat: Legality() for seat in learners}
        exchange.begin(partial(self._play, setup, learners, exchange))
        return Episode(self.game, self.settings, setup, self.head, learners, legality, exchange)

    def _play(self, setup: MatchSetup, learners: tuple[int, ...], exchange: Exchange) -> MatchRecord:
        """Play a match; in a thread of its own."""
        with ExitStack() as opened:
            seats: list[Seat] = []
            for seat, seed in enumerate(setup.bot_seeds):
                if seat in learners:
                    seats.append(OutsideSeat(exchange, seat))
                else:
                    seats.append(opened.enter_context(bot_seat(self._rival(seat, learners), seed)))
            return play(self.game, setup, seats)

    def _rival(self, seat: int, learners: tuple[int, ...]) -> Named:
        """The rival on a seat that does not learn: they sit down in turn, from the first learner's left on."""
        others = [(learners[0] + step) % self.seats for step in range(1, self.seats)]
        place = [other for other in others if other not in learners].index(seat)
        return self.rivals[place % len(self.rivals)]

    def _setup(self, deal: int, learners: tuple[int, ...], stream: str) -> MatchSetup:
        players = [
            _player(LEARNER) if seat in learners else _player(*self._rival(seat, learners)) for seat in range(self.seats)
        ]
        names = [player.bot for player in players]
        key = key_from_seed(EVALUATION_SEED) if stream == EVALUATION else training_key()
        options = canonical_json(self.options)
        match_id = single_match_id(key, self.game.name, options, names, deal)
        seeds = match_seeds(key, match_id, self.game.name, self.seats, options, deal)
        agreed = agree(self.game.name, names, seed=0, options=self.options)
        return replace(
            agreed, match_id=match_id, deal=deal, players=tuple(players), deal_seed=seeds.deal, bot_seeds=seeds.bots,
            fallback_seeds=seeds.fallbacks, faults=self.settings.faults,
        )  # fmt: skip


@lru_cache(maxsize=32)
def table_of(settings: bytes | str) -> Table:
    """The table of EpisodeSettings as JSON, one for the same ones: its rivals' files are read once. Raises as Table does."""
    return Table(msgspec.json.decode(settings, type=EpisodeSettings))


def _player(name: str, bot: object = None, params: Mapping[str, Any] = MappingProxyType({})) -> Player:
    """The player of a seat, as the match is stored: a bot by its files, anybody else by the name."""
    if isinstance(bot, BotFiles):
        return bot_as_player(name, bot, params)
    return Player(name, hashlib.sha256(name.encode()).hexdigest(), canonical_json(dict(params)))
