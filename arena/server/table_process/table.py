"""A live table while it is played: its people, its bots, the referee."""

from collections.abc import Callable
from functools import partial

from arena.match import Seat, play
from arena.records import MatchRecord
from arena.server.table_process.arranging import Arranged, BotSeats
from arena.server.table_process.bots import BotAtTable, BotInTime
from arena.server.table_process.broadcaster import Adviser, Broadcaster
from arena.server.table_process.input_queue import InputQueue, PersonSeat
from arena.server.table_process.messages import FromTable
from arena.server.table_process.ticks import Inbox, Ticks


def play_table(
    table: Arranged,
    seats: BotSeats,
    inbox: Inbox,
    send: Callable[[FromTable], object],
    adviser: Adviser,
    tick_ms: int | None = None,
) -> MatchRecord:
    """Play the match of a table to its end, and tell all that happens to `send`. `tick_ms`: of a match in real time.

    Raises BotError for a bot that does not start, and HostTrouble where the machine failed a bot.
    """
    game, setup = table.game, table.setup
    ticks = None if tick_ms is None else Ticks(inbox, tick_ms)
    states = game.deal(len(setup.players), setup.options, setup.deal_seed)
    broadcaster = Broadcaster(game, setup.options, states, table.people, send, ticks)
    queue = InputQueue(inbox, broadcaster, adviser, ticks)
    for seat in table.people:
        queue.add(seat, partial(_substitute, table, seats, seat, queue))
    kind = BotAtTable if ticks is None else BotInTime
    players: list[Seat] = [
        PersonSeat(queue, seat) if plan.person else kind(seats.open(seat, setup.bot_seeds[seat]), plan.name, queue)
        for seat, plan in enumerate(table.plans)
    ]
    return play(game, setup, players, observer=broadcaster.played)


def _substitute(table: Arranged, seats: BotSeats, seat: int, queue: InputQueue) -> Seat:
    """The seat of the bot that takes over from a person."""
    bot = seats.open(seat, table.setup.bot_seeds[seat])
    return bot if queue.ticks is None else BotInTime(bot, table.bots[seat].name, queue)
