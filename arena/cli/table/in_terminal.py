"""A whole match of a person in the terminal: it is played, stored, and looked back on."""

from pathlib import Path

from arena.cli.shared.exit_codes import DONE, INTERRUPTED
from arena.cli.shared.printing import note, say
from arena.cli.shared.rooms import warn
from arena.cli.table.ending import show_end, show_rating, show_same_deal, show_turning_points
from arena.cli.table.person import PersonAtTerminal, Quit
from arena.cli.table.screen import tell
from arena.engine.readiness import absent_parts, compile_and_tell
from arena.errors import ArenaError, StoreError
from arena.match import HostTrouble, Seat, play
from arena.records import MatchRecord
from arena.server.people import ratings
from arena.server.people.store import keep
from arena.server.table_process.arranging import Arranged, BotSeats, needs
from arena.tournament.workers.compiling import warm_rooms

_LEFT = "You left the table. The match is not stored."


def play_in_terminal(table: Arranged, out: Path) -> int:
    """Play, store and show the match of the one person at a table; returns the exit code. Raises ArenaError."""
    warm_rooms(needs(table), note, ratings.COMPILED)  # hints too: nobody waits for a compiler at the table
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
    seats: list[Seat] = [
        PersonAtTerminal(table.game, names) if plan.person else bots.open(place, seed)
        for place, (plan, seed) in enumerate(zip(table.plans, table.setup.bot_seeds))
    ]
    return play(table.game, table.setup, seats)


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
