"""Who sits at the seats that do not learn: `random`, `policy`, `search:N`, any bot, or a snapshot of the learning policy.

Random play, the rollout policy and searches (`search:200` is `view.search(iterations=200)`) are compiled into the tables. All
others are asked between two steps of the compiled code: a bot plays a match of its own at each table, and is asked from its
views.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from arena.agent import Agent, BotFiles, EndInfo, LoadedBot, StartInfo
from arena.engine.contract import Actions, Features
from arena.engine.game import Game
from arena.errors import BotError, ConfigError
from arena.learning.arrays import Arrays, Indices, OptionValues, deal_seed
from arena.learning.compiled.layout import (
    ALWAYS_OUTSIDE,
    COLUMNS,
    COUNT,
    DEAL_SEED,
    ENDED_DEAL,
    FIRST_REWARD,
    HALF,
    LENGTH,
    OUTSIDE,
    POLICY,
    RANDOM,
    SEAT,
    SNAPSHOT,
    Masks,
)
from arena.learning.parts import search_entry
from arena.learning.threads import Threads
from arena.match import Fault, Seat
from arena.match.history import MatchHistory
from arena.match.seeds import single_match_seeds
from arena.match.single_match import UNHURRIED, Entrant, Named, bot_seat, named
from arena.results_folder import nearest_results
from arena.search import Settings
from arena.search.scratch import Scratch
from arena.search.task import task_of
from arena.search.tree import take_tree

PREFIX = "search:"


def iterations_of(name: str, where: str) -> int:
    """The number in `search:200`. Raises ConfigError; `where`: before what is wrong."""
    text = name.removeprefix(PREFIX)
    if not text.isascii() or not text.isdigit() or not int(text):
        raise ConfigError(f"{where}{name!r}: give the number of iterations, such as search:200")
    return Settings(iterations=int(text)).iterations or 0


class AskedSearch:
    """Searches at all its tables, in as many threads as the tables have; implements Outside."""

    def __init__(self, iterations: int, game: Game, arrays: Arrays) -> None:
        """Make the arrays ready, and compile the search if the cache does not have it."""
        self._iterations = iterations
        self._arrays = arrays
        self._search = search_entry(game)
        self._threads = [_Thread(game, iterations) for _ in range(arrays.threads)]
        self._together: Threads[None] = Threads(len(self._threads))

    def choose(self, which: Indices) -> None:
        """Write what the searches choose into `chosen`."""
        parts = np.array_split(which, len(self._threads))
        calls = [partial(self._choose, thread, part) for thread, part in zip(self._threads, parts) if len(part)]
        self._together.run(calls)

    def _choose(self, thread: "_Thread", which: Indices) -> None:
        arrays, scratch, task = self._arrays, thread.scratch, thread.task
        self._search(
            which, arrays.states, arrays.books, arrays.chosen, task.settings, task.numbers, self._iterations, task.is_halving,
            scratch.states, scratch.sights, thread.nodes, thread.slots, scratch.work, scratch.actions, scratch.priors,
            arrays.constants, scratch.rewards, thread.rng,
        )  # fmt: skip


class _Thread:
    """What one thread searches with."""

    def __init__(self, game: Game, iterations: int) -> None:
        self.task = task_of(game, Settings(iterations=iterations))
        self.scratch = Scratch(game)
        self.nodes, self.slots = take_tree(self.task.nodes)
        self.rng = np.zeros(4, np.int64)


def role_of(bot: Named, game: Game, seats: int, options: OptionValues) -> int:
    """Start a bot once, and see whether it wants forced decisions: OUTSIDE or ALWAYS_OUTSIDE.

    Raises BotError where it does not start or does not play the game.
    """
    games = _games_of(bot)
    if games and game.name not in games:
        raise BotError(f"rival {bot.name} does not play {game.name}; it plays {', '.join(games)}")
    with bot_seat(bot, 0) as seat:
        _start(seat, bot, StartInfo(game.name, dict(options), seats, 0, UNHURRIED))
        return ALWAYS_OUTSIDE if seat.wants_forced else OUTSIDE


class AskedBot:
    """Asks a bot, table by table; implements Outside."""

    def __init__(self, bot: Named, game: Game, options: OptionValues, arrays: Arrays) -> None:
        """`options`: all of the game's, with their values."""
        self._bot = bot
        self._game = game
        self._options = options
        self._arrays = arrays
        self._matches: dict[int, dict[int, _Match]] = {}  # by table and seat

    def choose(self, which: Indices) -> None:
        """Ask the bot at each of the tables. Raises BotError for a fault."""
        for table in which.tolist():
            self._arrays.chosen[table] = self._match(table).answer()

    def _match(self, table: int) -> "_Match":
        """The match that the bot plays where it is to choose now."""
        seat, deal = int(self._arrays.books[table, SEAT]), deal_seed(self._arrays.books[table], DEAL_SEED)
        matches = self._matches.setdefault(table, {})
        if any(match.deal != deal for match in matches.values()):
            for match in matches.values():
                match.end()
            matches.clear()
        if seat not in matches:
            matches[seat] = _Match(self._bot, self._game, self._options, self._arrays, table)
        return matches[seat]


class _Match:
    """An episode, as the bot at one of its seats sees it: a match."""

    def __init__(self, bot: Named, game: Game, options: OptionValues, arrays: Arrays, table: int) -> None:
        """Start the bot. Raises BotError where it does not start."""
        self.deal = deal_seed(arrays.books[table], DEAL_SEED)
        self._bot = bot
        self._game = game
        self._arrays = arrays
        self._table = table
        self._seat = int(arrays.books[table, SEAT])
        self._tape = MatchHistory(game, arrays.seats, game.deal(arrays.seats, options, self.deal))
        self._heard = 0
        self._out = game.new_actions()
        self._opened = ExitStack()
        seed = single_match_seeds(self.deal.to_bytes(16, "big"), arrays.seats, "rival").bots[self._seat]
        self._asked: Seat = self._opened.enter_context(bot_seat(bot, seed))
        _start(self._asked, bot, StartInfo(game.name, dict(options), arrays.seats, self._seat, UNHURRIED))

    def answer(self) -> int:
        """The place in the legal list that the bot chooses. Raises BotError for a fault."""
        arrays, book = self._arrays, self._arrays.books[self._table]
        log = arrays.logs[self._table + arrays.tables * int(book[HALF])]
        for action in log[len(self._tape.played) : int(book[LENGTH])].tolist():
            self._tape.play(action, self._out)
        count = int(book[COUNT])
        decision = self._tape.decision(self._seat, count, arrays.actions[self._table].data, self._heard)
        self._heard = len(self._tape.played)
        self._asked.ask(self._game.view.at(decision, UNHURRIED))
        answer = self._asked.answer()
        if isinstance(answer, Fault):
            raise BotError(f"rival {self._bot.name} failed: {answer.reason}")
        if type(answer.action) is int and 0 <= answer.action < count:
            return answer.action
        if answer.action in decision.texts:
            return decision.texts.index(str(answer.action))
        raise BotError(f"rival {self._bot.name}: {answer.action!r} is not legal; legal: {', '.join(decision.texts)}")

    def end(self) -> None:
        """Tell the bot how its match ended, if it is the last one that ended there, and forget the bot."""
        arrays, book = self._arrays, self._arrays.books[self._table]
        if deal_seed(book, ENDED_DEAL) == self.deal:
            scores = arrays.numbers[self._table, FIRST_REWARD + arrays.seats :]
            self._asked.end(EndInfo(tuple(book[COLUMNS : COLUMNS + arrays.seats].tolist()), tuple(scores.tolist())))
        self._opened.close()


def _games_of(bot: Named) -> Sequence[str]:
    """The games that a bot plays; empty: all. Raises BotError for code that does not load."""
    if not isinstance(bot.bot, BotFiles):
        return bot.bot.games
    if bot.bot.model is not None:
        return bot.bot.model.games
    if bot.bot.command is not None:
        return bot.bot.command.games
    with LoadedBot(bot.bot) as loaded:
        return loaded.agent_class.games


def _start(seat: Seat, bot: Named, info: StartInfo) -> None:
    fault = seat.start(info)
    if fault is not None:
        raise BotError(f"rival {bot.name} does not start: {fault.reason}")


COMPILED = {"random": RANDOM, "policy": POLICY}
_KNOWN = "random, policy, search:N, a bot (a path or house:NAME), or a callable"


@dataclass(frozen=True)
class Batch:
    """The decisions that a snapshot is to take together: a row for each.

    At tables on a card the arrays lie there, and there is a row for every table, in order; what is answered counts where the
    snapshot is to choose.
    """

    tables: Indices | None
    """[rows]: the numbers of the tables; None on a card."""
    seat: Indices
    """[rows]: the seat that is to choose."""
    features: Features
    """[rows, features]: what it knows."""
    mask: Masks
    """[rows, actions]: which actions are legal."""
    counts: Indices
    """[rows]: how many actions are legal."""
    actions: Actions
    """[rows, MAX_ACTIONS]: their codes."""
    action_features: Features | None
    """[rows, MAX_ACTIONS, action features], if the tables have them."""


Snapshot: TypeAlias = Callable[[Batch], Any]
"""Gives an index for each row of a batch, as a learner does."""
Rival: TypeAlias = Entrant | Named | Snapshot
"""`random`, `policy`, `search:N`, a bot by any of its names or with its parameters, or a snapshot."""


class Outside(Protocol):
    """A rival that is asked between two steps of the compiled code."""

    def choose(self, which: Indices) -> None:
        """Write its choices at some tables, where it is to choose, into `chosen`."""
        ...


@dataclass(frozen=True)
class Seating:
    """A rival at the tables: its role in compiled code, and what makes the one who is asked if that is not compiled."""

    role: int
    asked: Callable[[Arrays], Outside] | None = None
    needs_logs: bool = False
    """Whether it has to know all actions of an episode."""
    snapshot: Snapshot | None = None
    """What is asked, if it is a snapshot."""
    where: str = ""
    """Stands before what is wrong with it."""


def seating(rival: Rival, game: Game, seats: int, options: OptionValues, where: str) -> Seating:
    """Return what a rival is. Raises ConfigError, BotError or StoreError; `where`: before what is wrong."""
    if isinstance(rival, str) and rival in COMPILED:
        return Seating(COMPILED[rival])
    if isinstance(rival, str) and rival.startswith(PREFIX):
        iterations = iterations_of(rival, where)
        return Seating(OUTSIDE, lambda arrays: AskedSearch(iterations, game, arrays))
    if isinstance(rival, Agent):
        raise ConfigError(f"{where}an Agent plays one match; give its class, of which each match gets one")
    if callable(rival) and not (isinstance(rival, type) and issubclass(rival, Agent)):
        snapshot: Snapshot = rival
        return Seating(SNAPSHOT, lambda arrays: _AskedSnapshot(snapshot, arrays, where), snapshot=snapshot, where=where)
    if isinstance(rival, str) and "/" not in rival and ":" not in rival and not Path(rival).exists():
        raise ConfigError(f'{where}no rival "{rival}"; one is {_KNOWN}')
    bot = rival if isinstance(rival, Named) else named(rival, nearest_results(), where=where)
    return Seating(role_of(bot, game, seats, options), lambda arrays: AskedBot(bot, game, options, arrays), needs_logs=True)


def name_of(rival: Rival) -> str:
    """Return what a rival is called in stored matches, such as `yaniv_counter` for a bot's path."""
    if isinstance(rival, str) and (rival in COMPILED or rival.startswith(PREFIX)):
        return rival
    if isinstance(rival, Named):
        return rival.name
    if isinstance(rival, str | Path):
        return Path(str(rival).rpartition(":")[2]).stem
    return getattr(rival, "__name__", type(rival).__name__)


def illegal_index(indices: Indices, row: int, where: str) -> ConfigError:
    """What to raise where a snapshot's index is no legal action."""
    return ConfigError(f"{where}index {indices[row]} in row {row} is not legal; see the batch's mask")


class _AskedSnapshot:
    """Asks a snapshot for all its tables at once; implements Outside."""

    def __init__(self, snapshot: Snapshot, arrays: Arrays, where: str) -> None:
        self._snapshot = snapshot
        self._arrays = arrays
        self._where = where

    def choose(self, which: Indices) -> None:
        """Write the snapshot's indices. Raises ConfigError unless all are legal."""
        arrays = self._arrays
        batch = Batch(
            which, arrays.books[which, SEAT], arrays.features[which], arrays.mask[which], arrays.books[which, COUNT],
            arrays.actions[which], arrays.rows[which] if len(arrays.rows) else None,
        )  # fmt: skip
        indices = np.asarray(self._snapshot(batch))
        if indices.shape != which.shape or indices.dtype.kind not in "iu":
            raise ConfigError(f"{self._where}a whole number for each of {len(which)} rows is needed, not {indices!r}")
        inside = (indices >= 0) & (indices < arrays.mask.shape[1])
        legal = inside & batch.mask[np.arange(len(which)), np.where(inside, indices, 0)]
        if not legal.all():
            raise illegal_index(indices, int(np.flatnonzero(~legal)[0]), self._where)
        arrays.chosen[which] = indices
