"""A whole match of a person in the terminal: the opponents are found by level or by name, it is played, stored, and looked
back on.
"""

import getpass
from collections.abc import Sequence
from pathlib import Path

from arena import games
from arena.agent import BotFiles
from arena.cli.shared.exit_codes import DONE, INTERRUPTED
from arena.cli.shared.games import warn
from arena.cli.shared.options import parse_params
from arena.cli.shared.printing import note, say
from arena.cli.table.ending import show_end, show_rating, show_same_deal, show_turning_points
from arena.cli.table.person import PersonAtTerminal, Quit
from arena.cli.table.screen import heading, tell
from arena.engine.options import OptionValue
from arena.engine.readiness import absent_parts, compile_and_tell
from arena.errors import ArenaError, ConfigError, StoreError, one_line, printable
from arena.match import HostTrouble, Seat, play
from arena.match.single_match import Named, named
from arena.records import MatchRecord
from arena.reports.pages.frames import told
from arena.reports.pages.scenes import Replay, description, result, scene_ends_match
from arena.reports.round_result import round_lines
from arena.server.people.levels import Level, level, suited
from arena.server.people.store import bot_as_player, keep, person_as_player, sit_down
from arena.server.table_process.arranging import NAME_LETTERS, Arranged, BotSeats, needs
from arena.server.table_process.messages import SeatPlan
from arena.server.table_process.taking_back import LastAction
from arena.tournament.workers.compiling import RATINGS, warm_games

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
    players = [person_as_player(name)] * len(plans)
    for place, rival in bots.items():
        assert isinstance(rival.bot, BotFiles)
        players[place] = bot_as_player(rival.name, rival.bot, rival.params)
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


_LEFT = "You left the table. The match is not stored."


def play_in_terminal(table: Arranged, out: Path) -> int:
    """Play, store and show the match of the one person at a table; returns the exit code. Raises ArenaError."""
    warm_games(needs(table), note, RATINGS)  # hints too: nobody waits for a compiler at the table
    warn(table.game, len(table.plans), table.setup.options)
    names = [f"you ({plan.name})" if plan.person else plan.name for plan in table.plans]
    with BotSeats(table) as bots, absent_parts(compile_and_tell(note)):
        try:
            record = _played(table, names, bots)
        except Quit:
            say(_LEFT)
            return DONE
        except (EOFError, KeyboardInterrupt):
            say(f"\n{_LEFT}")
            return INTERRUPTED
        except HostTrouble as trouble:
            raise ArenaError(f"the machine failed, not a bot: {trouble}; the match is not stored") from None
        _look_back(table, record, names, bots, out)
    return DONE


def _played(table: Arranged, names: list[str], bots: BotSeats) -> MatchRecord:
    (own,), setup = table.people, table.setup
    story = Replay(table.game, table.game.deal(len(setup.players), setup.options, setup.deal_seed))
    person = PersonAtTerminal(table.game, names, LastAction(table.game, story))
    seats: list[Seat] = [
        person if plan.person else bots.open(place, seed)
        for place, (plan, seed) in enumerate(zip(table.plans, table.setup.bot_seeds))
    ]

    def watch(action: int) -> None:
        """Tell the person what happened; at the end of a round at once, with all cards open. That of the match comes apart."""
        for scene in story.play(action):
            person.hear(told(table.game, scene, own))
            if (found := result(table.game, scene)) is not None and not scene_ends_match(table.game, scene):
                person.tell_news()
                heading("the round is over")
                tell(description(table.game, scene, None))
                for line in round_lines(found, table.game.name, names):
                    tell(line)

    return play(table.game, setup, seats, observer=watch, may_take_back=table.people)


def _look_back(table: Arranged, record: MatchRecord, names: list[str], bots: BotSeats, out: Path) -> None:
    """Store the match and show its end. Raises StoreError at the end where it cannot be stored."""
    (seat,) = table.people
    trouble: StoreError | None = None
    try:
        keep(out, record, table.key)
    except StoreError as error:
        trouble = error
    show_end(table, record, seat, names)
    show_turning_points(table, record, seat)
    show_same_deal(table, record, bots, out)
    if trouble is not None:
        raise trouble
    show_rating(out, table.game.name, table.plans[seat].name)
    tell(f"stored as match {record.match_id}: arena replay {record.match_id[:8]}")
