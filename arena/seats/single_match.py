"""One match outside any tournament: for notebooks, `arena match` and `arena play`."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from typing import Any

from arena import games
from arena.agent import Agent, BotFiles, bot_name, read_bot, unpack
from arena.agent.naming import named_bot
from arena.engine.options import OptionValue
from arena.errors import BotError, ConfigError
from arena.match import MatchSetup, Player, Seat, play
from arena.records import DEFAULT_LIMITS, Clock, MatchRecord, canonical_json
from arena.seats.choose import choose_seat
from arena.seats.in_process import InProcessSeat
from arena.seats.sandbox import Keeper, find_program
from arena.seeds import single_match_id, single_match_seeds

UNHURRIED = Clock(move=1e6, bank=0.0, start=1e6)
"""A clock that never runs out: about eleven days for each decision."""

Entrant = str | Path | type[Agent[Any]]
"""A bot's path, `house:NAME` for a house bot, or an Agent class."""


def play_match(
    game: str,
    bots: Sequence[Entrant],
    *,
    seed: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    clock: Clock = UNHURRIED,
) -> MatchRecord:
    """Play one match in this process; bots in seat order, each a path or an Agent class.

    The same seed gives the same match (a bot that iterates over sets of strings also needs a fixed PYTHONHASHSEED, which the
    command line sets). Raises ConfigError or BotError; a bot's fault is recorded, not raised.
    """
    setup = agree(game, [_name(bot) for bot in bots], seed=seed, options=options, clock=clock)
    with ExitStack() as opened:
        seats: list[Seat] = [opened.enter_context(bot_seat(bot, bot_seed)) for bot, bot_seed in zip(bots, setup.bot_seeds)]
        return play(games.load(game), setup, seats)


def agree(
    game: str,
    names: Sequence[str],
    *,
    seed: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    clock: Clock = UNHURRIED,
) -> MatchSetup:
    """The set-up of a single match of the players `names` in seat order. `seed`: None for a random one."""
    room = games.load(game)
    room.check_seats(len(names))
    resolved = room.read_options(options or {}, len(names), (Path(),))
    chosen = secrets.randbits(64) if seed is None else seed
    key = f"exhibition {chosen}".encode()
    seeds = single_match_seeds(key, len(names))
    return MatchSetup(
        index=0,
        match_id=single_match_id(key, canonical_json([game, resolved, list(names)])),
        game=game,
        pool=game,
        options=resolved,
        deal=0,
        rotation=0,
        players=tuple(Player(name, "") for name in names),
        deal_seed=seeds.deal,
        bot_seeds=seeds.bots,
        fallback_seeds=seeds.fallbacks,
        clock=clock,
    )


def bot_seat(
    bot: Entrant, seed: int, params: Mapping[str, Any] | None = None, *, keeper: Keeper | None = None
) -> AbstractContextManager[Seat]:
    """A seat for a bot; a context manager. With a `keeper` the bot is locked in, as tournaments do with untrusted bots.

    `seed`: for the bot's own random generator. Raises ConfigError or BotError for a path that is no bot.
    """
    if isinstance(bot, type):
        return InProcessSeat(partial(_Ready, bot), seed, params or {}, heeds_ctrl_c=True)
    return choose_seat(
        _files(named_bot(str(bot))), is_trusted=keeper is None, keeper=keeper, limits=DEFAULT_LIMITS, seed=seed,
        params=params or {}, heeds_ctrl_c=True,
    )  # fmt: skip


def _files(path: Path) -> BotFiles:
    if not path.exists():
        raise ConfigError(f"{path}: no such bot: {path.absolute()} does not exist")
    files = read_bot(path)
    if files.command is not None:
        try:
            find_program(files.command, unpack(files))  # checked here: later it would look like a host fault
        except BotError as error:
            raise BotError(f"{path}: {error}") from None
    return files


class _Ready:
    """An Agent class that needs no loading, in the shape of a LoadedBot."""

    def __init__(self, agent_class: type[Agent[Any]]) -> None:
        self.agent_class = agent_class

    def __enter__(self) -> "_Ready":
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: no module was loaded that has to be forgotten."""


def _name(bot: Entrant) -> str:
    return bot.__name__ if isinstance(bot, type) else bot_name(named_bot(str(bot)))
