"""Matches wait for their game to be compiled, and for what their bots ask for; nothing else waits."""

from collections.abc import Sequence

from arena.results.journal import packed
from arena.tournament.workers.backend import FIRST, Asked, Chunk, Lost, Past, Ticket
from arena.tournament.workers.driver import ATTEMPTS, MOST_ASKS, Driver, Queue, ReadyGames
from helpers.records import plain_record


class Slow(ReadyGames):
    """Two games, "even" and "odd" by the number of the match; "odd" is ready after some waiting."""

    are_all = False
    busy = 0

    def __init__(self, waits: int = 0, busy: int = 0) -> None:
        super().__init__()
        self.waits, self.busy = waits, busy
        self.asked: list[tuple[str, str]] = []
        self.compiled: set[tuple[str, str]] = set()

    def is_ready(self, game: str) -> bool:
        return game == "even" or self.waits == 0

    def compile(self, game: str, part: str) -> None:
        self.asked.append((game, part))

    def is_compiled(self, game: str, part: str) -> bool:
        return (game, part) in self.compiled

    def wait(self, seconds: float) -> None:
        self.waits = max(0, self.waits - 1)
        self.compiled.update(self.asked)


def parity(index: int) -> str:
    return "odd" if index % 2 else "even"


class Workers:
    """Answer newest first. Matches in `asking` ask for a part until the ready has compiled it, or for ever without a ready."""

    slots = 2
    stage = None
    falls_together = False

    def __init__(self, asking: set[int] = set(), ready: Slow | None = None) -> None:  # noqa: B006
        self.asking, self.ready = asking, ready
        self.pending: list[tuple[int, list[int]]] = []
        self.sent = 0
        self.begun: list[tuple[list[int], tuple[tuple[int, int], ...]]] = []
        self.most = 0

    def submit(self, indices: Sequence[int], past: Past = FIRST) -> Ticket:
        self.sent += 1
        self.begun.append((list(indices), past.played))
        self.pending.append((self.sent, list(indices)))
        self.most = max(self.most, len(self.pending))
        return self.sent

    def compile(self, game: str, part: str) -> bool:
        return False

    def cancel(self, ticket: Ticket) -> None:
        raise AssertionError("nothing is ever late here")

    def close(self) -> None:
        pass

    def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
        number, indices = self.pending.pop()
        lacking = {
            index: Asked("even", "flat", ((index, 0),))
            for index in indices
            if index in self.asking and not (self.ready and self.ready.is_compiled("even", "flat"))
        }
        records = [plain_record(index) for index in indices if index not in lacking]
        return [(number, Chunk(packed(records), {}, 0.01, 0.9, 1.0, lacking))]


def played(
    backend: Workers, ready: ReadyGames, indices: Sequence[int], ahead: Sequence[int] = ()
) -> tuple[list[int], list[int]]:
    """The matches in the order in which they were played, and those that are void."""
    kept: list[int] = []
    void: list[int] = []
    driver = Driver(
        backend, lambda chunk, earlier: kept.extend(record.index for record in chunk.records),
        lambda index, attempts, reason: void.append(index), lambda: None, 30.0, ready=ready, game_of=parity,
    )  # fmt: skip
    driver.run(indices, len(indices), ahead)
    return kept, void


def test_a_queue_keeps_back_what_is_not_ready() -> None:
    ready = Slow(waits=1)
    queue = Queue(range(6), parity, ready)
    assert [queue.take(2), queue.take(2), queue.is_empty] == [[0, 2], [4], False]
    ready.wait(0.0)
    assert [queue.take(2), queue.take(2), queue.take(2), queue.is_empty] == [[1, 3], [5], [], True]


def test_games_that_are_compiled_are_played_first() -> None:
    kept, void = played(Workers(), Slow(waits=3), range(20))
    assert sorted(kept) == list(range(20)) and not void
    assert all(index % 2 == 0 for index in kept[:10]) and all(index % 2 for index in kept[10:])


def test_what_can_be_played_of_later_segments_is_played_while_nothing_else_can() -> None:
    kept, _ = played(Workers(), Slow(waits=2), [1, 3], ahead=range(4, 10))
    assert {index for index in kept if index >= 4} and all(index % 2 == 0 for index in kept if index >= 4)
    assert sorted(kept)[:2] == [1, 3]
    assert played(Workers(), Slow(), [1, 3], ahead=range(4, 10))[0] in (
        [1, 3],
        [3, 1],
    )  # nothing waits


def test_one_slot_plays_at_least_while_others_compile() -> None:
    for busy, most in ((1, 1), (7, 1), (0, 4)):
        backend = Workers()
        played(backend, Slow(busy=busy), range(40))
        assert backend.most == most


def test_a_match_that_asks_is_played_again_once_that_is_compiled() -> None:
    ready = Slow()
    kept, void = played(Workers({4, 6}, ready), ready, range(10))
    assert sorted(kept) == list(range(10)) and not void
    assert set(kept[-2:]) == {4, 6} and set(ready.asked) == {("even", "flat")}


def test_what_was_played_before_a_match_asked_goes_with_it_whoever_plays_it_next() -> None:
    ready = Slow()
    backend = Workers({4, 6}, ready)
    played(backend, ready, range(10))
    assert sorted(begun for begun in backend.begun if begun[1]) == [([4], ((4, 0),)), ([6], ((6, 0),))]


def test_a_match_that_asks_for_ever_is_void_in_the_end() -> None:
    backend = Workers({4}, None)
    kept, void = played(backend, ReadyGames(), range(10))
    assert void == [4] and sorted(kept) == [index for index in range(10) if index != 4]
    assert backend.sent <= 10 + MOST_ASKS + ATTEMPTS
