"""The ladder of a contest, played in this process: who enters when, what is decided, and that anybody can decide it again."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.agent.submissions import Submissions
from arena.audit.results_audit import audit_results
from arena.cli.main import main
from arena.errors import StoreError
from arena.records import MatchRecord
from arena.results.inbox import Inbox
from arena.results.journal import Journal
from arena.results.manifest import PUBLISHED_FILE, read_manifest, read_published
from arena.results.parquet import read_matches
from arena.server.contest import ladder as contest_ladder
from arena.server.contest.marks import BotMark, frozen_marks, marks_of
from arena.server.contest.messages import Said
from arena.server.contest.settings import read_contest
from arena.tournament.formats.ladder.state import StoredLadder, read_ladder
from arena.tournament.workers.worker import Worker
from helpers.contests import ScriptedServer, run_ladder, submit, write_contest

LONGER = {"sigma": 1.3, "separable": False}


@pytest.fixture(autouse=True)
def _here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Submitted bots count as trusted, versions are soon compared, the key is always the same: this is about decisions."""
    monkeypatch.setattr("arena.tournament.planning.new_key", lambda: bytes(range(32)))
    monkeypatch.setattr("arena.tournament.field.supervisor_for", lambda *_, **__: None)
    monkeypatch.setattr("arena.tournament.workers.worker.supervisor_for", lambda *_, **__: None)
    monkeypatch.setattr(contest_ladder, "LEAST_SECONDS", 0.0)
    monkeypatch.setattr("arena.tournament.formats.ladder.LONG_CHAIN_KEYS", 100)
    monkeypatch.setattr("os.nice", lambda _: 0)
    monkeypatch.setattr("arena.server.contest.settings.VERSION_DEALS", 8)
    monkeypatch.setattr("arena.server.contest.settings.MARK_DEALS", 4)


def book_of(folder: Path) -> StoredLadder:
    with Journal(folder, is_read_only=True) as journal:
        state = read_ladder(journal)
    assert state is not None
    return state


def problems(folder: Path) -> list[str]:
    return audit_results(folder, 1, lambda _: None).problems


def withdraw(results: Path, name: str) -> None:
    Submissions(results).withdraw(name)


class Cut(ScriptedServer):
    """Hangs up, or dies, when it was asked so often whether it is still there."""

    def __init__(self, after: int, *, is_killed: bool = False) -> None:
        self.left, self.is_killed = after, is_killed
        super().__init__()

    @property  # type: ignore[override]
    def is_over(self) -> bool:
        self.left -= 1
        if self.left <= 0 and self.is_killed:
            raise SystemExit
        return self.left <= 0

    @is_over.setter
    def is_over(self, value: bool) -> None:
        self.left = 0 if value else self.left


def test_a_version_that_sleeps_while_others_wait_is_left_out_until_its_next_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def note(worker: Worker, index: int, spent: object) -> None:
        for place in worker._plan.bots(index):
            if (worker._plan.contestants[place].name, worker._plan.contestants[place].version) == ("alice", 1):
                worker._slept[place] += 20.0

    monkeypatch.setattr(Worker, "_note_sleep", note)
    results = tmp_path / "out"
    server = run_ladder(
        write_contest(tmp_path), results, lambda: submit(results, "alice"), lambda: submit(results, "alice", -1)
    )
    told = [
        one.text for one in server.heard if isinstance(one, Said) and "alice@1 is left out: too slow to take part" in one.text
    ]
    assert len(told) == 1 and server.entered()[-1] == ("alice", 2)
    played = Counter(version for record in read_matches(results / "class") for version in players(record))
    assert played["alice", 2] > 2 * played["alice", 1] > 0 and not problems(results / "class")
    again = run_ladder(tmp_path / "class.yaml", results)
    assert ("alice", 2) in again.entered() and ("alice", 1) not in again.entered()


def sleeping(server: list[float], seconds: Mapping[tuple[str, int], float]) -> Callable[..., None]:
    """Versions that sleep for so long in each of their matches, each of which takes 10 s of the server's time."""

    def note(worker: Worker, index: int, spent: object) -> None:
        server[0] += 10.0
        for place in worker._plan.bots(index):
            version = (worker._plan.contestants[place].name, worker._plan.contestants[place].version)
            worker._slept[place] += seconds.get(version, 0.0)  # type: ignore[arg-type]

    return note


def test_what_an_owners_bots_sleep_counts_together_and_the_worst_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else each of many bots would sleep just below what one may."""
    results, now = tmp_path / "out", [1000.0]
    monkeypatch.setattr(contest_ladder, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(Inbox, "owners", lambda _: {"alice": "a", "amy": "a", "bob": "b"})
    monkeypatch.setattr(Worker, "_note_sleep", sleeping(now, {("alice", 1): 0.3, ("amy", 1): 3.0, ("bob", 1): 0.3}))
    for name in ("alice", "amy", "bob"):
        submit(results, name)
    run_ladder(write_contest(tmp_path, ladder=LONGER), results)
    assert Inbox(results).left_out() == {("amy", 1)}


def test_nobody_saves_up_sleep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ladder that has waited for a day still waits for no bot longer than a moment."""
    results, now = tmp_path / "out", [0.0]
    monkeypatch.setattr(contest_ladder, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(Worker, "_note_sleep", sleeping(now, {("alice", 1): 20.0}))

    def a_day_later() -> None:
        now[0] += 86400.0
        submit(results, "alice")

    run_ladder(write_contest(tmp_path), results, a_day_later)
    assert Inbox(results).left_out() == {("alice", 1)}


def players(record: MatchRecord) -> list[tuple[str, int]]:
    return [(seat.bot, seat.bot_version) for seat in record.seats]


def test_versions_enter_and_leave_and_anybody_can_decide_it_again(tmp_path: Path) -> None:
    results = tmp_path / "out"
    server = run_ladder(
        write_contest(tmp_path), results, lambda: submit(results, "alice"), lambda: submit(results, "alice", -1),
        lambda: withdraw(results, "alice"),
    )  # fmt: skip
    reference = [("random_bot", 1), ("naga_greedy", 1)]
    assert server.entered() == [*sorted(reference), ("alice", 1), ("alice", 2)]
    assert sorted(server.rated()) == sorted(server.entered())
    assert server.states()[0] == "starting" and server.states()[-1] == "waiting"
    folder = results / "class"
    assert problems(folder) == [] and read_manifest(folder).finished
    state = book_of(folder)
    names = [[(state.contestants[place].name, state.contestants[place].version) for place in leg.field] for leg in state.legs]
    fields = [sorted(field) for number, field in enumerate(names) if number == 0 or field != names[number - 1]]
    assert fields[:3] == [
        sorted(reference),
        sorted([*reference, ("alice", 1)]),
        sorted([*reference, ("alice", 1), ("alice", 2)]),
    ]
    leg = next(leg for leg in state.legs if len(leg.field) == 4)
    _, table = state.stages[leg.first_stage].tables[0]
    assert {(state.contestants[bot].name, state.contestants[bot].version) for bot in table} == {("alice", 1), ("alice", 2)}


def test_a_ladder_waits_for_bots_that_can_meet(tmp_path: Path) -> None:
    results = tmp_path / "out"
    games = [{"game": "naga", "seats": 2}, {"game": "yaniv", "seats": 2}]
    reference = [{"path": "house:naga_greedy", "trusted": True}, {"path": "house:yaniv_greedy", "trusted": True}]
    contest = write_contest(tmp_path, games=games, reference_bots=reference, marks={"naga_greedy": 4}, deals=1)
    alone = run_ladder(contest, results)
    assert alone.states()[-1] == "waiting" and alone.rated() == [] and problems(results / "class") == []
    assert [one.mark for one in marks_of(read_contest(contest), results / "class").bots] == [None, None]
    met = run_ladder(contest, results, lambda: submit(results, "alice"))
    assert len(met.rated()) == 3 and problems(results / "class") == []
    nobody = run_ladder(write_contest(tmp_path, name="empty", reference_bots=[], marks={}), tmp_path / "none")
    assert set(nobody.states()) == {"starting", "waiting"}


def test_who_goes_back_to_older_files_has_a_new_version(tmp_path: Path) -> None:
    """Else the version between would stay the newest one."""
    results = tmp_path / "out"
    submit(results, "alice", 0)
    steps = [lambda: submit(results, "alice", -1), lambda: submit(results, "alice", 0)]
    server = run_ladder(write_contest(tmp_path), results, *steps)
    assert [version for bot, version in server.rated() if bot == "alice"] == [1, 2, 3]
    state = book_of(results / "class")
    versions = {state.contestants[place].version for place in state.legs[-1].field if state.contestants[place].name == "alice"}
    assert versions == {2, 3} and problems(results / "class") == []


@pytest.mark.parametrize("is_killed", [False, True])
def test_what_is_cut_off_goes_on_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, is_killed: bool) -> None:
    """A server that hangs up has all published; one that dies leaves the journal. Either way no match is lost or doubled."""
    monkeypatch.setattr("arena.tournament.workers.driver.CHUNK_MATCHES", 1)
    results = tmp_path / "out"
    contest, folder = write_contest(tmp_path, ladder=LONGER), results / "class"
    before: list[str] = []
    for after in (20, 15, 25):
        server = Cut(after, is_killed=is_killed)
        try:
            run_ladder(contest, results, server=server)
        except SystemExit:
            assert is_killed
        with Journal(folder, is_read_only=True) as journal:
            ids = [record.match_id for record in journal.records()]
        assert set(before) < set(ids) and len(set(ids)) == len(ids)
        before = ids
        if not is_killed:
            assert problems(folder) == [] and [record.match_id for record in read_matches(folder)] == ids
    if not is_killed:
        assert any(leg.closed for leg in book_of(folder).legs)
    run_ladder(contest, results)
    assert problems(folder) == [] and set(before) <= {record.match_id for record in read_matches(folder)}


def test_a_published_key_is_of_no_later_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the ladder goes on, its board is the one that was published, and its key another one."""
    monkeypatch.setattr("arena.tournament.workers.driver.CHUNK_MATCHES", 1)
    results = tmp_path / "out"
    contest, folder = write_contest(tmp_path, ladder=LONGER), results / "class"
    run_ladder(contest, results, server=Cut(20))
    first = read_manifest(folder)
    assert first.key is not None and (folder / PUBLISHED_FILE).exists()
    with pytest.raises(SystemExit):
        run_ladder(contest, results, server=Cut(20, is_killed=True))
    assert not read_manifest(folder).finished and read_published(folder) == first  # as while it goes on
    assert problems(folder) == []
    with Journal(folder, is_read_only=True) as journal:
        key = journal.meta("key")
    assert key is not None and key.hex() != first.key
    assert main(["verify-results", "class", "--out", str(results)]) == 0
    assert main(["leaderboard", "class", "--out", str(results)]) == 0
    assert main(["rerate", "class", "--out", str(results)]) == 0


def test_two_bots_of_one_owner_never_share_a_table_of_three(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = tmp_path / "out"
    reference = [{"path": "house:random_bot", "trusted": True}, {"path": "house:yaniv_greedy", "trusted": True}]
    games = [{"game": "yaniv", "seats": 3, "options": {"max_rounds": 1}}]
    contest = write_contest(tmp_path, games=games, reference_bots=reference, marks={}, deals=1)
    monkeypatch.setattr(Inbox, "owners", lambda _: {"ann": "a", "amy": "a", "bob": "b"})
    for name, place in (("ann", 0), ("amy", -1), ("bob", 0)):
        submit(results, name, place)
    run_ladder(contest, results, lambda: submit(results, "bob", -1))
    state = book_of(results / "class")
    names = [state.contestants[place].name for place in range(len(state.contestants))]
    tables = [{names[bot] for bot in table} for stage in state.stages for _, table in stage.tables]
    assert len(tables) > 4 and not any({"ann", "amy"} <= table for table in tables)
    leg = next(leg for leg in state.legs if len(leg.field) == 6)
    (_, newer), (_, older) = state.stages[leg.first_stage].tables[:2]
    differing = [(one, other) for one, other in zip(newer, older) if one != other]
    assert len(differing) == 1  # the same rivals in the same seats, on the same deals as the stage is the same
    assert {(names[bot], state.contestants[bot].version) for bot in differing[0]} == {("bob", 1), ("bob", 2)}
    assert problems(results / "class") == []


def test_games_get_matches_by_their_weights(tmp_path: Path) -> None:
    games = [
        {"game": "naga", "seats": 2, "weight": 3},
        {"game": "naga", "seats": 2, "options": {"series": "first_to:2"}, "label": "long"},
    ]
    results = tmp_path / "out"
    reference = [{"path": "house:random_bot", "name": f"random_{number}", "trusted": True} for number in range(12)]
    contest = write_contest(
        tmp_path, games=games, reference_bots=reference, marks={}, ladder={"sigma": 2.2, "separable": False}
    )
    run_ladder(contest, results)
    state = book_of(results / "class")
    first = Counter(place for stage in state.stages[: len(state.stages) // 2] for place, _ in stage.tables)
    assert first[0] > 1.8 * first[1] > 0
    assert problems(results / "class") == []


def test_frozen_marks_stay_and_can_be_computed_again(tmp_path: Path) -> None:
    results = tmp_path / "out"
    path, folder = write_contest(tmp_path), results / "class"
    server = ScriptedServer([])

    def freeze() -> None:
        server.is_freezing = True

    server._steps = iter([freeze, lambda: None, lambda: submit(results, "alice")])
    submit(results, "bob")
    run_ladder(path, results, server=server)
    frozen = frozen_marks(folder)
    assert frozen is not None and frozen.is_frozen and [one.bot for one in frozen.bots if not one.is_reference] == ["bob"]
    contest = read_contest(path)
    now_ = marks_of(contest, folder)
    assert now_.matches > frozen.matches and "alice" in [one.bot for one in now_.bots]
    again = marks_of(contest, folder, is_frozen=True, before=frozen.before)
    assert (again.matches, again.sha256, again.before) == (frozen.matches, frozen.sha256, frozen.before)
    rated = {(one.bot, pool.pool): pool.mu for one in frozen.bots for pool in one.pools}
    assert rated == pytest.approx(
        {(one.bot, pool.pool): pool.mu for one in again.bots if one.bot != "alice" for pool in one.pools}, abs=1e-9
    )
    assert problems(folder) == []


def test_a_moment_that_has_passed_while_the_server_was_closed_freezes_what_was_there(tmp_path: Path) -> None:
    results = tmp_path / "out"
    run_ladder(write_contest(tmp_path, ladder=LONGER), results, server=Cut(10))
    stored = read_manifest(results / "class").played
    run_ladder(write_contest(tmp_path, freeze="2020-01-01T00:00+00:00", ladder=LONGER), results)
    frozen = frozen_marks(results / "class")
    assert frozen is not None and frozen.matches == stored
    assert read_manifest(results / "class").played > stored and problems(results / "class") == []


def test_marks_are_reached_by_who_is_surely_above(tmp_path: Path) -> None:
    results = tmp_path / "out"
    run_ladder(write_contest(tmp_path, ladder={"sigma": 1.2, "separable": False}), results)
    marks = {one.bot: one for one in marks_of(read_contest(tmp_path / "class.yaml"), results / "class").bots}
    assert marks["naga_greedy"].mark == 3 and marks["naga_greedy"].against == {"random_bot": "above"}
    assert marks["random_bot"].mark is None and marks["random_bot"].against == {"naga_greedy": "below"}


def test_bots_of_one_owner_cannot_feed_each_other_marks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = tmp_path / "out"
    monkeypatch.setattr(Inbox, "owners", lambda _: {"first": "a", "last": "a", "other": "b"})
    monkeypatch.setattr("arena.server.contest.settings.VERSION_DEALS", 8)
    monkeypatch.setattr("arena.server.contest.settings.MARK_DEALS", 4)
    for name, place in (("first", 0), ("last", -1), ("other", 0)):
        submit(results, name, place)
    contest = write_contest(tmp_path, ladder={"sigma": 2.2, "separable": False})
    run_ladder(contest, results, lambda: submit(results, "first", -1))
    with Journal(results / "class", is_read_only=True) as journal:
        played = [[(seat.bot, seat.bot_version) for seat in outcome.seats] for outcome in journal.outcomes(0, 1 << 40)]
    marks = {(one.bot, one.version): one for one in marks_of(read_contest(contest), results / "class").bots}
    for bot in (("first", 2), ("other", 1)):
        own = [bots for bots in played if bot in bots and {name for name, _ in bots} <= {"first", "last"}]
        assert bool(own) == (bot[0] == "first")
        assert marks[bot].pools[0].matches == sum(bot in bots for bots in played) - len(own)


@pytest.mark.parametrize("owners", [{}, {"first": "a", "last": "a", "middle": "a"}])
def test_who_is_to_have_a_mark_plays_enough_whatever_the_intervals_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, owners: dict[str, str]
) -> None:
    """Stopping as soon as an interval looks clear would find differences between equal bots.

    What an owner's bots play among themselves does not count for marks, so it is not enough.
    """
    monkeypatch.setattr(Inbox, "owners", lambda _: owners)
    marks = marks_of_three(tmp_path, monkeypatch, sigma=8.0)
    assert len(marks) == 3 and all(one.pools[0].matches >= 2 * 32 for one in marks)
    assert problems(tmp_path / "out" / "class") == []


def test_a_mark_is_decided_where_the_reference_bots_have_played_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    marks = marks_of_three(tmp_path, monkeypatch, sigma=2.5)
    assert all(one.against["naga_greedy"] == "below" for one in marks)


def marks_of_three(folder: Path, monkeypatch: pytest.MonkeyPatch, sigma: float) -> list[BotMark]:
    """The marks of three bots, who need 32 deals of their own, in a ladder that is settled at a sigma."""
    monkeypatch.setattr("arena.server.contest.settings.MARK_DEALS", 32)
    results = folder / "out"
    for name, place in (("first", 0), ("last", -1), ("middle", 0)):
        submit(results, name, place)
    run_ladder(write_contest(folder, ladder={"sigma": sigma, "separable": False}), results)
    return [one for one in marks_of(read_contest(folder / "class.yaml"), results / "class").bots if not one.is_reference]


def test_a_ladder_of_a_config_has_no_word_of_contests(tmp_path: Path) -> None:
    """So plans of before, and their hashes, stay what they were."""
    from helpers.tournaments import run

    results = run(tmp_path, format="ladder", ladder={"sigma": 5.0, "separable": False, "matches": 40})
    (leg,) = results.manifest.config["format"]["legs"]
    assert set(leg) == {"first_stage", "field", "sigma", "separable", "matches", "skipped", "model"}
    assert set(results.manifest.config["format"]) == {"name", "legs", "stages"}
    with Journal(results.folder, is_read_only=True) as journal:
        stored: dict[str, Any] = json.loads(journal.meta("ladder") or b"")
    assert set(stored) == {"contestants", "legs", "stages", "last_key", "has_ended"}


def test_other_games_need_a_contest_of_another_name(tmp_path: Path) -> None:
    run_ladder(write_contest(tmp_path), tmp_path / "out")
    other = write_contest(tmp_path, games=[{"game": "naga", "seats": 2}, {"game": "yaniv", "seats": 2}])
    with pytest.raises(StoreError, match=r"differ in games\); .* give the contest another `name`") as refused:
        run_ladder(other, tmp_path / "out")
    assert "--fresh" not in str(refused.value)
    run_ladder(write_contest(tmp_path), tmp_path / "out")  # what was there is as it was
