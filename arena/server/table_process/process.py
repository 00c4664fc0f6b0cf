"""The process of one live table: it gets a Setup, plays the match with its people and bots, stores it, and ends.

The hall and the process speak `arena.server.table_process.messages` over stdin and stdout. If the hall is gone, the process
ends at once.
"""

import contextlib
import os
import signal
import traceback
from functools import partial
from pathlib import Path

from arena.errors import ArenaError, one_line, printable
from arena.match import HostTrouble
from arena.match.sandbox import LockError
from arena.server.people import ratings
from arena.server.people.store import keep
from arena.server.table_process.arranging import Arranged, BotSeats, arrange, needs
from arena.server.table_process.desk import Messages
from arena.server.table_process.ending import result
from arena.server.table_process.hall_line import HallLine
from arena.server.table_process.hints import Adviser
from arena.server.table_process.luck import same_deals
from arena.server.table_process.messages import Broken, Compiling, Envelope, Luck, Setup, Stored
from arena.server.table_process.programs import Lines
from arena.server.table_process.rehearsal import rehearse
from arena.server.table_process.table import play_table
from arena.server.table_process.unattended import play_unattended
from arena.tournament.workers.compiling import warm_rooms

DONE, BROKEN, OUR_BUG = 0, 2, 1
_NICENESS = 10  # of what no person waits for


def main() -> int:
    """Play one match; returns the exit code of the process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal is for the hall, which then ends the line
    line = HallLine()
    try:
        asked = line.setup()
        if asked is not None:
            _serve(line, asked)
        return DONE
    except (ArenaError, LockError, HostTrouble) as error:
        line.send(Broken(error=one_line(str(error))))
        return BROKEN
    except Exception as error:
        traceback.print_exc()
        line.send(Broken(error=one_line(printable(f"a bug of the arena: {type(error).__name__}: {error}"))))
        return OUR_BUG


def _serve(line: HallLine, asked: Setup) -> None:
    table = arrange(asked)
    if not table.people:
        _serve_bots(line, asked, table)
        return
    messages = Messages()
    with BotSeats(table) as seats:
        line.listen(messages.put, partial(_kill, seats))
        warm_rooms(needs(table), lambda text: line.send(Compiling()), ratings.COMPILED)
        rehearse(table)
        record = play_table(table, seats, messages, line.send, Adviser(line.send), asked.tick_ms)
        keep(Path(asked.results), record, table.key)
        over = result(table, record)
        for seat in table.people:
            line.send(Envelope(seat=seat, message=over))
        line.send(Stored(match_id=record.match_id))
        os.nice(_NICENESS)
        with contextlib.suppress(ArenaError, LockError, HostTrouble):  # the match is played and stored, whatever happens now
            luck = Luck(seats=same_deals(table, record, seats, Path(asked.results)))
            for seat in table.people:
                line.send(Envelope(seat=seat, message=luck))


def _serve_bots(line: HallLine, asked: Setup, table: Arranged) -> None:
    """Play a match that nobody sits at: whoever plays has the machine first."""
    os.nice(_NICENESS)
    inbox = Lines()
    with BotSeats(table) as seats:
        line.listen(inbox.put, partial(_kill, seats))
        warm_rooms(needs(table), lambda text: line.send(Compiling()))
        record = play_unattended(table, seats, inbox, line.send)
        keep(Path(asked.results), record, table.key)
        line.send(Stored(match_id=record.match_id))


def _kill(seats: BotSeats) -> None:
    """End the processes of locked bots: this process ends without a goodbye."""
    for pid in seats.pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
