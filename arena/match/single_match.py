"""One match outside any tournament: for notebooks, `arena match` and `arena play`."""

import secrets
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from arena import games
from arena.agent import Agent, BotFiles, unpack
from arena.agent.loading import NamedBot, find_bot
from arena.engine.options import OptionValue
from arena.errors import BotError, ConfigError, StoreError, printable
from arena.match import MatchSetup, Player, Seat, play
from arena.match.builds import Say, built
from arena.match.choose import choose_seat
from arena.match.in_process import InProcessSeat
from arena.match.sandbox import LockError, Supervisor, find_program
from arena.match.seeds import single_match_id, single_match_seeds
from arena.records import DEFAULT_LIMITS, Clock, MatchRecord, canonical_json
from arena.results_folder import nearest_results

UNHURRIED = Clock(move=1e6, bank=0.0, start=1e6)
"""A clock that never runs out: about eleven days for each decision."""
TABLE_CLOCK = Clock(move=1.0, bank=10.0)
"""The clock of bots at a table with people: that of tournaments. People have all the time that they want."""
REMOTE_CLOCK = Clock(move=5.0, bank=120.0, start=60.0)
"""The clock of all bots at a table with a remote program, which has so many seconds by the wall, the network's included."""

Entrant = str | Path | BotFiles | type[Agent[Any]] | Agent[Any]
"""A bot's path, `house:NAME` for a house bot, `submitted:NAME` for a submitted one, its files, an Agent class or an Agent."""


class Named(NamedTuple):
    """A bot for a single match: its name, and what plays for it."""

    name: str
    bot: BotFiles | type[Agent[Any]] | Agent[Any]
    params: Mapping[str, Any]

    @property
    def asks_model(self) -> bool:
        """Whether it is a language model: each of its answers may cost."""
        return isinstance(self.bot, BotFiles) and self.bot.model is not None


def play_match(
    game: str,
    bots: Sequence[Entrant],
    *,
    seed: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    clock: Clock = UNHURRIED,
    params: Sequence[Mapping[str, Any]] | None = None,
    results: Path | str | None = None,
) -> MatchRecord:
    """Play one match in this process; bots in seat order, see `Entrant`. An Agent plays as it is, and in one seat only.

    The same seed gives the same match (a bot that iterates over sets of strings also needs a fixed PYTHONHASHSEED, which the
    command line sets). `params`: the parameters of each bot; `results`: the folder with the submitted bots, by default the one
    that the command line takes. Raises ConfigError, BotError or StoreError; a bot's fault is recorded, not raised.
    """
    if params is not None and len(params) != len(bots):
        raise ConfigError(f"params: {len(params)} for {len(bots)} bots; give one mapping for each seat")
    folder = nearest_results() if results is None else Path(results)
    entered = [
        named(bot, folder, {} if params is None else params[seat], where=f"bots[{seat}]: ") for seat, bot in enumerate(bots)
    ]
    twice = [one.bot for one in entered if isinstance(one.bot, Agent)]
    if len({*map(id, twice)}) < len(twice):
        raise ConfigError("bots: one Agent sits in two seats; make two of them, or give its class")
    setup = agree(game, [one.name for one in entered], seed=seed, options=options, clock=clock)
    with ExitStack() as opened:
        seats: list[Seat] = [opened.enter_context(bot_seat(bot, seed)) for bot, seed in zip(entered, setup.bot_seeds)]
        return play(games.load(game), setup, seats)


def named(
    bot: Entrant,
    results: Path,
    params: Mapping[str, Any] = MappingProxyType({}),
    *,
    where: str = "",
    is_trusted: bool = True,
    say: Say = lambda text: None,
) -> Named:
    """A bot by any of its names, built if it is source. `results`: the folder with the submitted bots; `where`: before what
    is wrong; `is_trusted`: whether its build has the rights of this process; `say`: is told how that goes on.

    Raises ConfigError for what is no bot, BotError for files that are none, StoreError for no submitted one.
    """
    if isinstance(bot, BotFiles):
        return Named(Path(bot.main).stem, bot, dict(params))
    if isinstance(bot, Agent):
        return Named(type(bot).__name__, bot, dict(params))
    if isinstance(bot, type) and issubclass(bot, Agent):
        return Named(bot.__name__, bot, dict(params))
    if not isinstance(bot, str | Path):
        what = f"the class {bot.__name__}" if isinstance(bot, type) else f"{type(bot).__name__} {printable(repr(bot), 60)}"
        raise ConfigError(f"{where}a bot is a path, house:NAME, submitted:NAME, an Agent or a subclass of Agent, not {what}")
    try:
        found = find_bot(str(bot), results)
        found = found._replace(files=built(found.files, found.name, is_trusted=is_trusted, say=say, every=10.0).files)
    except LockError as error:
        raise BotError(f"{where}{bot}: its build cannot be locked in: {error}; `arena doctor` shows why") from None
    except BotError as error:
        raise BotError(f"{where}{error}") from None
    except StoreError as error:
        raise StoreError(f"{where}{error}") from None
    _check_program(found, str(bot))
    return Named(*found, dict(params))


def agree(
    game: str,
    names: Sequence[str],
    *,
    seed: int | None = None,
    options: Mapping[str, OptionValue] | None = None,
    clock: Clock = UNHURRIED,
) -> MatchSetup:
    """The set-up of a single match of the players `names` in seat order. `seed`: None for a random one."""
    loaded = games.load(game)
    loaded.check_seats(len(names))
    resolved = loaded.read_options(options or {}, len(names), (Path(),))
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


def bot_seat(bot: Named, seed: int, *, supervisor: Supervisor | None = None) -> AbstractContextManager[Seat]:
    """A seat for a bot; a context manager. With a `supervisor` the bot is locked in, as tournaments do with untrusted bots.

    `seed`: for the bot's own random generator.
    """
    if isinstance(bot.bot, BotFiles):
        return choose_seat(
            bot.bot,
            is_trusted=supervisor is None,
            supervisor=supervisor,
            limits=DEFAULT_LIMITS,
            seed=seed,
            params=bot.params,
            heeds_ctrl_c=True,
        )
    return InProcessSeat(partial(_Ready, bot.bot), seed, bot.params, heeds_ctrl_c=True)


def _check_program(found: NamedBot, text: str) -> None:
    """Raise BotError for a command bot whose program is not here: later it would look like a host fault."""
    if found.files.command is not None:
        try:
            find_program(found.files.command, unpack(found.files))
        except BotError as error:
            raise BotError(f"{text}: {error}") from None


class _Ready:
    """An Agent, or its class, that needs no loading, in the shape of a LoadedBot."""

    def __init__(self, agent: type[Agent[Any]] | Agent[Any]) -> None:
        self._agent = agent

    def agent_class(self) -> Agent[Any]:
        """The Agent that plays."""
        return self._agent() if isinstance(self._agent, type) else self._agent

    def __enter__(self) -> "_Ready":
        return self

    def __exit__(self, *_: object) -> None:
        """Do nothing: no module was loaded that has to be forgotten."""
