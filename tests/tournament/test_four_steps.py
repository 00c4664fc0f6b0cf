"""The four steps of a tournament, each on its own: plan, play, decide, write (arena/tournament/run.py)."""

from pathlib import Path

from arena.audit.results_audit import audit_results
from arena.results.manifest import MANIFEST_FILE
from arena.tournament.config import read_config
from arena.tournament.deciding import decide, rated_rows, weights_of
from arena.tournament.planning import plan, resumed
from arena.tournament.playing import Played, play
from arena.tournament.run import opened, run_tournament
from arena.tournament.session import LOCAL, Observer, Progress, Settings
from arena.tournament.writing import write, write_rows
from helpers.tournaments import Stops, write_config


def test_a_plan_says_all_matches_and_writes_nothing(tmp_path: Path) -> None:
    settings = Settings(out=tmp_path / "out", backend=LOCAL, workers=1)
    planned = plan(read_config(write_config(tmp_path)), settings)
    assert planned.folder == tmp_path / "out" / "small" and planned.matches(planned.schedule()) == len(planned.plan) == 60
    assert planned.plan.setup(59).match_id != planned.plan.setup(0).match_id
    assert not settings.out.exists()


def test_the_steps_one_by_one_give_what_the_whole_gives(tmp_path: Path) -> None:
    config, nobody = write_config(tmp_path), Observer()
    whole = run_tournament(config, Settings(out=tmp_path / "whole", backend=LOCAL, workers=1))
    settings = Settings(out=tmp_path / "steps", backend=LOCAL, workers=1)
    planned = plan(read_config(config), settings)
    with opened(planned.folder, settings, nobody) as journal:
        planned = resumed(planned, journal)
        played = play(planned, planned.schedule(), journal, settings, nobody)
        assert (played.progress.done, played.is_interrupted) == (60, False) and journal.count() == 60
        assert not (planned.folder / MANIFEST_FILE).exists()
        rows = write_rows(planned, played, journal, nobody)
        ratings, whole_plan = planned.tournament.ratings, played.schedule.plan
        pools = rated_rows(planned.folder, whole_plan, ratings, without=(), with_luck=False)
        decided = decide(pools, ratings, weights_of(whole_plan, ratings), whole_plan.sha256)
        results = write(planned, played, rows, decided, journal)
    assert results.ratings == decided.ratings == whole.ratings
    assert results.manifest.results_sha256 == whole.manifest.results_sha256
    assert results.manifest.order_shifts == whole.manifest.order_shifts


def test_what_is_played_by_two_calls_is_what_one_call_plays(tmp_path: Path) -> None:
    settings = Settings(out=tmp_path / "out", backend=LOCAL, workers=1)

    def played(observer: Observer) -> tuple[Played, int]:
        planned = plan(read_config(write_config(tmp_path)), settings)
        with opened(planned.folder, settings, observer) as journal:
            planned = resumed(planned, journal)
            return play(planned, planned.schedule(), journal, settings, observer), journal.count()

    first, stored = played(Stops(after=7))
    assert first.is_interrupted and 7 <= stored < 60
    second, stored = played(Observer())
    assert (second.is_interrupted, second.progress.played_now, stored) == (False, 60 - first.progress.done, 60)


def test_an_observer_ends_the_run_of_a_ladder_and_its_word_is_the_outcome(tmp_path: Path) -> None:
    class Ends(Observer):
        stored = 0

        def progress(self, progress: Progress) -> None:
            self.stored = progress.done

        def end_now(self) -> str | None:
            return "enough was seen" if self.stored >= 12 else None

    config = write_config(tmp_path, format="ladder", ladder={"sigma": 0.1, "separable": False, "matches": 240}, deals=2)
    results = run_tournament(config, Settings(out=tmp_path / "out", backend=LOCAL, workers=1), Ends())
    assert results.manifest.finished and results.manifest.outcome == "enough was seen"
    assert 12 <= results.manifest.played == results.manifest.matches < 240
    assert audit_results(results.folder, 1, lambda _: None).problems == []
