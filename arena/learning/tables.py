"""Many tables of one game, played at compiled speed: what Gymnasium's environments, self-play and the benchmark stand on.

At each table a learner is to choose. `step` plays all choices, lets the rivals play, deals the next episodes, and leaves in
arrays what the learners see next.

>>> tables = Tables("naga", 2, rivals=["random"], seed=7)
>>> tables.reset()
>>> tables.step(tables.counts - 1)
>>> tables.rewards
array([0., 0.])
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, SupportsInt, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.engine.contract import Actions, Features, Numbers, States
from arena.engine.encoding import Encoding
from arena.engine.options import OptionValue
from arena.engine.rng import seed_words
from arena.errors import ArenaError, ConfigError, nearest
from arena.learning.arrays import Indices, deal_seed, new_arrays, new_settings
from arena.learning.compiled import layout
from arena.learning.compiled.layout import DEAL, FULL, NEW, RESUME, STEP, Masks
from arena.learning.device import FEATURE_TYPES, Device, device_of
from arena.learning.on_device import OnDevice
from arena.learning.parts import play_entry, unmeasured
from arena.learning.playing import Playing
from arena.learning.processor import OnProcessor
from arena.learning.rivals import Rival, Seating, name_of, seating
from arena.match.seeds import table_seed
from arena.search.settings import MOST_THREADS

T = TypeVar("T")
MATCH, ROUND, EACH_ROUND = "match", "round", "each_round"
EPISODES = {MATCH: layout.WHOLE, ROUND: layout.FIRST_ROUND, EACH_ROUND: layout.EACH_ROUND}
"""What an episode can be: a whole match; its first round; each of its rounds, one after the other."""
AUTORESETS = {"same_step": layout.SAME_STEP, "next_step": layout.NEXT_STEP, "off": layout.OFF}
ILLEGAL = ("lose", "raise")
REWARDS = ("places", "score")


class IllegalChoice(ArenaError):
    """A learner's index that names no legal action, where that is to be an error."""


class Tables:
    """Some tables of one game. All arrays are filled in place: copy what is to outlive the next step.

    A step is the choice of one learner at each table, among at least two legal actions; whatever else happens until the next
    one happens in it. The same seeds give the same episodes, whatever the number of tables and threads.
    """

    def __init__(
        self,
        game: str,
        tables: int = 1,
        *,
        seats: int | None = None,
        options: Mapping[str, OptionValue] | None = None,
        learners: Sequence[int] | None = None,
        rivals: Sequence[Rival] = (),
        seed: int = 0,
        episode: str = "match",
        autoreset: str = "same_step",
        illegal: str = "lose",
        reward: str = "places",
        action_features: bool = False,
        logs: bool = False,
        threads: int = 1,
        device: str | Device = "cpu",
        stream: Any = None,
        feature_type: str = "float32",
    ) -> None:
        """Make the tables ready; `reset` deals.

        `seats`: as few as the game has, if not given. `learners`: the seats that learn; None: one, another one in each episode.
        `rivals`: who sits at the other seats, from the learner's left on (`random` if nobody is named; repeated if there are
        more seats): `random`, `policy` (the rollout policy), `search:N`, a bot by any of its names, or a callable that is given
        a Batch. `seed`: table i has seed + i. `episode`: a whole `match`, its first `round`, or `each_round` of matches that go
        on, rewarded by what it changed. `autoreset`: when the next episode is dealt: in the `same_step`, in the `next_step`, or
        `off`. `illegal`: an illegal choice is to `lose` the episode, or to `raise`. `reward`: at the end, by `places` from -1
        to 1, or by `score`, which is what the game's `evaluate` says. `action_features` and `logs`: whether these are kept.
        `threads`: in how many the tables are played, each has a part of them; nothing but the time depends on it.

        `device`: `cpu`; `cuda` or `cuda:N`, a graphics card: then the arrays lie there, and of the rivals only `random`,
        `policy` and callables can sit at the tables (docs/cards.md). `stream`: of the caller there. `feature_type`: there
        `float32`, `float16` or `uint8`.

        Raises ConfigError, BotError or StoreError.
        """
        loaded = games.load(game)
        seats = loaded.seats[0] if seats is None else seats
        loaded.check_seats(seats)
        for name, value, known in (
            ("episode", episode, EPISODES), ("autoreset", autoreset, AUTORESETS), ("illegal", illegal, ILLEGAL),
            ("reward", reward, REWARDS),
        ):  # fmt: skip
            if value not in known:
                raise ConfigError(f"{name}: no {value!r}; {nearest(str(value), known)}")
        tables = _checked_number("tables", tables)
        threads = min(tables, _checked_number("threads", threads, MOST_THREADS))
        self.game = loaded
        """The game of the game."""
        self.encoding: Encoding = games.encoding(loaded)
        """What the features mean."""
        self.options = loaded.read_options(options or {}, seats, (Path(),))
        """All rule options with their values."""
        unmeasured(loaded, self.options)
        self.seats = seats
        """How many seats a table has."""
        self.learners = None if learners is None else _checked_learners(learners, seats)
        """The seats that learn; None: one, another one in each episode."""
        self.seed = seed
        """What table 0 begins with, if no other seeds are given."""
        seated = self._seated(rivals)
        settings = new_settings(seats, loaded.units(seats, self.options))
        settings[layout.BY_ROUND] = EPISODES[episode]
        settings[layout.AFTER_END] = AUTORESETS[autoreset]
        settings[layout.BY_SCORE] = reward == "score"
        settings[layout.RAISES] = illegal == "raise"
        self.episode = episode
        """What an episode is, one of EPISODES."""
        self.keeps_logs = logs
        """Whether the actions of episodes are kept."""
        self.has_action_features = action_features
        """Whether the actions' features are kept."""
        self._rival_names = [name_of(rival) for rival in _in_turn(list(rivals) or ["random"], seats - self._count_of_learners)]
        settings[layout.LOGS] = logs or any(rival.needs_logs for rival in seated)
        if episode == EACH_ROUND and (settings[layout.LOGS] or autoreset == "off"):
            why = (
                "without logs and without bots among the rivals"
                if settings[layout.LOGS]
                else "on by itself: autoreset is not off"
            )
            raise ConfigError(f"episode: {EACH_ROUND} goes {why}; take {MATCH} or {ROUND}")
        settings[layout.OWN_SEAT] = self._own_seat
        self._places = self._seat(settings, seated)
        self.playing: Playing = self._played(
            seated, settings, tables=tables, threads=threads, on=(device, stream, feature_type)
        )
        """What plays the tables."""
        self._arrays = self.playing.arrays
        self._features = self.playing.features

    def __len__(self) -> int:
        return self._arrays.tables

    @property
    def states(self) -> States:
        """[tables]: the positions, hidden cards too."""
        return self._arrays.states

    @property
    def features(self) -> Features:
        """[tables, features]: what the seat to choose knows."""
        return self._features[: len(self)]

    @property
    def mask(self) -> Masks:
        """[tables, actions]: which actions are legal; places in the legal list, or in the encoding's `codes` if it has them."""
        return self._arrays.mask

    @property
    def actions(self) -> Actions:
        """[tables, MAX_ACTIONS]: the codes of the legal actions, as many as `counts` says."""
        return self._arrays.actions

    @property
    def action_features(self) -> Features:
        """[tables, MAX_ACTIONS, action features]: a row for each legal action; what is below them is left over from before."""
        return self._arrays.rows

    @property
    def counts(self) -> Indices:
        """[tables]: how many actions are legal; 0 where the episode is over."""
        return self._arrays.books[:, layout.COUNT]

    @property
    def seat(self) -> Indices:
        """[tables]: the seat that is to choose."""
        return self._arrays.books[:, layout.SEAT]

    @property
    def rewards(self) -> Numbers:
        """[tables]: the reward of the learner for its last choice; of several learners, of the one that chose last."""
        return self._arrays.numbers[:, layout.REWARD]

    @property
    def seat_rewards(self) -> Numbers:
        """[tables, seats]: each seat's reward for what happened in the last step."""
        return self._arrays.numbers[:, layout.FIRST_REWARD : layout.FIRST_REWARD + self.seats]

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """[tables]: whether an episode ended in the last step."""
        return self._arrays.ended[:, 0]

    @property
    def truncated(self) -> NDArray[np.bool_]:
        """[tables]: False everywhere, as no episode is cut off."""
        return self.playing.truncated

    @property
    def final_features(self) -> Features:
        """[tables, features]: what the learner saw at the end of the last episode; with autoreset in the same step only."""
        return self._features[len(self) :]

    @property
    def final_places(self) -> Indices:
        """[tables, seats]: the places at the end of the last episode."""
        return self._arrays.books[:, layout.COLUMNS : layout.COLUMNS + self.seats]

    @property
    def final_scores(self) -> Numbers:
        """[tables, seats]: the scores at the end of the last episode."""
        first = layout.FIRST_REWARD + self.seats
        return self._arrays.numbers[:, first : first + self.seats]

    @property
    def final_own(self) -> Indices:
        """[tables]: the single learner's seat in the last episode."""
        return self._arrays.books[:, layout.ENDED_OWN]

    @property
    def final_faults(self) -> Indices:
        """[tables]: 1 where the last episode ended with an illegal choice, else 0."""
        return self._arrays.books[:, layout.ENDED_ILLEGAL]

    @property
    def final_illegal(self) -> NDArray[np.bool_]:
        """[tables]: whether the last episode ended with an illegal choice; on a card this waits for it."""
        found: NDArray[np.bool_] = self.playing.read(self.final_faults) == 1
        return found

    def deal_seed(self, table: int, *, ended: bool = False) -> int:
        """The 128-bit seed of the cards of a table's episode, as the referee takes it. `ended`: of the one that ended last."""
        return deal_seed(self._book(table), layout.ENDED_DEAL if ended else layout.DEAL_SEED)

    def own_seat(self, table: int, *, ended: bool = False) -> int:
        """The single learner's seat in a table's episode. `ended`: in the one that ended last."""
        return int(self._book(table)[layout.ENDED_OWN if ended else layout.OWN])

    def log(self, table: int, *, ended: bool = False) -> list[int]:
        """The actions of a table's episode so far, if `logs` are kept. `ended`: of the one that ended last."""
        book = self._book(table)
        half = int(1 - book[layout.HALF] if ended else book[layout.HALF])
        length = int(book[layout.ENDED_LENGTH if ended else layout.LENGTH])
        found: list[int] = self.playing.read(self._arrays.logs[table + half * len(self), :length]).tolist()
        return found

    def advised(self, rival: Rival) -> Callable[[Indices], Indices]:
        """Return what gives the places in the legal lists that a bot or a search would choose for the learner at some tables.

        A bot needs tables with `logs`. Raises ConfigError, BotError or StoreError; what it returns raises BotError for a fault.
        """
        made = seating(rival, self.game, self.seats, self.options, "").asked
        if made is None:
            raise ConfigError(f"{name_of(rival)} is played in compiled code alone, and advises nobody")
        outside, chosen = made(self._arrays), self._arrays.chosen

        def places(which: Indices) -> Indices:
            outside.choose(which)
            return chosen[which].copy()

        return places

    def names(self, table: int, *, ended: bool = False) -> list[str | None]:
        """The rivals at a table by name and seat, with None for a learner. `ended`: in the episode that ended last."""
        return [self._rival_names[place] if place >= 0 else None for place in self._places[self.own_seat(table, ended=ended)]]

    def own_seats(self, *, ended: bool = False) -> Indices:
        """[tables]: the single learner's seat in each episode. `ended`: in those that ended last."""
        return self.playing.read(self._arrays.books[:, layout.ENDED_OWN if ended else layout.OWN]).copy()

    def action_texts(self, table: int) -> list[str]:
        """The legal actions at a table in the game's notation, in the order of the legal list."""
        count = int(self._book(table)[layout.COUNT])
        codes = self.playing.read(self.actions[table, :count]).tolist()
        return self.game.text.action_texts(self._seen(table)[0], codes) if codes else []

    def reset(self, seeds: int | Sequence[int] | None = None, which: Any = None) -> None:
        """Deal a new episode.

        `which`: the numbers of the tables, or a mask; None: all. `seeds`: one for each of them, or one from which they are
        counted up; None: the tables go on as they were seeded.
        """
        numbers = np.arange(len(self))[slice(None) if which is None else np.asarray(which)]
        books = self.playing.read(self._arrays.books)
        if seeds is None:
            fresh = [int(table) for table in numbers if books[table, layout.STATUS] == layout.UNUSED]
            given = [self.seed + table for table in fresh]
        else:
            fresh = numbers.tolist()
            given = [seeds + place for place in range(len(fresh))] if isinstance(seeds, int) else list(seeds)
            if len(given) != len(fresh):
                raise ConfigError(f"seeds: {len(given)} for {len(fresh)} tables")
        for table, seed in zip(fresh, given):
            self._sow(books[table], seed)
        books[numbers, layout.STATUS] = NEW
        self.playing.write(self._arrays.books, books)
        self.playing.run(DEAL)

    def step(self, indices: Any) -> None:
        """Play the learners' choices: for each table a place in its legal list, or in `codes`, as in `mask`.

        Where an episode is over and is not dealt again by itself, nothing happens. Raises IllegalChoice if that is asked for;
        then no table has played.
        """
        self.playing.choose(indices)
        found = self.playing.run(STEP)
        if found < 0:
            raise self._illegal(-1 - found)

    def positions(self) -> tuple[States, Indices]:
        """Return copies of all that tables hold which wait for learners: `put_back` goes on from there."""
        return self.playing.read(self._arrays.states).copy(), self.playing.read(self._arrays.books).copy()

    def put_back(self, states: States, books: Indices) -> None:
        """Go on from `positions` of tables with the same settings, without bots as rivals: they know only what they saw."""
        if states.shape != self._arrays.states.shape or books.shape != self._arrays.books.shape:
            raise ConfigError(f"positions: of {len(states)} tables; there are {len(self)}")
        books = books.copy()
        books[:, layout.STATUS] = FULL  # they go on to the next choice, which is the one that they waited for
        self.playing.write(self._arrays.states, states)
        self.playing.write(self._arrays.books, books)
        self.playing.run(RESUME)

    def step_one(self, index: SupportsInt) -> None:
        """Play the choice at the only table: `step` without what it costs to look at an array of choices."""
        found = self.playing.step_one(index)
        if found < 0:
            raise self._illegal(-1 - found)

    def _book(self, table: int) -> Indices:
        """A table's row in the books."""
        return self.playing.read(self._arrays.books[table])

    def _sow(self, book: Indices, seed: int) -> None:
        """Seed a table's random numbers. `book`: its row."""
        words = seed_words(table_seed(seed))
        book[layout.RNG : layout.RNG + 4] = words
        book[layout.EPISODE] = words[0] % self.seats
        book[layout.EMPTY] = 0

    def _illegal(self, table: int) -> IllegalChoice:
        texts = ", ".join(self.action_texts(table))
        index = self.playing.read(self._arrays.chosen)[table]
        return IllegalChoice(f"table {table}: index {index} is not legal; legal: {texts}")

    def _seen(self, table: int) -> States:
        state = self.playing.read(self._arrays.states[table : table + 1])
        return self.game.observed(state, int(self._book(table)[layout.SEAT]))

    def _played(self, seated: list[Seating], settings: Any, *, tables: int, threads: int, on: tuple[Any, Any, str]) -> Playing:
        """What plays the tables. `on`: the device, the stream and the type of features that were asked for."""
        device, stream, feature_type = on
        options = self.game.options_vector(self.options)
        if feature_type not in FEATURE_TYPES:
            raise ConfigError(f"feature_type: no {feature_type!r}; {nearest(str(feature_type), FEATURE_TYPES)}")
        if device == "cpu":
            if stream is not None or feature_type != FEATURE_TYPES[0]:
                raise ConfigError(f"{'feature_type' if stream is None else 'stream'}: only with device='cuda'")
            arrays = new_arrays(
                self.game, self.encoding, settings, options,
                tables=tables, threads=threads, has_action_features=self.has_action_features,
            )  # fmt: skip
            return OnProcessor(arrays, play_entry(self.game), seated, self._places)
        if threads > 1:
            raise ConfigError("threads: on a card every table has a lane of its own; leave threads out")
        for name, rival in zip(self._rival_names, seated):
            if rival.asked is not None and rival.snapshot is None:
                raise ConfigError(f"rivals: {name} cannot sit at tables on a card; random, policy and callables can")
        found = device_of(device, stream) if isinstance(device, str) else device
        games.encoding(self.game)  # compiled code finds the game's encoding by the type of its states
        return OnDevice(
            found, self.game, self.encoding, settings, options, seated, self._places,
            tables=tables, has_action_features=self.has_action_features, feature_type=feature_type,
        )  # fmt: skip

    @property
    def _own_seat(self) -> int:
        if self.learners is None:
            return layout.ROTATES
        return self.learners[0] if len(self.learners) == 1 else layout.SEVERAL

    def _seated(self, rivals: Sequence[Rival]) -> list[Seating]:
        """The rivals in the order of their seats."""
        left = self.seats - self._count_of_learners
        if len(rivals) > left:
            raise ConfigError(f"rivals: {len(rivals)} for {left} seats; {self.seats} sit at the table")
        named: list[Rival] = [*rivals] or ["random"]
        kinds = [seating(rival, self.game, self.seats, self.options, f"rivals[{place}]: ") for place, rival in enumerate(named)]
        return _in_turn(kinds, left)

    @property
    def _count_of_learners(self) -> int:
        return 1 if self.learners is None else len(self.learners)

    def _seat(self, settings: Any, seated: list[Seating]) -> NDArray[np.int64]:
        """Write the roles of the seats. Gives for each learner's seat and each seat the place of its rival, or -1."""
        seats = self.seats
        places = np.full((seats, seats), -1)
        for own in range(seats):
            learners = {own} if self.learners is None else set(self.learners)
            first = own if self._own_seat != layout.SEVERAL else 0
            others = [seat for seat in ((first + step) % seats for step in range(seats)) if seat not in learners]
            for place, seat in enumerate(others):
                places[own, seat] = place
                settings[layout.FIRST_ROLE + seats * own + seat] = seated[place].role
        return places


def _in_turn(given: Sequence[T], count: int) -> list[T]:
    """Some of the given ones in turn, as many as `count`."""
    return [given[place % len(given)] for place in range(count)]


def _checked_number(name: str, given: object, most: int | None = None) -> int:
    """A whole number from 1 to `most`. Raises ConfigError for anything else."""
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or given < 1 or (most and given > most):
        raise ConfigError(f"{name}: a whole number from 1 {f'to {most}' if most else 'on'} is needed, not {given!r}")
    return int(given)


def _checked_learners(learners: Sequence[int], seats: int) -> tuple[int, ...]:
    found = tuple(sorted(int(seat) for seat in learners))
    if not found or len(set(found)) != len(found) or found[0] < 0 or found[-1] >= seats:
        raise ConfigError(f"learners: some seats from 0 to {seats - 1}, each once, are needed, not {tuple(learners)}")
    return found
