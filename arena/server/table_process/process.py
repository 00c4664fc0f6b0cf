"""`python -m arena.server.table_process.process`: the process of one live table.

It gets a Setup, plays the match with its people and bots, stores it, and ends.

The server and the process speak `arena.server.table_process.messages` over stdin and stdout. If the server is gone, the process
ends at once.

Some actions that nobody sees come before the match: they load what is compiled, and the first click does not wait for it. A
table may have no people: bots among themselves, some of them perhaps on their authors' machines.
"""

import contextlib
import os
import random
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.errors import ArenaError, one_line, printable
from arena.match import Answer, Fault, HostTrouble, Seat, play
from arena.match.sandbox import LockError
from arena.match.seeds import played_id
from arena.records import MatchRecord
from arena.server.people.store import PERSON, REMOTE_SEAT, keep
from arena.server.table_process.arranging import Arranged, BotSeats, arrange, needs
from arena.server.table_process.bots import BotAtTable, BotInTime
from arena.server.table_process.broadcaster import SEARCH, Adviser, Broadcaster, match_over, same_deals
from arena.server.table_process.input_queue import InputQueue, Messages, PersonSeat, TablePipe
from arena.server.table_process.messages import Broken, Compiling, Envelope, FromTable, Luck, Ready, Setup, Stored
from arena.server.table_process.programs import Lines, Programs, RemoteSeat
from arena.server.table_process.ticks import Inbox, Ticks
from arena.tournament.workers.compiling import RATINGS, warm_games

ACTIONS = 12
"""How many actions are played."""
_SEED = 0  # of cards and actions that are no match's


class _Enough(Exception):
    """Raised to end a match: so many actions were played."""


def rehearse(table: Arranged) -> None:
    """Play some actions of another deal at a table, and tell them to nobody."""
    game, setup = table.game, table.setup
    broadcaster = Broadcaster(
        game, setup.options, game.deal(len(setup.players), setup.options, _SEED), table.people, lambda message: None, None
    )  # fmt: skip
    stream, left = random.Random(_SEED), ACTIONS

    def played(action: int) -> None:
        nonlocal left
        broadcaster.played(action)
        left -= 1
        if not left:
            raise _Enough

    other = msgspec.structs.replace(setup, deal_seed=_SEED)
    seats = [_Rehearsing(seat, broadcaster if seat in table.people else None, stream) for seat in range(len(setup.players))]
    with contextlib.suppress(_Enough):
        play(game, other, seats, observer=played)


class _Rehearsing:
    """Somebody who plays any action; implements match.Seat."""

    isolation = PERSON
    wants_forced = False

    def __init__(self, seat: int, broadcaster: Broadcaster | None, stream: random.Random) -> None:
        self._seat, self._broadcaster, self._stream = seat, broadcaster, stream
        self._choices = 0

    def start(self, info: StartInfo) -> Fault | None:
        """Take part."""
        return None

    def ask(self, view: View) -> None:
        """Be told as a person is."""
        self._choices = len(view.legal)
        if self._broadcaster is not None:
            self._broadcaster.ask(self._seat, view)

    def answer(self) -> Answer | Fault:
        """Choose any action."""
        return Answer(self._stream.randrange(self._choices), 0.0, 0.0)

    def end(self, result: EndInfo) -> None:
        """Do nothing."""


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
    broadcaster = Broadcaster(game, setup.options, states, table.people, send, ticks, in_words=table.is_of_agent)
    isolation = REMOTE_SEAT if table.is_of_agent else PERSON
    queue = InputQueue(inbox, broadcaster, adviser, ticks)
    for seat in table.people:
        queue.add(seat, partial(_substitute, table, seats, seat, queue))
    kind = BotAtTable if ticks is None else BotInTime
    players: list[Seat] = [
        PersonSeat(queue, seat, isolation) if plan.person else kind(seats.open(seat, setup.bot_seeds[seat]), plan.name, queue)
        for seat, plan in enumerate(table.plans)
    ]
    return play(game, setup, players, observer=broadcaster.played, may_take_back=broadcaster.may_take_back)


AGENTS_SEARCH: Mapping[str, Any] = {"iterations": 300, "seed": 1}
"""How hints for agents are searched for: the same decision always gives the same."""


def play_and_keep(
    table: Arranged, seats: BotSeats, inbox: Inbox, send: Callable[[FromTable], object], asked: Setup
) -> MatchRecord:
    """Play the match of a table with people to its end, store it, and tell them. Raises as `play_table`, and StoreError."""
    adviser = Adviser(send, AGENTS_SEARCH if table.is_of_agent else SEARCH)
    record = play_table(table, seats, inbox, send, adviser, asked.tick_ms)
    if table.is_of_agent:
        names = [row.bot for row in record.seats]
        record = msgspec.structs.replace(record, match_id=played_id(table.key, names, record.actions, record.delays))
    keep(Path(asked.results), record, table.key)
    over = match_over(table, record)
    for seat in table.people:
        send(Envelope(seat=seat, message=over))
    send(Stored(match_id=record.match_id))
    return record


def _substitute(table: Arranged, seats: BotSeats, seat: int, queue: InputQueue) -> Seat:
    """The seat of the bot that takes over from a person."""
    bot = seats.open(seat, table.setup.bot_seeds[seat])
    return bot if queue.ticks is None else BotInTime(bot, table.bots[seat].name, queue)


def play_unattended(table: Arranged, seats: BotSeats, inbox: Lines, send: Callable[[FromTable], object]) -> MatchRecord:
    """Play the match of a table to its end. Raises HostTrouble where the machine failed a bot."""
    setup, programs = table.setup, Programs(inbox, send)
    players: list[Seat] = [
        seats.open(seat, seed) if plan.remote is None else RemoteSeat(programs, seat, seed, plan.remote)
        for seat, (plan, seed) in enumerate(zip(table.plans, setup.bot_seeds))
    ]
    send(Ready(options=setup.options))
    return play(table.game, setup, players)


DONE, BROKEN, OUR_BUG = 0, 2, 1
_NICENESS = 10  # of what no person waits for


def main() -> int:
    """Play one match; returns the exit code of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the server, which then ends the pipe
    pipe = TablePipe()
    try:
        asked = pipe.setup()
        if asked is not None:
            _serve(pipe, asked)
        return DONE
    except (ArenaError, LockError, HostTrouble) as error:
        pipe.send(Broken(error=one_line(str(error))))
        return BROKEN
    except Exception as error:
        traceback.print_exc()
        pipe.send(Broken(error=one_line(printable(f"a bug of the arena: {type(error).__name__}: {error}"))))
        return OUR_BUG


def _serve(pipe: TablePipe, asked: Setup) -> None:
    table = arrange(asked)
    if not table.people:
        _serve_bots(pipe, asked, table)
        return
    messages = Messages()
    with BotSeats(table) as seats:
        pipe.hear(messages.put, partial(_kill, seats))
        # Ratings, too: the page with the next opponent waits for that of this match.
        warm_games(needs(table), lambda text: pipe.send(Compiling()), RATINGS)
        rehearse(table)
        record = play_and_keep(table, seats, messages, pipe.send, asked)
        if table.is_of_agent or table.asks_models:  # an agent may begin the next match at once; each answer of a model costs
            return
        os.nice(_NICENESS)
        with contextlib.suppress(ArenaError, LockError, HostTrouble):  # the match is played and stored, whatever happens now
            luck = Luck(seats=same_deals(table, record, seats, Path(asked.results)))
            for seat in table.people:
                pipe.send(Envelope(seat=seat, message=luck))


def _serve_bots(pipe: TablePipe, asked: Setup, table: Arranged) -> None:
    """Play a match that nobody sits at: whoever plays has the machine first."""
    os.nice(_NICENESS)
    inbox = Lines()
    with BotSeats(table) as seats:
        pipe.hear(inbox.put, partial(_kill, seats))
        warm_games(needs(table), lambda text: pipe.send(Compiling()))
        record = play_unattended(table, seats, inbox, pipe.send)
        keep(Path(asked.results), record, table.key)
        pipe.send(Stored(match_id=record.match_id))


def _kill(seats: BotSeats) -> None:
    """End the processes of locked bots: this process ends without a goodbye."""
    for pid in seats.pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
