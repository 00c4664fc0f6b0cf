"""The driver loop: hands chunks of the plan to a backend until every match has its result or is named as failed.

A chunk lasts about a quarter of a second. A lost worker makes the matches of its chunk suspects: they are tried again singly,
beside other work. A match that is lost a second time is tried with nothing beside it, so that no other can be to blame (a
machine short of memory kills whom it likes); after three such attempts it is void, never silently missing. On a pool that
loses all chunks in flight with one worker, suspects are tried with nothing beside them from the start.

One estimate of a match's time serves for all. In a model of this loop (20,000 matches, 2 to 64 slots, a third of them 100 times
as long as the others, or a tenth 1,000 times) chunks cut by every match's true mean gained 0.3 % at most.
What costs more is that a segment of the plan ends before the next one begins: in the same model 64 slots were
idle for a third of the time where matches took up to 5 s, 2 slots for less than 1 %.

Matches that share cards are played far from each other (`spread`, and worker.apart): what a bot might smuggle out of a match
about the cards, through caches or otherwise, would have to last until then.
"""

import itertools
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from arena.games import PARTS
from arena.match import awake
from arena.tournament.workers.backend import BLAMED, FIRST, Backend, Chunk, Failure, Lost, Past, Ticket
from arena.tournament.workers.compiling import Compiling

CHUNK_SECONDS = 0.25  # a task of Ray costs its worker 1 to 2 ms of CPU time
LEAST_SECONDS = 0.01  # of a chunk at the end of a segment, where they get shorter
CHUNK_MATCHES = 512
IN_FLIGHT = 2  # chunks per slot: one running, one waiting
ATTEMPTS = 3  # singly
WAIT_SECONDS = 0.2
SMOOTHING = 0.3  # of the newest chunk in the estimate of a match's time
MOST_ASKS = 2 * len(PARTS)  # of one match; no bot can ask for a part that its worker has
GOLDEN = (5**0.5 - 1) / 2  # steps of this share of a circle keep away from all earlier ones as well as any do
SPREAD_MATCHES = 65_536  # that are put in order at once
MOST_HELD = 50_000  # matches that wait for their game to be compiled, before no more of the plan is looked at
SLOWNESS = 10.0  # times the estimate that a chunk may take, beyond the patience


@dataclass
class Tally:
    """What a run cost; shown in the last lines of its output."""

    match_cpu: float = 0.0
    worker_cpu: float = 0.0
    timed_matches: int = 0
    """How many matches the CPU times cover: all but those of each worker's first chunk."""
    lost_chunks: int = 0
    overdue_chunks: int = 0
    """How many of the lost chunks were cancelled because they took too long."""
    failed_attempts: int = 0
    """How many attempts at matches failed: the chunk was lost, or the match ended in a host fault."""
    void_matches: int = 0
    duplicates: int = 0
    """How many results came twice. They were equal, or the run would have stopped."""

    @property
    def efficiency(self) -> float | None:
        """Share of the workers' CPU time, after each one's first chunk, that was spent inside matches."""
        return self.match_cpu / self.worker_cpu if self.worker_cpu else None


@dataclass
class _Sent:
    """A chunk that was sent and is not answered yet."""

    indices: list[int]
    since: float | None = None
    """When the chunk came to the front of the queue and may have started; None: not yet."""
    is_overdue: bool = False


class ReadyGames:
    """Which games can be played now where the workers are; the others are being compiled there."""

    def __init__(
        self, compiling: Compiling | None = None, compile_elsewhere: Callable[[str, str], bool] = lambda game, part: False
    ) -> None:
        """`compiling`: what this machine compiles; None: whoever plays compiles it before. `compile_elsewhere`: see Backend."""
        self._compiling, self._compile_elsewhere = compiling, compile_elsewhere

    def is_ready(self, game: str) -> bool:
        """Return whether the matches of a game can be played now."""
        return self._compiling is None or self._compiling.is_ready(game)

    def compile(self, game: str, part: str) -> None:
        """Have a part of a game compiled that a bot asked for."""
        if not self._compile_elsewhere(game, part) and self._compiling is not None:
            self._compiling.ask(game, part)

    def is_compiled(self, game: str, part: str) -> bool:
        """Return whether the matches that asked for a part can be played now."""
        return self._compiling is None or self._compiling.is_compiled(game, part)

    @property
    def are_all(self) -> bool:
        """Whether all games are ready, so that nothing has to be waited for."""
        return self._compiling is None or self._compiling.is_over

    @property
    def busy(self) -> int:
        """How many CPUs of the workers' machine compile now."""
        return 0 if self._compiling is None else self._compiling.running

    def wait(self, seconds: float) -> None:
        """Wait for news, at most `seconds`."""
        if self._compiling is None:
            time.sleep(seconds)
        else:
            self._compiling.look(seconds)


@dataclass
class Driver:
    """Plays segments of a plan on one backend."""

    backend: Backend
    on_chunk: Callable[[Chunk, Mapping[int, Sequence[Failure]]], None]
    """Stores a chunk's matches; is given the failed attempts at those that were tried before, by index."""
    on_void: Callable[[int, int, str], None]
    """Stores a match that could not be played: its index, the number of attempts, the reason."""
    on_tick: Callable[[], None]
    """Called several times a second, for progress."""
    patience: float
    """Seconds that one match may take beyond all estimates before its worker is killed."""
    tally: Tally = field(default_factory=Tally)
    ready: ReadyGames = field(default_factory=ReadyGames)
    """The games that can be played."""
    game_of: Callable[[int], str] = lambda index: ""
    """The game of a match, by its index."""
    _match_seconds: float | None = None
    _asks: Counter[int] = field(default_factory=Counter)  # how often each match asked for what is not compiled
    _played: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)  # of those matches, before they asked

    def run(self, indices: Iterable[int], count: int, ahead: Iterable[int] = ()) -> None:
        """Play the matches `indices`, `count` of them at most (chunks are shorter towards the end).

        `ahead`: matches of later segments, of which some are played while none of this one can be.
        """
        todo, later = (Queue(matches, self.game_of, self.ready) for matches in (indices, ahead))
        left = count
        waiting: defaultdict[tuple[str, str], list[int]] = defaultdict(list)  # for a part of a game to be compiled
        again: deque[int] = deque()  # singly
        alone: deque[int] = deque()  # with nothing beside it
        earlier: defaultdict[int, list[Failure]] = defaultdict(list)  # failed attempts
        charges: Counter[int] = Counter()  # those that count
        pending: dict[Ticket, _Sent] = {}  # in order of submission
        is_quiet = False
        while left or again or alone or pending or waiting:
            for part in [part for part in waiting if self.ready.is_compiled(*part)]:
                again.extend(waiting.pop(part))
            if not pending:
                is_quiet = bool(alone)
            if is_quiet and not pending:
                self._submit([alone.popleft()], pending, earlier)
            while not is_quiet and not alone and len(pending) < self._most_pending() and (again or left):
                is_new = not again
                chunk = [again.popleft()] if again else todo.take(self._size(left))
                if not chunk and todo.is_empty:
                    left = 0
                    break
                if chunk and is_new:
                    left -= len(chunk)
                chunk = chunk or later.take(self._size(count))
                if not chunk:
                    break
                self._submit(chunk, pending, earlier)
            if not pending and not alone and (left or waiting):
                self.ready.wait(WAIT_SECONDS)
            in_flight = len(pending)
            for ticket, outcome in self.backend.wait(WAIT_SECONDS) if pending or self.ready.are_all else ():
                sent = pending.pop(ticket)
                chunk = sent.indices
                asked = self._asked(outcome)
                for index, part in asked.items():
                    waiting[part].append(index)
                is_single = len(chunk) == 1
                for index, failure in self._accept(outcome, sent, asked, earlier).items():
                    earlier[index].append(failure)
                    charges[index] += is_single and (in_flight == 1 or not self.backend.falls_together)
                    most = ATTEMPTS * (2 if failure.blame else 1)  # once more as often if it may be a bot's doing
                    if charges[index] >= most and not failure.was_overdue:
                        self.tally.void_matches += 1
                        self.on_void(index, len(earlier[index]), failure.reason)
                    else:
                        (alone if is_single or self.backend.falls_together else again).append(index)
            self._cancel_overdue(pending)
            self.on_tick()

    def _submit(self, chunk: list[int], pending: dict[Ticket, _Sent], earlier: Mapping[int, Sequence[Failure]]) -> None:
        failures, played = earlier.get(chunk[0], ()), self._played.get(chunk[0], ())
        past = Past(_kills(failures), played) if failures or played else FIRST
        pending[self.backend.submit(chunk, past)] = _Sent(chunk)

    def _most_pending(self) -> int:
        """Return how many chunks may be with the backend.

        While something compiles, as many as there are CPUs beside, none waiting.
        """
        slots, busy = self.backend.slots, self.ready.busy
        return min(slots, max(1, slots - busy)) if busy else IN_FLIGHT * slots

    def _size(self, left: int) -> int:
        """Return how many matches a chunk gets: by the time that a match takes, and near the end a fair share of the rest."""
        if self._match_seconds is None:
            return 1
        seconds = max(self._match_seconds, 1e-6)
        fair = max(left // (IN_FLIGHT * self.backend.slots), int(LEAST_SECONDS / seconds))
        return max(1, min(CHUNK_MATCHES, fair, int(CHUNK_SECONDS / seconds)))

    def _asked(self, outcome: Chunk | Lost) -> dict[int, tuple[str, str]]:
        """Return what the matches of a chunk asked for that is not compiled; it is being compiled from now on.

        Without matches that have asked so often that something must be wrong: they count as failed.
        """
        lacking = {} if isinstance(outcome, Lost) else outcome.lacking
        self._asks.update(lacking.keys())
        self._played.update((index, asked.played) for index, asked in lacking.items())
        asked = {index: (one.game, one.part) for index, one in lacking.items() if self._asks[index] <= MOST_ASKS}
        for part in dict.fromkeys(asked.values()):
            self.ready.compile(*part)
        return asked

    def _accept(
        self, outcome: Chunk | Lost, sent: _Sent, asked: Collection[int], earlier: Mapping[int, Sequence[Failure]]
    ) -> dict[int, Failure]:
        """Store what a chunk brought; returns the matches that have failed and are tried again, with the reason.

        `asked`: the matches that are played again once what a bot asked for is compiled.
        """
        indices = sent.indices
        if isinstance(outcome, Lost):
            self.tally.lost_chunks += 1
            self.tally.failed_attempts += len(indices)
            if sent.is_overdue and len(indices) == 1 and (seat := outcome.waited_for.get(indices[0])) is not None:
                return {indices[0]: Failure(outcome.reason, seat, was_overdue=True)}
            return dict.fromkeys(indices, Failure(outcome.reason))
        finished = [row[1] for row in outcome.finished.rows]
        silent = set(indices).difference(outcome.failures, asked, finished)
        failures = {**outcome.failures, **dict.fromkeys(sorted(silent), Failure("its worker gave no result"))}
        self.tally.failed_attempts += len(failures)
        self.tally.match_cpu += outcome.match_cpu
        self.tally.worker_cpu += outcome.worker_cpu
        self.tally.timed_matches += len(indices) if outcome.worker_cpu else 0
        newest = outcome.seconds / len(indices)
        before = self._match_seconds
        self._match_seconds = newest if before is None else before + SMOOTHING * (newest - before)
        self.on_chunk(outcome, {index: earlier[index] for index in finished if index in earlier})
        return failures

    def _cancel_overdue(self, pending: dict[Ticket, _Sent]) -> None:
        """Cancel chunks that take too long. One match of a chunk may use up the whole patience, the others the estimate."""
        now = awake.now()
        for ticket, sent in itertools.islice(pending.items(), self.backend.slots):  # chunks start in order
            if sent.since is None:
                sent.since = now
            limit = self.patience + SLOWNESS * (self._match_seconds or 0.0) * len(sent.indices)
            if now - sent.since > limit:
                self.tally.overdue_chunks += not sent.is_overdue
                sent.is_overdue = True
                self.backend.cancel(ticket)


def spread(first: int, last: int) -> Iterator[int]:
    """The matches from index `first` up to `last`, each once, in the order in which they are played.

    In a plan the seatings of a table stand side by side, then the other tables of the deal. Here of n matches the next seating
    of a table comes n / 5 matches later or more, and of D deals the same one D / 3 matches later or more.

    >>> list(spread(100, 110))
    [100, 106, 102, 108, 104, 101, 107, 103, 109, 105]
    """
    for begin in range(first, last, SPREAD_MATCHES):
        places = np.arange(min(SPREAD_MATCHES, last - begin)) * GOLDEN % 1.0
        yield from (begin + np.argsort(np.argsort(places))).tolist()


def _kills(failures: Sequence[Failure]) -> Counter[int]:
    """Return how often each seat was killed from outside or failed its host otherwise, by seat number."""
    counted: Counter[int] = Counter()
    for failure in failures:
        if failure.seat is not None and (failure.was_killed or failure.blame or failure.was_overdue):
            counted[failure.seat] += BLAMED if failure.was_overdue else 1
    return counted


class Queue:
    """Matches in the order in which they come, those of games that are not ready kept back."""

    def __init__(self, indices: Iterable[int], game_of: Callable[[int], str], ready: ReadyGames) -> None:
        """`game_of`: the game of a match by its index."""
        self._indices, self._game_of, self._ready = iter(indices), game_of, ready
        self._held: defaultdict[str, deque[int]] = defaultdict(deque)
        self._held_count = 0
        self._is_exhausted = False

    @property
    def is_empty(self) -> bool:
        """Whether all matches were taken; known once `take` has given none."""
        return self._is_exhausted and not self._held_count

    def take(self, count: int) -> list[int]:
        """The next `count` matches that can be played, or fewer; none if there are none now."""
        if self._ready.are_all and not self._held_count:
            taken = list(itertools.islice(self._indices, count))
            self._is_exhausted = len(taken) < count
            return taken
        taken = []
        for game, held in self._held.items():
            while held and len(taken) < count and self._ready.is_ready(game):
                taken.append(held.popleft())
                self._held_count -= 1
        while len(taken) < count and not self._is_exhausted and self._held_count < MOST_HELD:
            index = next(self._indices, None)
            if index is None:
                self._is_exhausted = True
            elif self._ready.are_all or self._ready.is_ready(game := self._game_of(index)):
                taken.append(index)
            else:
                self._held[game].append(index)
                self._held_count += 1
        return taken
