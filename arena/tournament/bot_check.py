"""The check of a bot before it enters: it plays all its games, with the fewest and the most seats, in every variant.
In a terminal as on the server, it is then kept as the next version of its name.

The bot takes one seat, locked in as in a tournament; house bots that run in this process take the others. Every check has
seeds of its own, so that a bot cannot tell it from a tournament; the same seed checks it again. One match of every game is
played twice: a bot that plays differently the second time uses the clock or randomness of its own, and is reported.
"""

import math
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from functools import cache
from statistics import median
from types import MappingProxyType
from typing import Any

import msgspec

from arena import games
from arena.agent import BotFiles, StartInfo, read_bot
from arena.agent.loading import NamedBot, house_bots
from arena.agent.submissions import Submission, Submissions
from arena.engine.options import OptionValue
from arena.engine.random_tables import variants
from arena.errors import BotError, nearest
from arena.match import Answer, Fault, HostTrouble, MatchSetup, Player, Seat, play
from arena.match.builds import BuildFailed, built
from arena.match.choose import BotSeat, open_seat
from arena.match.holder import Holder
from arena.match.model_seat import ISOLATION
from arena.match.probe import probe
from arena.match.sandbox import LOCKED, HeldSeat
from arena.match.seeds import single_match_id, single_match_seeds
from arena.match.watched import Slow, WaitsTooLong, WatchedSeat
from arena.records import DEFAULT_LIMITS, Clock, Ending, Limits, MatchRecord
from arena.tournament.check_report import CLOCK, BotCheck, FaultFound, GameCheck, SlowDecision, failures, refused, warnings
from arena.tournament.workers.compiling import Needs, needs_at, warm_games

FAULTS = 2  # of a game, then its other tables are left out: a bot that hangs would take very long
ATTEMPTS = 3  # at a match that ended in host faults
WAITING = 20.0
"""Seconds for which a bot may sleep in a game, starts and ends of matches included; then it is too slow, and may not enter."""
SLOWEST = 3  # decisions shown of all
_SEED_BITS = 63  # as JSON readers like them


def check_bot(
    name: str,
    bot: BotFiles,
    *,
    params: Mapping[str, Any] = MappingProxyType({}),
    chosen: Sequence[str] = (),
    clock: Clock = CLOCK,
    limits: Limits = DEFAULT_LIMITS,
    seed: int | None = None,
    may_ask: bool = False,
    prepare: Callable[[Needs], object] = lambda needs: None,
    say: Callable[[str], None] = lambda text: None,
    news: Callable[[str], None] = lambda text: None,
) -> BotCheck:
    """Check a bot: play all its games, or only those in `chosen`.

    `params`: of the bot; `seed`: of the deals and of the bots, from an earlier report; None: a fresh one; `may_ask`: a language
    model plays one match of each game, at the smallest table, and is not locked in; else it is refused.
    `prepare` is called with what has to be compiled before; `say` with the match and the decision that is played,
    `news` before something is compiled that a bot asks for during a match.

    Raises HostTrouble if the same match ended in host faults several times.
    """
    chosen_seed = secrets.randbits(_SEED_BITS) if seed is None else seed
    is_asked = may_ask and bot.model is not None
    with Holder((), limits=limits) as holder:
        profile = probe([bot], clock.start)[0] if is_asked else holder.profile(bot, clock.start)
    refusals = [] if profile.error is None else [profile.error]
    claims = [] if refusals else list(profile.games) or games.names()
    refusals += [f'it says that it plays "{claim}"; {nearest(claim, games.names())}' for claim in _unknown(claims)]
    played = [] if refusals else [game for game in claims if not chosen or game in chosen]
    if not refusals and not played:
        refusals.append(f"it plays {', '.join(claims)}, not {', '.join(chosen)}")
    prepare({game: needs_at(game, [(bot, params), *((rival, {}) for rival in rivals(game).values())])[game] for game in played})
    checks = []
    with Holder(played, limits=limits) as holder:
        for game in played:
            checks.append(_Checked(holder, clock, chosen_seed, name, bot, dict(params), game, say, news, is_asked=is_asked))
        report = BotCheck(
            bot=name, sha256=bot.sha256, files=len(bot.files), bytes=sum(map(len, bot.files.values())),
            isolation=ISOLATION if is_asked else holder.isolation, not_locked="" if is_asked else holder.not_locked,
            seed=chosen_seed, clock=clock, memory=limits.memory,
            memory_peak=max((check.memory_peak for check in checks if check.memory_peak is not None), default=None),
            games=tuple(check.result() for check in checks),
            slowest=_slowest(slow for check in checks for slow in check.slowest),
            faults=tuple(fault for check in checks for fault in check.faults), refusals=tuple(refusals), warnings=(),
            cpu_seconds=sum(sum(check.cpu) for check in checks),
        )  # fmt: skip
    return msgspec.structs.replace(
        report, refusals=(*refusals, *failures(report.games)), warnings=tuple(warnings(report))
    )  # fmt: skip


class _Checked:
    """A bot played through one game."""

    def __init__(
        self, holder: Holder, clock: Clock, seed: int, name: str, bot: BotFiles, params: Mapping[str, Any], game: str,
        say: Callable[[str], None], news: Callable[[str], None], *, is_asked: bool,
    ) -> None:  # fmt: skip
        self.is_asked = is_asked
        self.say = say
        self.params = params
        self.news = news
        self.key = f"arena check {seed}".encode()
        self.holder, self.clock, self.name, self.bot, self.game = holder, clock, name, bot, games.load(game)
        self.sizes = tuple(dict.fromkeys((self.game.seats[0], self.game.seats[-1])))
        self.variants: set[str] = set()
        self.cpu: list[float] = []
        self.endings: Counter[Ending] = Counter()
        self.faults: list[FaultFound] = []
        self.slowest: tuple[SlowDecision, ...] = ()
        self.memory_peak: int | None = None
        self.is_deterministic: bool | None = None
        self.is_complete = True
        self.slowest_wall = self.waited = 0.0
        self.end_faults = 0
        try:
            self._play_all()
        except WaitsTooLong:
            self.is_complete = False

    def result(self) -> GameCheck:
        ordered = sorted(1000 * seconds for seconds in self.cpu) or [0.0]
        nearest_rank = math.ceil(0.99 * len(ordered)) - 1
        return GameCheck(
            game=self.game.name, seats=self.sizes, variants=len(self.variants), matches=self.endings.total(),
            decisions=len(self.cpu), cpu_ms_p50=median(ordered), cpu_ms_p99=max(median(ordered), ordered[nearest_rank]),
            cpu_ms_max=ordered[-1], wall_ms_max=1000 * self.slowest_wall, endings=dict(self.endings),
            is_deterministic=self.is_deterministic, is_complete=self.is_complete, wait_seconds=self.waited,
            end_faults=self.end_faults,
        )  # fmt: skip

    def _play_all(self) -> None:
        tables = list(self._tables())[: 1 if self.is_asked else None]  # each question costs
        for number, (seats, options) in enumerate(tables):
            self.place = f"{self.game.name}: match {number + 1} of {len(tables)}"
            if len(self.faults) >= FAULTS:
                self.is_complete = False
                return
            self.variants.add(msgspec.json.encode(self._unusual(options, seats), order="sorted").decode())
            setup = self._setup(number, seats, options)
            record = self._match(setup, number % seats)
            if number == 0 and not self.faults and not self.is_asked:
                again = self._match(setup, number % seats)
                self.is_deterministic = None if self.faults else again.actions == record.actions

    def _tables(self) -> Iterator[tuple[int, dict[str, OptionValue]]]:
        for seats in self.sizes:
            for options in variants(self.game, seats):
                yield seats, options

    def _setup(self, number: int, seats: int, options: dict[str, OptionValue]) -> MatchSetup:
        """The bot against house bots; it sits at the next seat in every match."""
        own = number % seats
        names = list(rivals(self.game.name))
        players = [self.name if seat == own else names[(number + seat) % len(names)] for seat in range(seats)]
        seeds = single_match_seeds(self.key, seats, self.game.name, number)
        return MatchSetup(
            index=number, match_id=single_match_id(self.key, self.game.name, number), game=self.game.name, pool=self.game.name,
            options=options, deal=number, rotation=0, players=tuple(Player(player, "") for player in players),
            deal_seed=seeds.deal, bot_seeds=seeds.bots, fallback_seeds=seeds.fallbacks, clock=self.clock,
        )  # fmt: skip

    def _match(self, setup: MatchSetup, own: int) -> MatchRecord:
        return self.holder.play(lambda: self._played(setup, own), self.news)

    def _played(self, setup: MatchSetup, own: int) -> MatchRecord:
        failures = 0  # at the bot's own seat, while its code ran
        for attempt in range(ATTEMPTS):
            with ExitStack() as opened:
                held = self.holder.seat(self.bot, setup.bot_seeds[own], self.params, is_trusted=self.is_asked)
                opened.callback(held.close)
                is_to_blame = failures == ATTEMPTS - 1
                watched = WatchedSeat(_Blaming(held) if is_to_blame else held, patience=WAITING - self.waited, say=self._tell)
                seats: list[Seat] = [
                    watched if seat == own else opened.enter_context(self._rival(player.bot, setup.bot_seeds[seat]))
                    for seat, player in enumerate(setup.players)
                ]
                try:
                    record = play(self.game, setup, seats)
                except WaitsTooLong:
                    self._note_waiting(watched, held)
                    raise
                except HostTrouble as trouble:
                    if attempt == ATTEMPTS - 1:
                        raise
                    failures += trouble.seat == own and _has_begun(held) and not (trouble.starved and trouble.starved.is_proven)
                    continue
                self._note(setup, own, record, watched, held)
                return record
        raise AssertionError

    def _rival(self, name: str, seed: int) -> AbstractContextManager[Seat]:
        return open_seat(rivals(self.game.name)[name], seed=seed, params={})

    def _note(self, setup: MatchSetup, own: int, record: MatchRecord, watched: WatchedSeat, held: BotSeat) -> None:
        seats, row = len(setup.players), record.seats[own]
        unusual = self._unusual(setup.options, seats)
        self.cpu += watched.cpu_seconds
        self.end_faults += bool(held.end_fault)
        self._note_waiting(watched, held)
        self.endings[row.ending] += 1
        self.slowest = _slowest([*self.slowest, *(self._slow(slow, seats, unusual) for slow in watched.slowest)])
        peak = held.memory_peak if isinstance(held, HeldSeat) else None
        self.memory_peak = max((found for found in (peak, self.memory_peak) if found is not None), default=None)
        for fault in (fault for fault in record.faults if fault.seat == own):
            view = None if watched.view is None else str(watched.view)
            self.faults.append(
                FaultFound(
                    game=setup.game, seats=seats, options=unusual, ending=fault.ending, reason=fault.reason,
                    output=fault.output, view=view,
                )
            )  # fmt: skip

    def _note_waiting(self, watched: WatchedSeat, held: BotSeat) -> None:
        self.waited += watched.waited + (held.spent.asleep_around if isinstance(held, HeldSeat) else 0.0)
        self.slowest_wall = max(self.slowest_wall, watched.slowest_wall)

    def _tell(self, decision: int) -> None:
        self.say(f"{self.place}, decision {decision}")

    def _slow(self, slow: Slow, seats: int, unusual: dict[str, OptionValue]) -> SlowDecision:
        return SlowDecision(
            cpu_ms=1000 * slow.cpu_seconds, game=self.game.name, seats=seats, options=unusual, number=slow.number,
            view=str(slow.view),
        )  # fmt: skip

    def _unusual(self, options: dict[str, OptionValue], seats: int) -> dict[str, OptionValue]:
        usual = self.game.resolve_options({}, seats)
        return {name: value for name, value in options.items() if usual.get(name) != value}


class _Blaming:
    """A seat at which the host failed twice in the match: the third failure is the bot's. Implements match.Seat."""

    def __init__(self, seat: BotSeat) -> None:
        self._seat = seat
        self.wants_forced = False
        self.ask, self.end = seat.ask, seat.end

    @property
    def isolation(self) -> str:
        """The isolation level of the bot."""
        return self._seat.isolation

    def start(self, info: StartInfo) -> Fault | None:
        """Get the bot ready to play."""
        fault = self._seat.start(info)
        self.wants_forced = self._seat.wants_forced
        return None if fault is None else self._blamed(fault)

    def answer(self) -> Answer | Fault:
        """The bot's answer, or its fault."""
        found = self._seat.answer()
        return self._blamed(found) if isinstance(found, Fault) else found

    def _blamed(self, fault: Fault) -> Fault:
        is_lacking_cpu = fault.starved is not None and fault.starved.is_proven
        if fault.ending is not Ending.HOST or is_lacking_cpu or not _has_begun(self._seat):
            return fault
        return replace(fault, ending=Ending.CRASH, reason=f"failed the host {ATTEMPTS} times in this match: {fault.reason}")


def _has_begun(seat: BotSeat) -> bool:
    """Return whether code of the bot may have run, in a process of its own."""
    return isinstance(seat, HeldSeat) and seat.has_begun


def _slowest(found: Iterable[SlowDecision]) -> tuple[SlowDecision, ...]:
    return tuple(sorted(found, key=lambda slow: -slow.cpu_ms)[:SLOWEST])


def _unknown(claims: Sequence[str]) -> list[str]:
    return [claim for claim in claims if claim not in games.names()]


def examined(
    find: Callable[[], NamedBot],
    called: str,
    *,
    chosen: Sequence[str] = (),
    params: Mapping[str, Any] = MappingProxyType({}),
    clock: Clock = CLOCK,
    limits: Limits = DEFAULT_LIMITS,
    seed: int | None = None,
    may_ask: bool = False,
    least: str = LOCKED,
    say: Callable[[str], None] = lambda text: None,
    news: Callable[[str], None] = lambda text: None,
    building: Callable[[str], None] = lambda text: None,
) -> tuple[BotCheck, BotFiles | None]:
    """The report on a bot, and its files as they play, or None if they are no bot.

    `find`: reads the bot; `called`: the name of what turns out to be none; `least`: the weakest isolation of its build;
    `building`: is told every second how that goes on; the others: see check_bot. What the machine lacks is compiled first.

    Raises LockError if the build cannot be held, HostTrouble and ArenaError if the machine failed.
    """
    try:
        found = find()
        bot, build = built(found.files, found.name, least=least, say=building)
    except BuildFailed as error:
        return refused(called, str(error), error.report), None
    except BotError as error:
        return refused(called, str(error)), None
    report = check_bot(
        found.name, bot, params=params, chosen=chosen, clock=clock, limits=limits, seed=seed,
        may_ask=may_ask, prepare=lambda needs: warm_games(needs, news), say=say, news=news,
    )  # fmt: skip
    return msgspec.structs.replace(report, build=build), bot


def kept(
    name: str, report: BotCheck, files: BotFiles | None, store: Submissions, *, as_new: bool
) -> tuple[Submission, bool] | None:
    """Store a bot that may enter as the next version of its name, with whether it is new; None: it may not enter.

    `as_new`: see Submissions.submit. Raises StoreError.
    """
    if files is None or not report.may_enter:
        return None
    log = None if report.build is None else report.build.log
    return store.submit(name, files, tuple(game.game for game in report.games), as_new=as_new, log=log)


@cache
def rivals(game: str) -> dict[str, BotFiles]:
    """The opponents for a game by name: the house bots made for it (`bots/<game>_*.py`), if any, then the random bot."""
    known = house_bots()
    names = [*(name for name in known if name.startswith(f"{game}_")), "random_bot"]
    return {name: read_bot(known[name]) for name in names}
