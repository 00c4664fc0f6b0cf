"""Tournaments end to end: same plan, same result; nothing lost; every mistake one clear message."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import main
from arena.cli.shared.exit_codes import OPEN
from arena.cli.shared.running import progress_text
from arena.engine import jit
from arena.errors import ArenaError, StoreError
from arena.match import Fault, Starved
from arena.match.faults import SUBSTITUTE
from arena.match.in_process import InProcessSeat
from arena.match.sandbox import NONE
from arena.ratings.order import history
from arena.ratings.standings import rate
from arena.ratings.stored import COLUMNS, stored_field, stored_pools, stored_settings
from arena.records import Ending
from arena.results import parquet
from arena.results.journal import Journal
from arena.results.lock import FolderLock
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, RAY, Interrupted, Observer, Progress, Results, Settings, read_results
from arena.tournament.workers import driver
from arena.tournament.workers.processes import children_deaf_to_ctrl_c
from helpers.in_process_backend import in_processes
from helpers.paths import BAD_BOTS
from helpers.tournaments import GOOD_BOTS, arena, ended, journalled, run, write_config

PAIR = ["counting_bot", "set_bot"]


def wait_until(condition: Callable[[], bool], process: "subprocess.Popen[str]") -> None:
    """Until something has happened; fails if the process ends before."""
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.01)


def children_of(pid: int) -> set[int]:
    from arena.tournament.workers.ray.watchdog import descendants

    return descendants({pid})


def alive(pids: set[int]) -> set[int]:
    living = set()
    for pid in pids:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        living |= {pid} if state != "Z" else set()
    return living


def left_of(pids: set[int]) -> set[int]:
    """Those that still live after 5 seconds."""
    deadline = time.monotonic() + 5
    while alive(pids) and time.monotonic() < deadline:
        time.sleep(0.02)
    return alive(pids)


@pytest.fixture(scope="module")
def calm(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The results of an undisturbed run on one worker."""
    with in_processes():
        return run(tmp_path_factory.mktemp("calm"))


@pytest.fixture(scope="module")
def calm_here(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """The same without a worker process: the order of strings in sets may be another one here, and a bot goes by it."""
    return run(tmp_path_factory.mktemp("calm"))


def test_the_stored_rows_give_ratings_and_history_again(tmp_path: Path) -> None:
    results = run(
        tmp_path,
        games=[
            {"game": "naga", "seats": 2},
            {"game": "naga", "seats": 2, "options": {"series": "first_to:2"}, "deals": 3, "label": "long"},
        ],
        deals=2,
    )
    settings = stored_settings(results.manifest, results.folder)
    pools = stored_pools(parquet.read_columns(results.folder, COLUMNS), stored_field(results.manifest))
    assert rate(pools, settings) == results.ratings == parquet.read_ratings(results.folder)
    assert history(pools, settings) == parquet.read_history(results.folder)


def test_every_match_is_there_once_in_plan_order(calm: Results) -> None:
    records = list(calm.records())
    assert [record.index for record in records] == list(range(3 * 2 * 10))
    assert calm.manifest.finished and calm.manifest.played == calm.manifest.matches == 60
    assert calm.manifest.endings == {"played": 120}


@pytest.mark.processes
def test_the_number_of_workers_changes_nothing(calm: Results, tmp_path: Path) -> None:
    two = run(tmp_path, workers=2)
    assert two.manifest.results_sha256 == calm.manifest.results_sha256
    assert two.manifest.reproducible_sha256 == calm.manifest.reproducible_sha256
    assert two.ratings == calm.ratings


@pytest.mark.slow
@pytest.mark.processes
def test_neither_ray_nor_locking_the_bots_in_changes_anything(calm: Results, tmp_path: Path) -> None:
    """Nor a checkout of another version in the current folder: workers run the code of the driver."""
    fake = tmp_path / "arena" / "__init__.py"
    fake.parent.mkdir()
    fake.write_text("raise RuntimeError('the wrong arena')")
    config = write_config(tmp_path)
    config.write_text(config.read_text().replace("trusted: true", "trusted: false"))
    process = arena("tournament", config, "--out", tmp_path / "out", "--backend", RAY, "--workers", 2, cwd=tmp_path)
    code, out, err = ended(process)
    assert code == 0 and "wrong arena" not in out + err, err
    results = read_results(tmp_path / "out" / "small")
    assert results.manifest.results_sha256 == calm.manifest.results_sha256
    assert "raylet" not in err and "WARNING" not in err and "set_bot" in out
    assert NONE not in {seat.isolation for record in results.records() for seat in record.seats}


def test_an_interrupted_run_goes_on_where_it_stopped(calm_here: Results, tmp_path: Path) -> None:
    class Impatient(Observer):
        def progress(self, progress: Progress) -> None:
            if 5 < progress.done < 40:
                raise KeyboardInterrupt

    config, settings = write_config(tmp_path), Settings(out=tmp_path / "out", backend=LOCAL, workers=1)
    with pytest.raises(Interrupted, match=r"of 60 matches are kept\. The same command goes on\."):
        run_tournament(config, settings, Impatient())
    partial = read_results(tmp_path / "out" / "small")
    assert not partial.manifest.finished and 5 < partial.manifest.played < 60 and partial.manifest.key is None
    results = run_tournament(config, settings)
    assert results.manifest.results_sha256 == calm_here.manifest.results_sha256
    assert results.manifest.finished and results.manifest.key is not None


def test_who_stops_a_run_does_not_wait_for_the_compiler(
    calm_here: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Impatient(Observer):
        def progress(self, progress: Progress) -> None:
            monkeypatch.setattr(jit, "is_warm", lambda game, part="": game != jit.RATINGS)
            raise KeyboardInterrupt

    config, settings = write_config(tmp_path), Settings(out=tmp_path / "out", backend=LOCAL, workers=1)
    with pytest.raises(
        Interrupted, match=r"The same command goes on\. \(No board was written: the ratings are not compiled yet\.\)"
    ):
        run_tournament(config, settings, Impatient())
    assert not (tmp_path / "out" / "small" / "ratings.parquet").exists()
    monkeypatch.undo()
    assert run_tournament(config, settings).manifest.results_sha256 == calm_here.manifest.results_sha256


@pytest.mark.processes
def test_kill_9_of_the_driver_loses_nothing_that_was_finished(calm: Results, tmp_path: Path) -> None:
    config, folder = write_config(tmp_path), tmp_path / "out" / "small"
    process = arena("tournament", config, "--out", tmp_path / "out", "--backend", LOCAL, "--workers", 1)
    wait_until(lambda: journalled(folder) > 3, process)
    family = children_of(process.pid)
    process.kill()
    ended(process)
    kept = journalled(folder)
    assert kept > 3
    results = run_tournament(config, Settings(out=tmp_path / "out", backend=LOCAL, workers=1))
    assert results.manifest.results_sha256 == calm.manifest.results_sha256
    assert not left_of(family)


@pytest.mark.processes
@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGHUP, signal.SIGHUP]], ids=["Ctrl-C", "closed terminal"])
def test_a_run_that_is_stopped_leaves_a_clean_state_and_says_how_to_go_on(
    signals: list[int], calm: Results, tmp_path: Path
) -> None:
    """Where a terminal is closed, both it and its shell send the signal."""
    config, folder = write_config(tmp_path), tmp_path / "out" / "small"
    words = ["tournament", config, "--out", tmp_path / "out", "--backend", LOCAL, "--workers", 1]
    process = arena(*words, start_new_session=True)
    wait_until(lambda: journalled(folder) > 3, process)
    family = children_of(process.pid)
    for number in signals:
        os.killpg(process.pid, number)
    code, _, err = ended(process)
    if code != 0:  # else it was over already
        assert code == 130 and "The same command goes on. Board so far" in err and "Traceback" not in err
    assert not left_of(family)
    results = run_tournament(config, Settings(out=tmp_path / "out", backend=LOCAL, workers=1))
    assert results.manifest.results_sha256 == calm.manifest.results_sha256


INTERRUPTED_EARLY = """
import os, signal, sys
os.kill(os.getpid(), int(sys.argv[1]))  # as a terminal does, while a worker still imports
from arena.tournament.workers.processes import ignore_ctrl_c
ignore_ctrl_c()
os.kill(os.getpid(), int(sys.argv[1]))
print("nothing heard", signal.pthread_sigmask(signal.SIG_BLOCK, []))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_workers_that_start_do_not_hear_what_stops_a_run(number: int) -> None:
    """They would print a traceback into the last words of the driver, which ends them."""
    for is_deaf in (False, True):
        with children_deaf_to_ctrl_c() if is_deaf else contextlib.nullcontext():
            command = [sys.executable, "-c", INTERRUPTED_EARLY, str(int(number))]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert ("nothing heard set()" in done.stdout) == is_deaf == (done.returncode == 0)
        assert not is_deaf or not done.stderr


def test_a_second_run_of_a_finished_tournament_plays_nothing(calm: Results) -> None:
    config = write_config(calm.folder.parent.parent)
    again = run_tournament(config, Settings(out=calm.folder.parent, backend=LOCAL))
    assert again.manifest.results_sha256 == calm.manifest.results_sha256 and again.tally.worker_cpu == 0


def test_a_locked_folder_is_refused(tmp_path: Path) -> None:
    with FolderLock(tmp_path / "out" / "small"), pytest.raises(StoreError, match=f"another run .process {os.getpid()}."):
        run(tmp_path)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"deals": 11}, "games"), ({"seed": 8}, "seed"), ({"bots": GOOD_BOTS[:2]}, "bots: folder_bot"),
        ({"rotations": "all"}, "rotations"),
    ],
)  # fmt: skip
def test_a_journal_of_another_plan_is_refused_and_kept(tmp_path: Path, changes: dict[str, Any], what: str) -> None:
    run(tmp_path, deals=1)
    before = (tmp_path / "out" / "small" / "matches.parquet").read_bytes()
    with pytest.raises(StoreError, match=f"another plan .it differs in {what}.*--fresh"):
        run(tmp_path, **{"deals": 1, **changes})
    assert (tmp_path / "out" / "small" / "matches.parquet").read_bytes() == before


def test_fresh_sets_the_old_results_aside(tmp_path: Path) -> None:
    run(tmp_path, deals=1)
    config = write_config(tmp_path, deals=2)
    run_tournament(config, Settings(out=tmp_path / "out", backend=LOCAL, workers=1, fresh=True))
    assert read_results(tmp_path / "out" / "small.1").manifest.played == 6
    assert read_results(tmp_path / "out" / "small").manifest.played == 12


def test_an_output_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file in the way")
    with pytest.raises(StoreError, match="cannot be written"):
        run(tmp_path)


def test_a_full_disk_loses_nothing(calm_here: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = Journal.__init__

    def small_disk(self: Journal, folder: Path) -> None:
        opened(self, folder)
        self._db.execute("pragma max_page_count = 15")  # SQLite's own way to run out of space

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "__init__", small_disk)
        with pytest.raises(StoreError, match=r"the disk is full.*nothing finished is lost"):
            run(tmp_path)
    kept = journalled(tmp_path / "out" / "small")
    assert 0 < kept < 60
    assert run(tmp_path).manifest.results_sha256 == calm_here.manifest.results_sha256


def test_damaged_rows_are_played_again_and_a_damaged_file_is_refused(calm_here: Results, tmp_path: Path) -> None:
    class Heard(Observer):
        def say(self, text: str) -> None:
            heard.append(text)

    heard: list[str] = []
    folder = shutil.copytree(calm_here.folder, tmp_path / "out" / "small")
    with Journal(folder) as journal:
        journal._db.execute("update matches set body = cast(x'00' || substr(body, 2) as blob) where place = 3")
    config, settings = write_config(tmp_path), Settings(out=tmp_path / "out", backend=LOCAL, workers=1)
    results = run_tournament(config, settings, Heard())
    assert results.manifest.results_sha256 == calm_here.manifest.results_sha256
    assert any("damaged rows were dropped, and their matches are played again: 1" in text for text in heard)
    for content, message in ((b"no database at all" * 1000, "not a database"), (b"", r"journal\.sqlite is missing or empty")):
        (folder / "journal.sqlite").write_bytes(content)
        with pytest.raises(StoreError, match=message):
            run_tournament(config, settings)


def test_a_bot_that_fails_forfeits_is_retired_and_the_field_goes_on(tmp_path: Path) -> None:
    results = run(tmp_path, bots=[*GOOD_BOTS[:2], BAD_BOTS / "illegal.py"], faults={"retire_after": 3})
    assert [bot.retired for bot in results.manifest.bots] == [False, False, True]
    records = list(results.records())
    with_rival = [record for record in records if {seat.bot for seat in record.seats} == {"counting_bot", "set_bot"}]
    assert len(with_rival) == 20 and 3 <= len(records) - 20 < 40
    assert results.manifest.matches == results.manifest.played == len(records)
    again = run(tmp_path / "again", bots=[*GOOD_BOTS[:2], BAD_BOTS / "illegal.py"], faults={"retire_after": 3}, workers=2)
    assert again.manifest.results_sha256 == results.manifest.results_sha256


@pytest.mark.processes
def test_a_match_that_kills_its_worker_is_void_and_the_rest_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "ATTEMPTS", 2)
    bots = [
        {"path": str(GOOD_BOTS[0]), "trusted": True}, {"path": str(GOOD_BOTS[1]), "trusted": True, "games": ["naga"]},
        {"path": str(BAD_BOTS / "dies.py"), "trusted": True, "games": ["yaniv"]},
    ]  # fmt: skip
    games = [{"game": "naga", "seats": 2}, {"game": "yaniv", "seats": 2}]
    results = run(tmp_path, bots=bots, games=games, deals=1)
    void = [record for record in results.records() if record.is_void]
    assert len(void) == 2 and all("dies" in {seat.bot for seat in record.seats} for record in void)
    assert all(record.attempts >= 2 and seat.place == 0 for record in void for seat in record.seats)
    assert results.manifest.void == 2 and results.manifest.endings[Ending.HOST.value] == 4
    rated = {rating.bot: rating.matches for rating in results.ratings if rating.pool == "naga"}
    assert rated["counting_bot"] == rated["set_bot"] == 2 and rated.get("dies", 0) == 0


def test_substitute_lets_a_bot_play_on(tmp_path: Path) -> None:
    faults = {"policy": SUBSTITUTE, "max_faults": 1000}
    results = run(tmp_path, bots=[GOOD_BOTS[0], BAD_BOTS / "raises.py"], deals=1, faults=faults)
    assert results.manifest.endings == {"played": 4}


@pytest.mark.parametrize(
    ("bot", "expected"),
    [
        ("import_error.py", "line 3: ModuleNotFoundError: No module named 'a_module_that_does_not_exist'"),
        ("no_agent.py", "one Agent class is needed, found none"),
        ("two_agents.py", "one Agent class is needed, found First, Second"),
    ],
)
def test_a_bot_that_cannot_play_is_refused_before_the_start(
    bot: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_config(tmp_path, bots=[*GOOD_BOTS, BAD_BOTS / bot])
    assert main(["tournament", str(config), "--out", str(tmp_path / "out"), "--backend", LOCAL]) == 2
    error = capsys.readouterr().err
    assert bot in error and expected in error and "Traceback" not in error
    assert not (tmp_path / "out").exists()


def test_too_few_bots_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"games\[0\]: naga with 2 seats needs as many bots that play it, there are 1"):
        run(tmp_path, bots=GOOD_BOTS[:1])


def test_a_secret_key_is_published_only_at_the_end(tmp_path: Path) -> None:
    import hashlib

    results = run(tmp_path, seed=None, deals=1)
    assert results.manifest.key is not None
    assert hashlib.sha256(bytes.fromhex(results.manifest.key)).hexdigest() == results.manifest.commitment
    other = run(tmp_path / "other", seed=None, deals=1)
    assert other.manifest.commitment != results.manifest.commitment


def test_every_stored_match_can_be_replayed(calm: Results, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    record = next(iter(calm.records()))
    out = str(calm.folder.parent)
    assert main(["replay", record.match_id, "--out", out]) == 0
    text = capsys.readouterr().out
    assert all(seat.bot in text for seat in record.seats) and "place 1" in text
    assert main(["replay", record.match_id, "--out", out, "--seat", "1"]) == 0
    assert "seat 0: 5 cards" in capsys.readouterr().out
    assert main(["replay", record.match_id, "--out", out, "--trace"]) == 0
    trace = tmp_path / "trace.jsonl"
    trace.write_text(capsys.readouterr().out)
    assert main(["verify", str(trace)]) == 0
    assert main(["replay", "0" * 24, "--out", out]) == 2
    assert "not found" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"workers": 0}, "--workers: at least 1, not 0"),
        ({"workers": 10**30}, "--workers: at most 10,000, not 1000000"),
        ({"address": "localhost:6379"}, "--address: of a Ray cluster; `--backend local` uses none"),
        ({"backend": "spark"}, "--backend: ray or local, not 'spark'"),
        ({"name": "../evil"}, "--name: a name is 1 to 40"),
    ],
)
def test_a_wrong_setting_is_refused_before_anything_is_written(settings: dict[str, Any], expected: str, tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=expected):
        run_tournament(write_config(tmp_path), Settings(**{"out": tmp_path / "out", "backend": LOCAL, **settings}))
    assert not (tmp_path / "out").exists()


def test_a_plan_that_was_never_begun_binds_nobody(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="matches are too many"):
        run(tmp_path, deals=10**9)
    assert run(tmp_path, deals=1).manifest.played == 6


def test_bots_that_print_and_shadow_modules_do_no_harm(tmp_path: Path) -> None:
    loud = tmp_path / "random.py"  # the name of a module of the standard library
    loud.write_text(
        "import sys\nfrom arena.agent import Agent\n\nclass Loud(Agent):\n    def act(self, view):\n"
        "        print('x' * 1000)\n        sys.stdout.write('y')\n        sys.stderr.write('z')\n        sys.stdout.flush()\n"
        "        return view.legal[0]\n"
    )
    config = write_config(tmp_path, bots=[*GOOD_BOTS[:2], loud], deals=1)
    words = ["tournament", config, "--out", tmp_path / "out", "--backend", LOCAL, "--workers", 1]
    code, out, err = ended(arena(*words, cwd=tmp_path))
    assert code == 0 and "xxx" not in out + err and "zz" not in err
    assert read_results(tmp_path / "out" / "small").manifest.endings == {"played": 12}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["tournament", "none.yaml"], "none.yaml: cannot be read"),
        (["plan"], "Missing argument"),
        (["tournament", "x.yaml", "--workers", "many"], "'--workers'"),
        (["turnament"], "turnament"),
        (["replay", "xyz"], "24 hex digits"),
        (["trace", "naag"], 'did you mean "naga"?'),
        (["match", "naga", "nobody.py", "nobody.py"], "nobody.py"),
        (["play", "naga", "--against", "nobody.py"], "nobody.py"),
    ],
)
def test_a_wrong_command_line_is_one_message(arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    error = capsys.readouterr().err
    assert expected in error and "Traceback" not in error


@pytest.mark.processes
def test_a_run_in_which_all_is_void_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(driver, "ATTEMPTS", 1)
    config = write_config(tmp_path, [GOOD_BOTS[0], BAD_BOTS / "dies.py"], deals=1)
    assert main(["tournament", str(config), "--backend", "local", "--workers", "1", "--out", str(tmp_path / "out")]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert "nothing was played: all 2 matches are void; the first, because: " in said and "a worker process died" in said


def test_what_a_machine_refused_in_all_matches_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr("arena.tournament.workers.worker.play", refuse)
    config = write_config(tmp_path, GOOD_BOTS[:2], deals=1)
    assert main(["tournament", str(config), "--backend", "local", "--workers", "1", "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert "Resource temporarily unavailable" in said and "Traceback" not in said


@pytest.mark.parametrize("asked", [{"candidates": PAIR}, {"chain": [{"bot": bot} for bot in PAIR]}])
def test_a_comparison_in_which_all_is_void_is_open(
    asked: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    short_of_cpu = Fault(Ending.HOST, "its cores were taken", starved=Starved(10.0))
    monkeypatch.setattr(InProcessSeat, "answer", lambda _seat: short_of_cpu)
    config = write_config(tmp_path, GOOD_BOTS[:2], deals=1, format="compare", **asked)
    assert main(["compare", str(config), "--backend", "local", "--workers", "1", "--out", str(tmp_path / "out")]) == OPEN
    said = capsys.readouterr()
    assert "nothing was played: all 2 matches are void" in " ".join(said.err.split())
    assert "chain" in asked or "0 deals: open" in said.out


def test_the_luck_that_is_worked_out_at_the_end_is_progress_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []

    class Listener(Observer):
        def progress(self, progress: Progress) -> None:
            if progress.weighed:
                said.append(progress_text(progress))

    monkeypatch.setattr("arena.tournament.archive.luck.TOLD", 2)
    config = write_config(tmp_path, deals=1, ratings={"luck": True})
    run_tournament(config, Settings(out=tmp_path / "out", backend=LOCAL, workers=1), Listener())
    played = read_results(tmp_path / "out" / "small").manifest.played
    assert len(said) == played // 2 and said[-1].startswith(f"all is played; luck: {played // 2 * 2} of {played} matches, ")
