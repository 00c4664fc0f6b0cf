"""A table without people: bots among themselves, some of them perhaps on their authors' machines."""

from collections.abc import Callable

from arena.match import Seat, play
from arena.records import MatchRecord
from arena.server.table_process.arranging import Arranged, BotSeats
from arena.server.table_process.messages import FromTable, Ready
from arena.server.table_process.programs import Lines, Programs, RemoteSeat


def play_unattended(table: Arranged, seats: BotSeats, inbox: Lines, send: Callable[[FromTable], object]) -> MatchRecord:
    """Play the match of a table to its end. Raises HostTrouble where the machine failed a bot."""
    setup, programs = table.setup, Programs(inbox, send)
    players: list[Seat] = [
        seats.open(seat, seed) if plan.remote is None else RemoteSeat(programs, seat, seed, plan.remote)
        for seat, (plan, seed) in enumerate(zip(table.plans, setup.bot_seeds))
    ]
    send(Ready(options=setup.options))
    return play(table.game, setup, players)
