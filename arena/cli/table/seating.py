"""Who sits at a table in the terminal: the person, and the opponents by level or by name."""

import getpass
from collections.abc import Sequence
from pathlib import Path

from arena import games
from arena.agent import BotFiles
from arena.cli.shared.options import parse_params
from arena.engine.options import OptionValue
from arena.errors import ConfigError, one_line, printable
from arena.match.single_match import Named, named
from arena.server.people.levels import Level, level
from arena.server.people.ratings import suited
from arena.server.people.sitting import bot, person, sit_down
from arena.server.table_process.arranging import NAME_LETTERS, Arranged
from arena.server.table_process.messages import SeatPlan

SOMEBODY = "guest"
"""The name of a person of whom the machine knows none."""


def person_name(given: str | None) -> str:
    """The name that a person plays under: the given one, else the login name. Raises ConfigError for none at all."""
    if given is None:
        try:
            return getpass.getuser()
        except (KeyError, OSError):
            return SOMEBODY
    name = one_line(printable(given.strip(), NAME_LETTERS))
    if not name:
        raise ConfigError("--name: a name of at least one character is needed")
    return name


def chosen_levels(game: str, asked: Sequence[str], name: str, results: Path) -> list[Level]:
    """The levels of the opponents: those asked for, else the one that is about as good as the person.

    One level alone plays on all other seats of the smallest table. Raises ConfigError and StoreError.
    """
    found = [level(game, one) for one in asked] or [suited(results, game, name)]
    return found * (games.load(game).seats[0] - 1) if len(found) == 1 else found


def arranged(
    game: str, rivals: Sequence[Named], seat: int, name: str, *, seed: int | None, options: dict[str, OptionValue]
) -> Arranged:
    """The match of a person against these bots. Raises ConfigError for a seat, options or bots that do not fit."""
    if not 0 <= seat <= len(rivals):
        raise ConfigError(f"--seat: a seat from 0 to {len(rivals)}, not {seat}")
    rivals = _told_apart(rivals, name)
    plans = [SeatPlan(name=one.name) for one in rivals]
    plans.insert(seat, SeatPlan(name=name, person=True))
    others = [place for place in range(len(plans)) if place != seat]
    bots = dict(zip(others, rivals))
    players = [person(name)] * len(plans)
    for place, rival in bots.items():
        assert isinstance(rival.bot, BotFiles)
        players[place] = bot(rival.name, rival.bot, rival.params)
    setup, key = sit_down(game, players, seed=seed, options=options)
    return Arranged(games.load(game), setup, key, plans, bots)


def rivals_by_level(chosen: Sequence[Level], results: Path) -> list[Named]:
    """The bots of some levels, called by the levels' names."""
    return [named(one.bot, results, one.params)._replace(name=one.name) for one in chosen]


def rivals_by_name(chosen: Sequence[str], seat: int, params: Sequence[str], results: Path) -> list[Named]:
    """The bots that texts name. `params`: as on the command line. Raises ConfigError, BotError and StoreError."""
    own = parse_params(params, len(chosen) + 1)
    if 0 <= seat < len(own):
        del own[seat]
    return [named(text, results, one) for text, one in zip(chosen, own)]


def _told_apart(rivals: Sequence[Named], person_name: str) -> list[Named]:
    """The bots with names that nobody else at the table has."""
    taken, found = {person_name}, []
    for one in rivals:
        free = next(name for name in (one.name, *(f"{one.name}-{number}" for number in range(2, 99))) if name not in taken)
        taken.add(free)
        found.append(one._replace(name=free))
    return found
