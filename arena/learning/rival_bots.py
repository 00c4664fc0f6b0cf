"""Bots as rivals of learning programs: each plays a match of its own at each table, and is asked from its views."""

from collections.abc import Sequence
from contextlib import ExitStack

from arena.agent import BotFiles, EndInfo, LoadedBot, StartInfo
from arena.engine.room import Game
from arena.errors import BotError
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
    SEAT,
)
from arena.match import Fault, Seat
from arena.match.seeds import single_match_seeds
from arena.match.single_match import UNHURRIED, Named, bot_seat
from arena.match.tape import Tape


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
        self._tape = Tape(game, arrays.seats, game.deal(arrays.seats, options, self.deal))
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
    if bot.bot.command is not None:
        return bot.bot.command.games
    with LoadedBot(bot.bot) as loaded:
        return loaded.agent_class.games


def _start(seat: Seat, bot: Named, info: StartInfo) -> None:
    fault = seat.start(info)
    if fault is not None:
        raise BotError(f"rival {bot.name} does not start: {fault.reason}")
