"""Plays a chunk of the plan in a worker process. Every backend runs the same code."""

import contextlib
import os
import resource
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from arena import games
from arena.agent import BotFiles, EndInfo, StartInfo
from arena.agent.view import View
from arena.cache import is_temporary
from arena.engine.readiness import CHANCE, NotCompiled, Part, absent_parts, compile_here, is_loaded
from arena.llm.kept_answers import AnswerFolder
from arena.match import Answer, Fault, HostTrouble, Player, Spent, play
from arena.match.choose import BotSeat, choose_seat, supervisor_for
from arena.match.in_process import InProcessSeat
from arena.match.model_seat import ModelSeat
from arena.match.sandbox import LOCKED, NAMESPACE, NONE, HeldSeat, LockError, forget_caches
from arena.ratings.match_luck import luck_of
from arena.records import Ending, MatchLuck, MatchRecord
from arena.results.journal import packed
from arena.tournament.formats.plan import Plan
from arena.tournament.formats.tables import Stage
from arena.tournament.workers.backend import BLAMED, FAILURES_UNTIL_BLAME, FIRST, Asked, Chunk, Failure, Past, Waiting

LOOK_AHEAD = 32
"""How many matches of a chunk are looked at to choose the one that is played next."""
REMEMBERED = 4_096
"""How many deals a worker remembers to know when bots see their cards again."""
GREEDY = 0.5
"""A seat is the cause that another got no CPU if it used this share of the other's wall time as CPU time."""
OVERDUE = "the match took longer than all its seats may take together, and this one was waited for"


class Job(msgspec.Struct, frozen=True):
    """Everything that a worker needs, by value: workers need no shared disk."""

    plan: Plan
    bots: Mapping[str, BotFiles]
    """The files of each bot, by content hash."""
    least: str = LOCKED
    """The weakest isolation level that will do: a machine that offers less plays no match of an untrusted bot."""
    isolation: str = NAMESPACE
    """The strongest isolation level to try."""
    with_luck: bool = False
    """Whether the luck of each match is worked out as soon as it is played."""
    answers: AnswerFolder | None = None
    """The folder in which the answers of language models are kept; None: no bot is one."""

    def worker(self) -> "Worker":
        """The worker that plays this job; made in the worker process."""
        return Worker(self)


class Worker:
    """Plays the matches of one job, and keeps loaded games between chunks."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._plan = job.plan
        self._params = {bot.player: bot.params for bot in job.plan.contestants}
        self._nowhere = Path(os.devnull).open("w")  # noqa: SIM115  # for the life of the process
        self._trusted = {bot.player for bot in job.plan.contestants if bot.trusted}
        all_games = (entry.game for entry in job.plan.entries)
        self._supervisor = supervisor_for(all_games, level=job.isolation, least=job.least)
        self._stays = not self._trusted and all(bot.command is None for bot in job.bots.values())
        self._cpu_before: float | None = None
        self._waiting = Waiting()
        self._last: Cards | None = None  # of the match that was played last
        self._seen: dict[tuple[int, int], frozenset[int]] = {}  # who saw the cards of each deal
        self._slept: defaultdict[int, float] = defaultdict(float)
        self._with_luck = {entry.game for entry in job.plan.entries if job.with_luck and games.has_luck(entry.game)}

    def keep_note(self, shared: memoryview) -> None:
        """Keep a note of the seat that is waited for where those who end this process find it; see backend.py."""
        self._waiting = Waiting(shared)

    def close(self) -> None:
        """End the processes of locked seats. After this the worker plays nothing."""
        if self._supervisor is not None:
            self._supervisor.close()
        self._nowhere.close()

    def play(self, indices: Sequence[int], past: Past = FIRST, stage: Stage | None = None) -> Chunk:
        """Play the matches with these indices; if one of them ends in a host fault, the others are played all the same.

        `past`: what earlier attempts at these matches left. `stage`: the part of a ladder's plan that has them.
        """
        if stage is not None:
            self._plan = self._job.plan.with_stage(stage)
        if self._supervisor is not None and self._stays:
            self._supervisor.stay()
        began = time.perf_counter()
        records: list[MatchRecord] = []
        lucks: list[MatchLuck] = []
        failures: dict[int, Failure] = {}
        lacking: dict[int, Asked] = {}
        match_cpu, cpu = 0.0, self._own_cpu()
        held = self._held_cpu()
        if len(self._trusted) < len(self._params):
            indices = apart(self._plan, indices, self._last)
        for place, index in enumerate(indices):
            self._expect(indices[place : place + 2])
            self._forget(cards_of(self._plan, index))
            try:
                played = self.play_match(index, past)
            except NotCompiled as needed:
                lacking[index] = Asked(needed.game, needed.part, needed.played)
            else:
                if isinstance(played, Failure):
                    failures[index] = played
                else:
                    records.append(played)
                    lucks += self._luck(played)
            self._last = cards_of(self._plan, index)
            before, cpu = cpu, self._own_cpu()
            match_cpu += cpu - before
        self._expect(())
        finished = packed(records)
        held_by_now = self._held_cpu()
        match_cpu += held_by_now - held  # they work for matches alone
        now = self._own_cpu() + held_by_now
        worker_cpu = 0.0 if self._cpu_before is None else now - self._cpu_before
        self._cpu_before = now
        seconds = time.perf_counter() - began
        if self._supervisor is not None and worker_cpu:
            self._supervisor.played(worker_cpu, seconds)
        slept = dict(self._slept)
        self._slept.clear()
        return Chunk(finished, failures, seconds, match_cpu if worker_cpu else 0.0, worker_cpu, lacking, slept, lucks)

    def _luck(self, record: MatchRecord) -> list[MatchLuck]:
        """The luck of a match that was just played; none where what works it out is not compiled: no match waits for that.

        What goes wrong shows at the end, where all luck that is not known then is worked out.
        """
        if record.game not in self._with_luck:
            return []
        game = games.load(record.game)
        with contextlib.suppress(Exception):
            if is_loaded(game.package, CHANCE) or games.part(game, CHANCE).is_compiled:
                return [luck_of(game, self._plan.setup(record.index), record)]
        return []

    def play_match(self, index: int, past: Past = FIRST) -> MatchRecord | Failure:
        """Play one match of the plan.

        Raises NotCompiled if a bot asks for a part of a game that is not in the cache: to compile it takes longer than a match
        may, and somebody should see it. What was compiled meanwhile is loaded, and the match begins anew.
        """
        blamed = {seat: Fault(Ending.TIMEOUT, OVERDUE) for seat, count in past.kills.items() if count >= BLAMED}
        spent: defaultdict[int, Spent] = defaultdict(Spent)
        again = past.played
        self._waiting.begin(index)
        while True:
            try:
                with absent_parts(_load):
                    played = self._attempt(index, past.kills, blamed, spent, again)
            except NotCompiled as needed:  # of a locked seat; each part once, for then its zygote has it
                _load(games.part(games.load(needed.game), needed.part))
                assert self._supervisor is not None
                self._supervisor.renew()
                again = needed.played
                continue
            fault = _blame(played, past.kills) if isinstance(played, Failure) and not blamed else None
            if fault is None:
                self._note_sleep(index, spent)
                return played
            assert isinstance(played, Failure) and played.seat is not None
            blamed[played.seat] = fault

    def _attempt(
        self, index: int, kills: Mapping[int, int], blamed: Mapping[int, Fault], spent: defaultdict[int, Spent],
        again: Sequence[tuple[int, int]],
    ) -> MatchRecord | Failure:  # fmt: skip
        """Play a match once.

        `blamed`: seats that forfeit at once; `spent`: see HeldSeat.spent, by seat, kept up to date; `again`: see match.play.
        """
        seats: list[BotSeat | BlamedSeat] = []
        try:
            setup = self._plan.setup(index)
            for place, (player, seed) in enumerate(zip(setup.players, setup.bot_seeds)):
                seat = BlamedSeat(blamed[place]) if place in blamed else self._seat(player, seed, kills.get(place, 0))
                seats.append(seat)
                if not isinstance(seat, BlamedSeat):
                    seat.spent = spent[place]
            try:
                # what a bot prints does not reach the terminal
                with contextlib.redirect_stdout(self._nowhere), contextlib.redirect_stderr(self._nowhere):
                    return play(games.load(setup.game), setup, seats, self._waiting.waits_for, again=again)
            except HostTrouble as trouble:
                return _failure(trouble, seats)
        except LockError as error:
            return Failure(f"a bot that is not trusted cannot be locked in here: {error}")
        except Exception:
            place = self._waiting.seat
            has_begun = 0 <= place < len(seats) and _has_begun(seats[place])
            return Failure(traceback.format_exc(), place if has_begun else None, blame=Ending.CRASH if has_begun else None)
        finally:
            for seat in reversed(seats):
                _close(seat)

    def _note_sleep(self, index: int, spent: Mapping[int, Spent]) -> None:
        bots = self._plan.bots(index) if any(one.asleep or one.asleep_around for one in spent.values()) else ()
        for place, bot in enumerate(bots):
            if place in spent:
                self._slept[bot] += spent[place].asleep + spent[place].asleep_around

    def _forget(self, cards: "Cards") -> None:
        """Before a bot sees the same cards again: have the processor's caches forget what it may have left in them."""
        if len(self._trusted) == len(self._params):
            return
        seen = self._seen.get(cards.deal, frozenset())
        if not seen.isdisjoint(cards.bots) or len(self._seen) >= REMEMBERED:
            forget_caches()
            self._seen.clear()
            seen = frozenset()
        self._seen[cards.deal] = seen | cards.bots

    def _expect(self, indices: Sequence[int]) -> None:
        """Have locked seats made ahead for the matches that are played next; what goes wrong shows when they are taken."""
        if self._supervisor is None or len(self._trusted) == len(self._params):
            return
        seats: list[tuple[str, BotFiles]] = []
        for index in indices:
            game = self._plan.entries[self._plan.entry_of(index)].game
            players = [self._plan.contestants[place].player for place in self._plan.bots(index)]
            seats += [(game, self._job.bots[player.sha256]) for player in players if player not in self._trusted]
        with contextlib.suppress(Exception):
            self._supervisor.expect(seats, self._plan.limits)

    def _seat(self, player: Player, seed: int, kills: int) -> BotSeat:
        return choose_seat(
            self._job.bots[player.sha256], is_trusted=player in self._trusted, supervisor=self._supervisor,
            limits=self._plan.limits, seed=seed, params=self._params[player], earlier_kills=kills, answers=self._job.answers,
        )  # fmt: skip

    def _own_cpu(self) -> float:
        """CPU time of this process and its ended children."""
        children = resource.getrusage(resource.RUSAGE_CHILDREN)
        return time.process_time() + children.ru_utime + children.ru_stime

    def _held_cpu(self) -> float:
        """CPU time of the zygote, the templates and the locked seats that have ended."""
        return 0.0 if self._supervisor is None else self._supervisor.cpu_seconds()


class Cards(NamedTuple):
    """The cards of a match, and who sees them."""

    deal: tuple[int, int]
    bots: frozenset[int]

    def come_again_in(self, other: "Cards") -> bool:
        """Return whether a bot sees the same cards again, maybe from another seat."""
        return self.deal == other.deal and not self.bots.isdisjoint(other.bots)


def cards_of(plan: Plan, index: int) -> Cards:
    """The cards of match `index`."""
    return Cards(plan.deal_of(index), frozenset(plan.bots(index)))


def apart(plan: Plan, indices: Sequence[int], last: Cards | None = None) -> list[int]:
    """The matches in an order in which no bot sees the same cards twice in a row, as far as there is one.

    `last`: the cards of the match before them, if there is one.
    """
    left, ordered = [(index, cards_of(plan, index)) for index in indices], list[int]()
    of_deal = Counter(cards.deal for _, cards in left)
    while left:
        others = [match for match in left[:LOOK_AHEAD] if last is None or not last.come_again_in(match[1])]
        chosen = max(others or left[:1], key=lambda match: of_deal[match[1].deal])  # what is frequent must not be left over
        left.remove(chosen)
        of_deal[chosen[1].deal] -= 1
        ordered.append(chosen[0])
        last = chosen[1]
    return ordered


class BlamedSeat:
    """The seat of a bot that is to blame for a match that could not be played: it forfeits, and the others play on.

    It fails at the start, with a known fault; no code of the bot is run. Implements match.Seat.
    """

    isolation = NONE
    wants_forced = False

    def __init__(self, fault: Fault) -> None:
        self._fault = fault

    def start(self, info: StartInfo) -> Fault:
        """The fault."""
        return self._fault

    def ask(self, view: View) -> None:
        """Never called: a seat that fails at the start has forfeited."""
        raise AssertionError

    def answer(self) -> Answer | Fault:
        """Never called either."""
        raise AssertionError

    def end(self, result: EndInfo) -> None:
        """Never called either."""
        raise AssertionError

    def close(self) -> None:
        """Do nothing: there is no process."""


def _failure(trouble: HostTrouble, seats: Sequence[BotSeat | BlamedSeat]) -> Failure:
    """Return a host fault as a failure of the seat that caused it. The seats still run.

    A seat that got no CPU is not the cause of that if others had it; a rival that used it meanwhile is. One thread of a bot
    gets no more than a fair share. So a seat that had half a CPU while another was ready and had next to nothing runs many
    threads.
    """
    seat = seats[trouble.seat]
    if isinstance(seat, ModelSeat):
        return Failure(str(trouble), trouble.seat, stops=seat.stops)
    if trouble.starved:
        used = {place: other.unanswered_cpu for place, other in enumerate(seats) if isinstance(other, HeldSeat)}
        used.pop(trouble.seat, None)
        greedy = max(used, key=lambda place: used[place], default=None)
        if greedy is None or used[greedy] < GREEDY * trouble.starved.seconds:
            return Failure(str(trouble), trouble.seat, blame=None if trouble.starved.is_proven else Ending.TIMEOUT)
        reason = f"{trouble}; meanwhile seat {greedy} used {used[greedy]:.1f} s of CPU time"
        return Failure(reason, greedy, blame=Ending.TIMEOUT)
    was_killed = isinstance(seat, HeldSeat) and seat.was_killed
    return Failure(str(trouble), trouble.seat, was_killed, Ending.CRASH if _has_begun(seat) else None)


def _has_begun(seat: BotSeat | BlamedSeat) -> bool:
    """Return whether code of the seat's bot may have run, so that the bot can be the cause of what happened."""
    return isinstance(seat, InProcessSeat) or (isinstance(seat, HeldSeat) and seat.has_begun)


def _blame(failure: Failure, kills: Mapping[int, int]) -> Fault | None:
    """The fault of a bot that failed its host too often, in this match, where no other did; None if that is not so."""
    seat = failure.seat
    if seat is None or failure.blame is None or set(kills) - {seat} or kills.get(seat, 0) + 1 < FAILURES_UNTIL_BLAME:
        return None
    lines = failure.reason.strip().splitlines()
    what = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    return Fault(failure.blame, f"failed its host {FAILURES_UNTIL_BLAME} times in this match: {what}")


def _close(seat: BotSeat | BlamedSeat) -> None:
    """Close a seat. What goes wrong then changes no result."""
    with contextlib.suppress(Exception):
        seat.close()


def _load(part: Part) -> None:
    """Load a part that is in the cache. Compile one only if nobody else could: where the cache is this process's alone."""
    if not part.is_compiled and not is_temporary():
        raise NotCompiled(part.game, part.name)
    compile_here(part)
