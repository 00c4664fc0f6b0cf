"""The driver loop against a backend that loses chunks on purpose: nothing is lost, nothing counted twice, poison is named."""

import os
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from arena.errors import ArenaError
from arena.results.journal import packed
from arena.tournament.workers.backend import BLAMED, FIRST, Chunk, Failure, Lost, Past, Ticket
from arena.tournament.workers.driver import ATTEMPTS, Driver
from arena.tournament.workers.local import LocalBackend
from helpers.records import plain_record


class Flaky:
    """Answers newest first; loses every chunk with a poisoned match and each chunk number in `losses`."""

    slots = 2
    stage = None
    falls_together = False

    def __init__(self, poison: set[int] = set(), losses: set[int] = set(), failing: set[int] = set()) -> None:  # noqa: B006
        self.poison, self.losses, self.failing = poison, losses, failing
        self.pending: list[tuple[int, list[int]]] = []
        self.sizes: list[int] = []
        self.cancelled: list[Ticket] = []
        self.most = 0

    def submit(self, indices: Sequence[int], past: Past = FIRST) -> Ticket:
        self.sizes.append(len(indices))
        self.pending.append((len(self.sizes), list(indices)))
        self.most = max(self.most, len(self.pending))
        return len(self.sizes)

    def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
        number, indices = self.pending.pop()
        if number in self.losses or self.poison & set(indices):
            return [(number, Lost("a worker died"))]
        good = [index for index in indices if index not in self.failing]
        failures = {index: Failure("our bug") for index in indices if index in self.failing}
        return [(number, Chunk(packed(plain_record(index) for index in good), failures, 0.01 * len(indices), 0.9, 1.0))]

    def cancel(self, ticket: Ticket) -> None:
        self.cancelled.append(ticket)

    def close(self) -> None:
        pass


def run(backend: Flaky, count: int) -> tuple[Counter[int], dict[int, tuple[int, str]], dict[int, int]]:
    """Records by index, void matches, and earlier failures of the records."""
    kept: Counter[int] = Counter()
    void: dict[int, tuple[int, str]] = {}
    before: dict[int, int] = {}

    def keep(chunk: Chunk, earlier: Mapping[int, Sequence[Failure]]) -> None:
        kept.update(record.index for record in chunk.records)
        before.update({index: len(failures) for index, failures in earlier.items()})

    driver = Driver(backend, keep, lambda index, tries, why: void.__setitem__(index, (tries, why)), lambda: None, 1e9)
    driver.run(iter(range(count)), count)
    return kept, void, before


def test_every_match_comes_back_once() -> None:
    kept, void, _ = run(Flaky(), 1000)
    assert kept == Counter(range(1000)) and not void


def test_chunks_grow_to_a_quarter_second_and_shrink_at_the_end() -> None:
    backend = Flaky()
    run(backend, 1000)
    assert backend.sizes[0] == 1 and max(backend.sizes) == 25 and backend.sizes[-1] == 1
    assert backend.most == 4  # two chunks per slot


@pytest.mark.parametrize("losses", [{1}, {5, 6, 7}, set(range(3, 60, 7))])
def test_lost_chunks_are_played_again(losses: set[int]) -> None:
    kept, void, _ = run(Flaky(losses=losses), 300)
    assert kept == Counter(range(300)) and not void


def test_a_match_that_kills_its_worker_is_found_and_named() -> None:
    kept, void, _ = run(Flaky(poison={17, 200}), 300)
    assert kept == Counter(set(range(300)) - {17, 200})
    assert void == {17: (ATTEMPTS + 1, "a worker died"), 200: (ATTEMPTS + 1, "a worker died")}  # once in company


def test_our_own_failure_in_a_match_is_tried_again_and_then_void() -> None:
    kept, void, before = run(Flaky(failing={30}), 50)
    assert kept == Counter(set(range(50)) - {30}) and void == {30: (ATTEMPTS + 1, "our bug")}  # once in company
    assert not any(before.values())


def test_a_record_knows_its_earlier_attempts() -> None:
    _, _, before = run(Flaky(losses={1}), 1)
    assert before == {0: 1}


def test_a_worker_is_told_how_often_each_seat_of_the_match_was_killed() -> None:
    told: list[dict[int, int]] = []
    failures = [Failure("killed", 1, True), Failure("killed", 0, True), Failure("the zygote was lost", 0)]

    class Killing(Flaky):
        def submit(self, indices: Sequence[int], past: Past = FIRST) -> Ticket:
            told.append(past.kills)
            return super().submit(indices, past)

        def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
            number, _ = self.pending.pop()
            return [(number, Chunk(packed([]), {0: failures[number - 1]}, 0.01, 0.0, 0.0))]

    kept, void, _ = run(Killing(), 1)
    assert told == [{}, {1: 1}, {0: 1, 1: 1}] and not kept and void == {0: (3, "the zygote was lost")}


def test_a_chunk_beyond_all_patience_is_cancelled() -> None:
    class Stuck(Flaky):
        def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
            if self.cancelled:
                return super().wait(seconds)
            return []

    backend = Stuck()
    driver = Driver(backend, lambda chunk, failed: None, lambda *_: None, lambda: None, patience=-1.0)
    driver.run(iter([0]), 1)
    assert backend.cancelled and driver.tally.overdue_chunks == 1


def overdue(seats: list[int | None]) -> tuple[list[dict[int, int]], Counter[int], dict[int, str]]:
    """What workers were told, what was stored, and what was void, where the match is overdue at these seats in turn."""
    told: list[dict[int, int]] = []
    kept: Counter[int] = Counter()
    void: dict[int, str] = {}

    class Stuck(Flaky):
        def submit(self, indices: Sequence[int], past: Past = FIRST) -> Ticket:
            told.append(past.kills)
            return super().submit(indices, past)

        def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
            if len(told) > len(seats):
                return super().wait(seconds)
            if len(self.cancelled) < len(told):
                return []
            number, (index,) = self.pending.pop()
            seat = seats[number - 1]
            return [(number, Lost("killed", {} if seat is None else {index: seat}))]

    driver = Driver(
        Stuck(), lambda chunk, failed: kept.update(record.index for record in chunk.records),
        lambda index, tries, why: void.__setitem__(index, why), lambda: None, patience=-1.0,
    )  # fmt: skip
    driver.run(iter([0]), 1)
    return told, kept, void


def test_an_overdue_match_is_the_timeout_of_the_seat_that_its_worker_waited_for() -> None:
    assert overdue([1]) == ([{}, {1: BLAMED}], Counter([0]), {})
    assert overdue([1, 0]) == ([{}, {1: BLAMED}, {0: BLAMED, 1: BLAMED}], Counter([0]), {})


def test_it_is_not_void_either_if_its_worker_was_lost_before() -> None:
    told, kept, void = overdue([None, None, 1])
    assert told[-1] == {1: BLAMED} and kept == Counter([0]) and not void
    assert overdue([None, None, None])[1:] == (Counter(), {0: "killed"})


def test_an_overdue_chunk_of_several_matches_blames_nobody() -> None:
    class Stuck(Flaky):
        """Loses the first chunk of several matches when it is overdue, and would blame a seat of its first match."""

        told: list[Mapping[int, int]] = []  # noqa: RUF012

        def submit(self, indices: Sequence[int], past: Past = FIRST) -> Ticket:
            self.told.append(past.kills)
            return super().submit(indices, past)

        def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
            number, indices = self.pending[-1]
            if len(indices) > 1 and not lost:
                if number not in self.cancelled:
                    self.pending = self.pending[-1:] + self.pending[:-1]
                    return []
                lost.append(number)
                self.pending.pop()
                return [(number, Lost("killed", {indices[0]: 1}))]
            return super().wait(seconds)

    lost: list[int] = []
    backend = Stuck()
    Driver(backend, lambda chunk, failed: None, lambda *_: None, lambda: None, patience=-1e9).run(iter(range(100)), 100)
    assert lost and not any(backend.told)


def test_time_in_the_queue_is_not_counted_and_a_chunk_has_one_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("arena.tournament.workers.driver.awake.now", lambda: now[0])

    class Slow(Flaky):
        """Plays in order, in 90 seconds a chunk; stuck in chunk 4 until that is cancelled."""

        slots = 1

        def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
            now[0] += 90.0
            if self.pending[0][0] == 4 and not self.cancelled:
                return []
            number, indices = self.pending.pop(0)
            if number == 4:
                return [(number, Lost("cancelled"))]
            return [(number, Chunk(packed(plain_record(index) for index in indices), {}, 0.01 * len(indices), 0.9, 1.0))]

    backend = Slow()
    driver = Driver(backend, lambda chunk, failed: None, lambda *_: None, lambda: None, patience=100.0)
    driver.run(range(200), 200)
    assert max(backend.sizes) == 25 and backend.cancelled == [4]
    assert driver.tally.overdue_chunks == driver.tally.lost_chunks == 1


def test_a_suspect_is_first_tried_beside_other_work_and_then_with_nothing_beside_it() -> None:
    class Watched(Flaky):
        def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
            if 17 in self.pending[-1][1]:
                beside.append((len(self.pending[-1][1]), len(self.pending) - 1))
            return super().wait(seconds)

    beside: list[tuple[int, int]] = []
    kept, void, _ = run(Watched(poison={17}), 300)
    assert void == {17: (4, "a worker died")} and kept.total() == 299
    (first_size, first_beside), (size, others), *alone = beside
    assert first_size > 1 and first_beside and size == 1 and others and alone == [(1, 0)] * 2


def test_a_match_without_an_answer_is_played_again() -> None:
    class Forgetful(Flaky):
        def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
            ((number, chunk),) = super().wait(seconds)
            assert isinstance(chunk, Chunk)
            return [(number, Chunk(packed(chunk.records[: None if len(chunk.records) == 1 else -1]), {}, 0.1, 0.9, 1.0))]

    kept, void, _ = run(Forgetful(), 50)
    assert kept == Counter(range(50)) and not void


def test_fewer_matches_than_announced_are_no_trouble() -> None:
    kept: list[int] = []
    driver = Driver(
        Flaky(), lambda chunk, failed: kept.extend(record.index for record in chunk.records), lambda *_: None, lambda: None, 1e9
    )
    driver.run(iter(range(0, 100, 3)), 100)
    assert sorted(kept) == list(range(0, 100, 3))


def test_the_share_of_time_inside_matches_is_counted() -> None:
    driver = Driver(Flaky(), lambda chunk, failed: None, lambda *_: None, lambda: None, 1e9)
    assert driver.tally.efficiency is None
    driver.run(iter(range(10)), 10)
    assert driver.tally.efficiency == pytest.approx(0.9)


def test_suspects_are_tried_with_nothing_beside_them_so_that_none_is_blamed_for_another() -> None:
    class AllFall(Flaky):
        """Like a process pool: when one worker dies, every chunk in flight is lost."""

        falls_together = True

        def wait(self, seconds: float) -> list[tuple[Ticket, Chunk | Lost]]:
            if any(self.poison & set(indices) for _, indices in self.pending):
                lost: list[tuple[Ticket, Chunk | Lost]] = [(number, Lost("the pool broke")) for number, _ in self.pending]
                self.pending.clear()
                return lost
            return super().wait(seconds)

    kept, void, _ = run(AllFall(poison={17, 18, 40}), 300)
    assert set(void) == {17, 18, 40} and kept == Counter(set(range(300)) - {17, 18, 40})


class Deadly:
    """A job that ends the process that receives it, as a script without `if __name__ == "__main__":` does."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (1,)


def test_a_machine_without_another_thread_is_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that its pool cannot be closed, which then has none to wait for."""

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        LocalBackend(Deadly(), 1)  # type: ignore[arg-type]


def test_workers_that_die_as_they_start_are_one_message_and_no_match_is_blamed() -> None:
    with pytest.raises(ArenaError, match='below `if __name__ == "__main__":`'):
        LocalBackend(Deadly(), 1)  # type: ignore[arg-type]
