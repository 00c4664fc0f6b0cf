"""From the Setup of a table to a match that can be played: the cards, who sits where, what plays for the bots."""

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from arena import games
from arena.agent import BotFiles
from arena.agent.loading import HOUSE
from arena.agent.submissions import PREFIX
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.errors import ConfigError, one_line, printable
from arena.match import MatchSetup, Player, Seat
from arena.match.sandbox import Supervisor
from arena.match.single_match import REMOTE_CLOCK, TABLE_CLOCK, Named, bot_seat, named
from arena.results.people import OF_AGENTS, PEOPLE, is_of_agent
from arena.search.settings import Settings
from arena.server.people.levels import MODEL, NAMES, level
from arena.server.people.store import bot_as_player, person_as_player, sit_down
from arena.server.table_process.messages import SeatPlan, Setup
from arena.tournament.archive.finding import locate_match
from arena.tournament.workers.compiling import needs_at

NAME_LETTERS = 80
_TIMING, _DECLARED = "latency", "declared"  # the rule option of a game in real time, and how a live table is played


@dataclass(frozen=True)
class Arranged:
    """A match that can be played, and who plays it."""

    game: Game
    setup: MatchSetup
    key: bytes
    """The key of its deals."""
    plans: list[SeatPlan]
    bots: dict[int, Named]
    """What plays on each seat of a bot, or takes over from the person of a seat; none for a remote program."""

    @property
    def people(self) -> list[int]:
        """The seats of people."""
        return [seat for seat, plan in enumerate(self.plans) if plan.person]

    @property
    def asks_models(self) -> bool:
        """Whether a language model sits at the table: each of its answers may cost."""
        return any(one.asks_model for one in self.bots.values())

    @property
    def is_of_agent(self) -> bool:
        """Whether a program sits at the seat of the person, and reads what people look at."""
        return is_of_agent(self.setup.pool)


def arrange(asked: Setup) -> Arranged:
    """The match that the server asks for. Raises ConfigError, BotError or StoreError that says what does not fit."""
    game = games.load(asked.game)
    plans = asked.seats
    if any(plan.person for plan in plans) != (asked.pool in (PEOPLE, *OF_AGENTS)):
        raise ConfigError("seats: no person sits there; bots among themselves play by `arena match`")
    if asked.tick_ms is not None and asked.tick_ms < 1:
        raise ConfigError(f"tick_ms: at least 1 millisecond, not {asked.tick_ms}")
    given = asked.options if asked.tick_ms is None else _in_real_time(game, asked.options)
    game.check_seats(len(plans))
    options = game.resolve_options(given, len(plans))  # a table as rows, never as the path of a file: strangers choose them
    bots = {seat: _bot(asked, seat) for seat, plan in enumerate(plans) if plan.remote is None}
    players = [_player(plan, bots.get(seat)) for seat, plan in enumerate(plans)]
    setup, key = sit_down(
        asked.game, players, seed=asked.seed, options=options, deal=_deal_of(asked) if asked.like else None, pool=asked.pool,
        is_repeatable=asked.pool in OF_AGENTS,
    )  # fmt: skip
    setup = replace(setup, clock=TABLE_CLOCK if len(bots) == len(plans) else REMOTE_CLOCK)
    return Arranged(game, setup, key, plans, bots)


def needs(table: Arranged) -> dict[str, frozenset[str]]:
    """Return what has to be compiled for a table: what its bots ask for, hints, and all that a locked bot can ask for."""
    name = table.game.name
    files = [(one.bot, one.params) for one in table.bots.values() if isinstance(one.bot, BotFiles)]
    found = needs_at(name, files)[name]
    hints = (Settings.method,) if table.people else ()
    all_parts = games.PARTS if any(map(is_locked, table.plans)) else hints
    return {name: frozenset([*found, *all_parts])}


def is_locked(plan: SeatPlan) -> bool:
    """Return whether the bot of a seat plays locked in: all but house bots and the owner's language models do."""
    return bool(plan.bot) and not plan.bot.startswith((HOUSE, MODEL)) and plan.remote is None


class BotSeats:
    """Opens the seats of a table's bots. A context manager, which closes them."""

    def __init__(self, table: Arranged) -> None:
        self._table = table
        self._opened = ExitStack()
        self._supervisors: dict[int, Supervisor] = {}

    def __enter__(self) -> "BotSeats":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        for supervisor in self._supervisors.values():
            supervisor.close()

    def open(self, seat: int, seed: int, house_bot: Named | None = None) -> Seat:
        """A seat for the bot of a place at the table, or for a house bot. `seed`: for the bot's own random generator."""
        supervisor = self._supervisor(seat) if house_bot is None and is_locked(self._table.plans[seat]) else None
        return self._opened.enter_context(bot_seat(house_bot or self._table.bots[seat], seed, supervisor=supervisor))

    def close(self) -> None:
        """Close all seats that are open: their match is over."""
        self._opened.close()

    @property
    def pids(self) -> list[int]:
        """The processes that hold locked bots."""
        return [pid for supervisor in list(self._supervisors.values()) for pid in supervisor.pids]

    def _supervisor(self, seat: int) -> Supervisor:
        """Return what locks the bot of a seat in. Each has one of its own: in real time they think at the same time.

        No bot computes while nobody asks it: people think for minutes, and whatever else the machine plays waits for the CPU.
        """
        if seat not in self._supervisors:
            self._supervisors[seat] = Supervisor([self._table.game.name], is_in_background=True)
            _ = self._supervisors[seat].level  # started here, in the main thread: its bots die with it
        return self._supervisors[seat]


def _bot(asked: Setup, seat: int) -> Named:
    """The bot of a seat; the champion where a person's seat names none."""
    plan, where = asked.seats[seat], f"seats[{seat}]: "
    if plan.bot.startswith(MODEL):
        return named(plan.bot.removeprefix(MODEL), Path(asked.results), where=where)
    if plan.bot.startswith((HOUSE, PREFIX)):
        try:
            return named(plan.bot, Path(asked.results), plan.params, where=where)
        except ConfigError as error:
            raise ConfigError(f"{where}{error}") from None
    if plan.bot or not plan.person:
        raise ConfigError(f"{where}bot: house:NAME or submitted:NAME, not {printable(plan.bot, NAME_LETTERS)!r}")
    return champion(asked.game, Path(asked.results))


def champion(game: str, results: Path) -> Named:
    """The strongest level of a game."""
    best = level(game, NAMES[-1])
    return named(best.bot, results, best.params)


def _deal_of(asked: Setup) -> tuple[bytes, int]:
    """The key and the number of the deal that is to be dealt again. Raises ConfigError for a match of another kind."""
    _, record, key = locate_match(Path(asked.results), asked.like)
    if (record.game, len(record.seats)) != (asked.game, len(asked.seats)):
        raise ConfigError(f"like: match {asked.like} is of {record.game} with {len(record.seats)} seats")
    return key, record.deal


def _player(plan: SeatPlan, played_by: Named | None) -> Player:
    name = one_line(printable(plan.name, NAME_LETTERS))
    if plan.person or played_by is None:
        return person_as_player(name)
    assert isinstance(played_by.bot, BotFiles)
    return bot_as_player(name, played_by.bot, played_by.params)


def _in_real_time(game: Game, options: dict[str, OptionValue]) -> dict[str, OptionValue]:
    """The options of a match in real time. Raises ConfigError for a game that knows no ticks."""
    if _TIMING not in [option.name for option in game.options]:
        raise ConfigError(f"tick_ms: {game.name} is not played in real time; leave it out")
    if options.get(_TIMING, _DECLARED) != _DECLARED:
        raise ConfigError(f"options.{_TIMING}: {_DECLARED} in real time, not {printable(str(options[_TIMING]), NAME_LETTERS)}")
    return {**options, _TIMING: _DECLARED}
