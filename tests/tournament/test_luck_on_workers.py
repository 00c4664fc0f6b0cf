"""Luck that workers tell with the matches: the numbers that the logs give, and only the rest is worked out at the end."""

from pathlib import Path

import msgspec
import pytest

from arena.engine.readiness import Part
from arena.ratings.match_luck import estimates
from arena.records import MatchLuck, MatchRecord, SeatLuck
from arena.results import parquet
from arena.results.schema import LUCK
from arena.tournament.archive import luck as archive_luck
from arena.tournament.archive.luck import ToldLuck, match_luck, plan_of
from arena.tournament.formats.plan import Plan
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Interrupted, Observer, Progress, Settings
from arena.tournament.workers.each_match import each_match
from helpers.tournaments import GOOD_BOTS, run, write_config

GAMES = [{"game": "naga", "seats": 2}, {"game": "hisatsu", "seats": 3}]


def luck(index: int, size: float, seats: int = 2) -> MatchLuck:
    one = SeatLuck(luck=size, dealt=size / 2, bounded=size)
    return MatchLuck(index=index, match_id=f"{index:024x}", events=3, seats=(one,) * seats)


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The matches whose luck was worked out from their log."""
    found: list[int] = []

    def noted(plan: Plan, record: MatchRecord) -> MatchLuck:
        found.append(record.index)
        return match_luck(plan, record)

    monkeypatch.setattr(archive_luck, "match_luck", noted)
    return found


def test_what_workers_tell_is_what_the_logs_say(tmp_path: Path, later: list[int]) -> None:
    results = run(tmp_path, games=GAMES, deals=2, ratings={"luck": True})
    records = list(parquet.read_matches(results.folder))
    plan = plan_of(results.folder, results.manifest)
    assert later == [] and list(parquet.read_luck(results.folder)) == [match_luck(plan, record) for record in records]
    assert results.manifest.luck == {name: one.sha256 for name, one in estimates(["naga", "hisatsu"]).items()}


def test_what_no_worker_told_is_worked_out_at_the_end(
    tmp_path: Path, later: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    told = run(tmp_path, "told", games=GAMES, deals=2, ratings={"luck": True})
    assert later == []
    with monkeypatch.context() as patched:  # while that part is compiled matches are played, but their luck is not known
        patched.setattr("arena.tournament.workers.worker.is_loaded", lambda package, part: False)
        patched.setattr(Part, "is_compiled", property(lambda part: part.game == "hisatsu"))
        untold = run(tmp_path, "untold", games=GAMES, deals=2, ratings={"luck": True})
    assert {"naga"} == {record.game for record in parquet.read_matches(untold.folder) if record.index in later}
    assert (untold.folder / LUCK.file).read_bytes() == (told.folder / LUCK.file).read_bytes()


def test_a_resumed_run_works_out_what_the_earlier_one_played(tmp_path: Path, later: list[int]) -> None:
    class Stopping(Observer):
        def progress(self, progress: Progress) -> None:
            if progress.played_now >= 5:
                raise KeyboardInterrupt

    config = write_config(tmp_path, GOOD_BOTS, games=GAMES, deals=2, seed=4, ratings={"luck": True})
    settings = Settings(out=tmp_path / "out", backend=LOCAL, workers=1)
    with pytest.raises(Interrupted):
        run_tournament(config, settings, Stopping())
    assert later == []
    resumed = run_tournament(config, settings)
    assert 5 <= len(later) < resumed.manifest.played
    whole = run_tournament(config, Settings(out=tmp_path / "whole", backend=LOCAL, workers=1))
    assert list(parquet.read_luck(resumed.folder)) == list(parquet.read_luck(whole.folder))


def test_a_comparison_decides_by_what_workers_tell(tmp_path: Path, later: list[int]) -> None:
    pair = [bot.stem for bot in GOOD_BOTS[:2]]
    results = run(
        tmp_path, bots=GOOD_BOTS[:2], games=GAMES[:1], deals=24, format="compare", candidates=pair, compare={"luck": True}
    )  # fmt: skip
    assert results.manifest.luck and later == []


def test_told_luck_is_kept_by_index_and_counted_by_range(tmp_path: Path) -> None:
    results = run(tmp_path, games=GAMES, deals=1)
    records = list(parquet.read_matches(results.folder))
    told = ToldLuck()
    assert told.of(records[0]) is None and told.count(0, 100_000) == 0
    told.add([luck(1, 0.25), luck(4_096, -0.5), luck(10_000, 0.125, seats=3)])
    told.add([luck(1, 0.25)])  # a match that came twice
    assert (told.count(0, 100_000), told.count(0, 4_096), told.count(2, 4_097)) == (3, 1, 1)
    asked = msgspec.structs.replace(records[0], index=4_096, match_id=f"{4_096:024x}")
    assert told.of(asked) == luck(4_096, -0.5)
    assert told.of(msgspec.structs.replace(asked, index=4_097)) is None
    assert told.of(msgspec.structs.replace(asked, seats=(*asked.seats, asked.seats[0]))) is None


def _index(_plan: Plan, record: MatchRecord) -> int:
    return record.index


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
def test_what_is_known_and_what_is_worked_out_come_in_order(tmp_path: Path, workers: int) -> None:
    results = run(tmp_path, games=GAMES, deals=2)
    records = list(parquet.read_matches(results.folder))
    plan = plan_of(results.folder, results.manifest)
    for share in (1, 2, 10_000):  # of all, each second one, and the first alone
        known = {record.index: -record.index for record in records if record.index and record.index % share == 0}
        found = each_match(_index, plan, records, workers, lambda record, known=known: known.get(record.index))
        assert list(found) == [known.get(record.index, record.index) for record in records]
