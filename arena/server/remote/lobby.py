"""The programs that are here from their authors' machines, and what they play. Lives in the event loop.

A free program plays one match after the other: by turns against another program that is free and against levels about as good
as it is. What somebody has asked for comes first.
"""

import asyncio
import logging
import random
import secrets
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Protocol

import msgspec
from starlette.concurrency import run_in_threadpool

from arena import games
from arena.errors import StoreError
from arena.records import Ending
from arena.results.people import REMOTE, folded_name
from arena.results.site_file import Account
from arena.server.asking.matches import BotMatch, BotMatches, Player
from arena.server.limits import Computing
from arena.server.people.levels import Level, PersonRating, PoolRatings, levels, measurement
from arena.server.problems import Problem
from arena.server.remote.messages import Join, Joined, Result
from arena.server.table_process.messages import Remote, SeatPlan, Setup
from arena.server.tables.plan import free_name
from arena.server.tables.seats import Handle
from arena.server.tables.table import Later, in_loop
from arena.tournament.archive.finding import locate_match

SPARE_LINES = 2
"""Lines that nobody asked for which are passed on in a match: the first one is a fault already."""


class Connection(Protocol):
    """The socket of a program."""

    def offer(self, text: str) -> None:
        """Take a message, without waiting."""

    def close(self, why: str) -> None:
        """Say goodbye."""


class Program:
    """One program; it plays at one table."""

    def __init__(self, account: Account, asked_for: Join, changed: Callable[["Program"], None]) -> None:
        """`changed`: called when it is free for another match, or gone."""
        self.account, self.bot, self.games = account, asked_for.bot, list(asked_for.games)
        self.name = f"{account.name}/{asked_for.bot}"
        self.remote = Remote(wants_forced=asked_for.wants_forced, wants_state=asked_for.wants_state)
        self.key = secrets.token_urlsafe(32)
        self.match: BotMatch | None = None
        self.seat = 0
        self.connection: Connection | None = None
        self.has_left = False
        self.failures = 0
        """How many of its last matches it forfeited, one after the other."""
        self.turns = 0
        """How many matches were arranged for it."""
        self.awaits_result = False
        """Whether its last match is over, and it has yet to hear what came of it."""
        self._changed = changed
        self._waiting: list[str] = []  # what it has to hear when it is back
        self._asked: str | None = None  # the line of the match that it has still to answer
        self._credit = 0  # lines that it may send: answers to what it was asked
        self._spare = SPARE_LINES

    @property
    def is_here(self) -> bool:
        """Whether it is connected and stays."""
        return self.connection is not None and not self.has_left

    @property
    def is_free(self) -> bool:
        """Whether it can begin a match: what it hears of the one before would end the next one."""
        return self.is_here and self.match is None and not self.awaits_result

    def connect(self, connection: Connection) -> None:
        """Talk to it through this socket, which is open for the first time or again."""
        if self.connection is not None:
            self.connection.close("this program has connected anew")
        self.connection = connection
        connection.offer(_text(Joined(name=self.name, key=self.key, playing=self.match is not None)))
        for text in self._waiting:
            connection.offer(text)
        self._waiting.clear()
        if self.match is not None:
            self.match.resumed(self.seat)
            if self._asked is not None:  # an answer on the socket before did not come, and will not: see RemoteSockets
                connection.offer(self._asked)

    def disconnect(self, connection: Connection) -> None:
        """Note that this socket is gone, unless it has another one by now."""
        if self.connection is connection:
            self.connection = None
            if self.match is not None:
                self.match.cut(self.seat)
            self._changed(self)

    def leave(self) -> None:
        """It goes for good."""
        self.has_left = True
        self.gave_up("left the table")
        self._changed(self)

    def gave_up(self, reason: str) -> None:
        """It forfeits the match that it plays."""
        if self.match is not None:
            self.match.gave_up(self.seat, Ending.CRASH, reason)

    def said(self, line: str) -> bool:
        """Pass a line of the match on; False for one too many."""
        if self._credit <= 0:
            self._spare -= 1
        if self._spare < 0:
            return False
        self._credit, self._asked = max(0, self._credit - 1), None
        if self.match is not None:
            self.match.replied(self.seat, line)
        return True

    def sits_down(self, match: BotMatch, seat: int) -> None:
        """A match begins."""
        self.match, self.seat = match, seat
        self._credit, self._spare, self._asked = 0, SPARE_LINES, None
        self.turns += 1

    def told_result(self, result: Result) -> None:
        """Tell it what came of a match."""
        self.awaits_result = False
        self._offer(_text(result), is_kept=True)

    # As the player of a match

    def tell(self, line: str, *, is_end: bool) -> None:
        """Send it a line of the match."""
        self._asked = None if is_end else line
        if not is_end:
            self._credit += 1
        self._offer(line, is_kept=is_end)

    def over(self, match: BotMatch) -> None:
        """The match is over."""
        if self.match is match:
            self.match, self.awaits_result = None, True
            self._changed(self)

    def _offer(self, text: str, *, is_kept: bool) -> None:
        if self.connection is not None:
            self.connection.offer(text)
        elif is_kept:
            self._waiting.append(text)


def _text(message: msgspec.Struct) -> str:
    return msgspec.json.encode(message).decode()


LOG = logging.getLogger("arena.server")
MOST_PROGRAMS = 64
"""Programs that are here at the same time."""
AN_ACCOUNT = 8
"""How many of them may be of one account."""
PAUSE_SECONDS = 1.0
"""The time between two matches of a program."""
LONGEST_PAUSE = 60.0
"""The longest pause of a program that forfeits one match after the other: it doubles each time."""
AWAY_SECONDS = 60.0
"""How long a program that is not connected is remembered after its match."""
_stream = random.SystemRandom()


class Lobby:
    """The programs that are here."""

    def __init__(
        self, results: Path, matches: BotMatches, computing: Computing, *, later: Later = in_loop, pause: float = PAUSE_SECONDS
    ) -> None:
        """`computing`: what the matches that are arranged for the programs of an account may take."""
        self._computing = computing
        self.programs: list[Program] = []
        self.ratings = PoolRatings(results, REMOTE)
        self._results, self._matches, self._later, self._pause = results, matches, later, pause
        self._resting: dict[Program, Handle] = {}
        self._playing: dict[BotMatch, list[Program]] = {}
        self._rated: dict[str, list[PersonRating]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        matches.take, matches.begins, matches.turned = self._take, self.asked_for, self.arrange

    def names(self) -> dict[str, list[str]]:
        """Game and the names of the programs that play it."""
        found: dict[str, dict[str, None]] = {}
        for program in self.here():
            for game in program.games:
                found.setdefault(game, {})[program.name] = None
        return {game: list(names) for game, names in found.items()}

    def here(self) -> list[Program]:
        """The programs that are connected."""
        return [one for one in list(self.programs) if one.is_here]

    def join(self, account: Account, asked_for: Join, connection: Connection) -> Program:
        """A program that has come, or come back. Raises Problem 400 for unknown games, and 429 for one too many."""
        known = next((one for one in self.programs if asked_for.key and one.key == asked_for.key and not one.has_left), None)
        if known is not None and known.account.id == account.id:
            known.connect(connection)
            return known
        there = games.names()
        unknown = [game for game in asked_for.games if game not in there]
        if unknown:
            raise Problem(400, "refusal_remote_game", game=unknown[0], known=", ".join(there))
        if sum(one.account.id == account.id for one in self.programs) >= AN_ACCOUNT:
            raise Problem(429, "refusal_remote_many", most=AN_ACCOUNT)
        if len(self.programs) >= MOST_PROGRAMS:
            raise Problem(429, "refusal_remote_full", most=MOST_PROGRAMS)
        program = Program(account, asked_for, self._changed)
        self.programs.append(program)
        program.connect(connection)
        self._later(0.0, self.arrange)
        return program

    def arrange(self) -> None:
        """Begin as many matches as there are free programs and room for."""
        self._matches.start_waiting()
        for program in self.programs:
            if self._is_free(program) and self._computing.is_used_up(program.account):
                self._rest(program)
        wanted = set(self._matches.wanted())
        free = [one for one in self.programs if self._is_free(one) and one.name not in wanted]
        for program in free:
            if self._is_free(program) and not self._begin(program, free):
                return  # no room; whoever ends makes some

    def _is_free(self, program: Program) -> bool:
        return program.is_free and program not in self._resting

    def _begin(self, program: Program, free: list[Program]) -> bool:
        """Begin a match of a program; False if there is no room for it."""
        game = program.games[program.turns // 2 % len(program.games)]
        count = seats_of(game)
        rivals = [one for one in free if self._is_free(one) and one.account.id != program.account.id and game in one.games]
        _stream.shuffle(rivals)
        own = [program]
        if program.turns % 2:
            for rival in rivals[: count - 1]:
                if rival.account.id not in [one.account.id for one in own]:
                    own.append(rival)
        plans: list[tuple[SeatPlan, Program | None]] = [(SeatPlan(name=one.name, remote=one.remote), one) for one in own]
        near = self._near(game, program.name)
        taken = {folded_name(one.name) for one in own}
        while len(plans) < count:
            level = _stream.choice(near)
            name = free_name(level.name, taken)
            taken.add(folded_name(name))
            plans.append((SeatPlan(name=name, bot=level.bot, params=level.params), None))
        _stream.shuffle(plans)
        players = {seat: one for seat, (_, one) in enumerate(plans) if one is not None}
        setup = Setup(
            game=game, seats=[plan for plan, _ in plans], options=options_of(game), results=str(self._results), pool=REMOTE
        )
        told = {seat: (one, one.remote) for seat, one in players.items()}
        match = self._matches.play(setup, told, partial(self._seated, players))
        if match is None:
            return False
        payers = [self._computing.payer(one.account) for one in own]
        match.pay_by(lambda seconds: [pay(seconds / len(payers)) for pay in payers])
        return True

    def _seated(self, players: dict[int, Program], match: BotMatch) -> None:
        """The programs of a match sit down, before it says anything."""
        for seat, program in players.items():
            program.sits_down(match, seat)
        self._playing[match] = list(players.values())

    def _take(self, setup: Setup) -> Mapping[int, tuple[Player, Remote]] | None:
        """The programs for a match that was asked for; None: one of them is not free."""
        found: dict[int, Program] = {}
        for seat, plan in enumerate(setup.seats):
            if plan.remote is not None:
                free = (one for one in self.programs if one.name == plan.name and one.is_free and one not in found.values())
                one = next((one for one in free if setup.game in one.games), None)
                if one is None:
                    return None
                found[seat] = one
        return {seat: (one, one.remote) for seat, one in found.items()}

    def asked_for(self, match: BotMatch) -> None:
        """A match that was asked for begins: its programs sit down."""
        players = {seat: one for seat, one in match.players.items() if isinstance(one, Program)}
        if players:
            self._seated(players, match)

    def _near(self, game: str, name: str) -> list[Level]:
        """The levels about as good as a program: the nearest one, and those beside it."""
        known = levels(game)
        rated = next((one for one in self._rated.get(game, ()) if one.name == name), None)
        place = 1 if rated is None else min(range(len(known)), key=lambda one: abs(known[one].mu - rated.mu))
        return list(known[max(0, place - 1) : place + 2])

    def _changed(self, program: Program) -> None:
        """A program is free, or gone."""
        for match, programs in list(self._playing.items()):
            if not match.is_running and program in programs:
                del self._playing[match]
                task = asyncio.get_running_loop().create_task(self._tell_result(match, programs))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
        if program.match is None and program in self.programs:
            if program.has_left:
                self._forget(program)
            elif program.connection is None:
                self._later(AWAY_SECONDS, lambda: self._forget(program) if program.connection is None else None)

    def _forget(self, program: Program) -> None:
        if program.match is None and program in self.programs:
            self.programs.remove(program)

    def _rest(self, program: Program) -> None:
        """A program pauses before its next match, the longer the more often it has failed, or when its computing is used up."""
        is_used_up = self._computing.is_used_up(program.account)
        seconds = LONGEST_PAUSE if is_used_up else min(LONGEST_PAUSE, self._pause * 2**program.failures)

        def go_on() -> None:
            self._resting.pop(program, None)
            self.arrange()

        self._resting[program] = self._later(seconds, go_on)

    async def _tell_result(self, match: BotMatch, programs: Iterable[Program]) -> None:
        """Tell the programs of a match what came of it; then they are free for others."""
        names = [seat.name for seat in match.setup.seats]
        game = match.setup.game
        record = None
        try:
            if match.match_id is not None:
                _, record, _ = await run_in_threadpool(locate_match, self._results, match.match_id)
                if match.setup.pool == REMOTE:
                    self._rated = await run_in_threadpool(self.ratings.read)
        except StoreError as error:
            LOG.error("a match of remote programs cannot be read: %s", error)
        seats = {id(one): seat for seat, one in match.players.items()}
        for program in programs:
            seat = seats[id(program)]
            row = None if record is None else record.seats[seat]
            has_failed = row is None or row.ending is not Ending.PLAYED
            program.failures = program.failures + 1 if has_failed else 0
            rated = next((one for one in self._rated.get(game, ()) if one.name == program.name), None)
            counts = rated is not None and match.setup.pool == REMOTE and record is not None
            program.told_result(Result(
                match=match.match_id, game=game, names=names, seat=seat, place=None if row is None else row.place,
                ending=None if row is None else row.ending,
                rating=round(rated.rating, 2) if rated is not None and counts else None,
                matches=rated.matches if rated is not None and counts else 0,
            ))  # fmt: skip
            self._rest(program)
        self.arrange()


def seats_of(game: str) -> int:
    """Return how many seats a match of remote programs has: as many as the levels were measured with."""
    measured = measurement().games.get(game)
    return games.load(game).seats[0] if measured is None else measured.seats


def options_of(game: str) -> dict[str, object]:
    """The rule options of a match of remote programs: those with which the levels were measured."""
    measured = measurement().games.get(game)
    return {} if measured is None else dict(measured.options)
