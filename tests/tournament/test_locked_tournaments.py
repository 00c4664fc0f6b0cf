"""Whole tournaments of untrusted bots: rows as of trusted ones, exact blame, no way to the deals, machines without locks."""

import errno
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena import games
from arena.agent import read_bot
from arena.cli.main import main
from arena.errors import ConfigError
from arena.games.naga.state import CARDS
from arena.match.probe import Profile, probe_locked
from arena.match.sandbox import LOCKED, NAMESPACE, NONE, PROCESS, LockError, Supervisor
from arena.match.seeds import deal_seed
from arena.records import Ending, MatchRecord, canonical_json
from arena.results.journal import Journal
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Observer, Results, Settings, read_results
from helpers.locked_matches import LIMITS, RIVAL
from helpers.paths import TEST_BOTS, TESTS
from helpers.processes import waiting_seats, zygotes

UNTRUSTED = [str(RIVAL), str(TEST_BOTS / "set_bot.py")]


def write_config(folder: Path, bots: list[Any], **changes: Any) -> Path:
    path = folder / "locked.yaml"
    config = {"name": "locked", "seed": 7, "games": [{"game": "naga", "seats": 2}], "bots": bots, "deals": 4, **changes}
    path.write_text(yaml.safe_dump({key: value for key, value in config.items() if value is not None}))
    return path


class Listening(Observer):
    """Keeps what a tournament says."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(self, text: str) -> None:
        self.said.append(text)


def run(folder: Path, bots: list[Any], listener: Listening | None = None, **changes: Any) -> Results:
    name = changes.get("name", "locked")
    config = write_config(folder, bots, **changes)
    return run_tournament(config, Settings(out=folder / "out", backend=LOCAL, workers=1, name=name), listener)


@pytest.mark.processes
def test_a_tournament_of_untrusted_bots_has_the_rows_of_a_trusted_one(tmp_path: Path) -> None:
    before, listener = zygotes(os.getpid()), Listening()
    open_ = run(tmp_path, [{"path": bot, "trusted": True} for bot in UNTRUSTED])
    locked = run(tmp_path, UNTRUSTED, listener, name="other")
    assert [record.actions for record in locked.records()] == [record.actions for record in open_.records()]
    assert {seat.isolation for record in open_.records() for seat in record.seats} == {NONE}
    (level,) = {seat.isolation for record in locked.records() for seat in record.seats}
    assert level in (LOCKED, NAMESPACE)
    assert any(f"isolation of bots that are not trusted: {level}" in text for text in listener.said)
    assert not zygotes(os.getpid()) - before


@contextmanager
def killing(is_to_be_killed: Callable[[int], bool]) -> Iterator[list[int]]:
    """Meanwhile, kill waiting seats from outside, as the kernel does when memory is short: those whose number says so."""
    seen: list[int] = []
    over = threading.Event()

    def kill() -> None:
        while not over.wait(0.02):
            for pid in waiting_seats(os.getpid()) - set(seen):
                seen.append(pid)
                os.kill(pid, signal.SIGKILL if is_to_be_killed(len(seen)) else signal.SIGUSR1)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


@pytest.mark.usefixtures("one_zygote")
def test_a_seat_killed_from_outside_is_a_host_fault_twice_and_its_bots_the_third_time(tmp_path: Path) -> None:
    """Two matches, one after the other: three kills in the first, one in the second; its second attempt is let be."""
    clock = {"move": "600s", "bank": "1s", "start": "10s"}
    with killing(lambda number: number != 5) as seen:
        results = run(tmp_path, [str(RIVAL), str(TEST_BOTS / "waiting_bot.py")], deals=1, clock=clock)
    out_of_memory, played_again = stored(results)
    assert len(seen) == 5 and results.manifest.void == 0
    assert (out_of_memory.attempts, played_again.attempts) == (3, 2)
    killed, rival = by_bot(out_of_memory, "waiting_bot"), by_bot(out_of_memory, "counting_bot")
    assert (killed.ending, killed.place, killed.reproducible) == (Ending.MEMORY, 2, False)
    assert (rival.ending, rival.place, rival.reproducible) == (Ending.PLAYED, 1, True)
    assert "out of memory" in out_of_memory.notes[0] and not played_again.notes
    assert {seat.ending for seat in played_again.seats} == {Ending.PLAYED}
    assert not by_bot(played_again, "waiting_bot").reproducible and by_bot(played_again, "counting_bot").reproducible


def stored(results: Results) -> list[MatchRecord]:
    """With notes: those are in the journal alone."""
    with Journal(results.folder) as journal:
        return list(journal.records())


def by_bot(record: MatchRecord, bot: str) -> Any:
    return next(seat for seat in record.seats if seat.bot == bot)


@pytest.mark.usefixtures("one_zygote")
@pytest.mark.parametrize("seed", [7, None])
def test_only_with_a_public_seed_can_a_locked_bot_find_the_deal_and_then_the_run_warns(
    seed: int | None, tmp_path: Path
) -> None:
    """The seeker has the engine, the config file and its own cards."""
    bots: list[Any] = [str(RIVAL), {"path": str(TEST_BOTS / "seeking_bot.py")}]
    known = write_config(tmp_path, bots, seed=seed, deals=1).read_text()
    bots[1]["params"] = {"config": known}
    listener = Listening()
    results = run(tmp_path, bots, listener, seed=seed, deals=1)
    warned = any("a bot that is not trusted can predict the deals" in text for text in listener.said)
    for record in stored(results):
        (note,) = record.notes
        if seed is None:
            assert "not found by many keys" in note and not warned
        else:
            rival_seat = next(place for place, seat in enumerate(record.seats) if seat.bot == "counting_bot")
            assert f"found deal 0 by seed 7: the rival holds {hand(results, record, rival_seat)}" in note and warned


def hand(results: Results, record: MatchRecord, seat: int) -> str:
    """The cards dealt to a seat, from the key that is published at the end."""
    assert results.manifest.key is not None
    game = games.load("naga")
    options = game.resolve_options({}, 2)
    seed = deal_seed(bytes.fromhex(results.manifest.key), "naga", 2, canonical_json(options), record.deal)
    return " ".join(CARDS.listing(int(game.deal(2, options, seed)[0].hand[seat])))


def test_where_there_is_no_lock_at_all_untrusted_bots_are_refused_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = str(write_config(tmp_path, UNTRUSTED, deals=1))
    monkeypatch.setattr("arena.match.sandbox.supervisor.kernel.is_known", lambda: False)
    monkeypatch.setattr("arena.match.choose.can_have_processes", lambda: False)
    command = ["tournament", config, "--out", str(tmp_path / "out"), "--backend", LOCAL]
    assert main(command) == 2
    error = capsys.readouterr().err
    assert "counting_bot, set_bot: not trusted" in error and "--unsafe-trust-bots" in error and "arena doctor" in error
    assert not (tmp_path / "out").exists()


def on_kernel_without(call: str, error: int, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """`arena ...` where the kernel refuses a call."""
    return python_without(call, error, "-P", "-m", "arena", *arguments)


def python_without(call: str, error: int, *arguments: object) -> "subprocess.CompletedProcess[str]":
    lacking = [sys.executable, str(TESTS / "helpers" / "as_kernel.py"), call, errno.errorcode[error]]
    command = [*lacking, *map(str, arguments)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=120)


@pytest.mark.slow
def test_on_a_kernel_without_landlock_untrusted_bots_are_refused_unless_the_flag_says_otherwise(tmp_path: Path) -> None:
    command = ["tournament", write_config(tmp_path, UNTRUSTED, deals=1), "--out", tmp_path, "--backend", LOCAL, "--workers", 1]
    refused = on_kernel_without("landlock_create_ruleset", errno.ENOSYS, *command)
    assert refused.returncode == 2 and not (tmp_path / "locked").exists()
    assert "the kernel offers no Landlock" in refused.stderr and "--unsafe-trust-bots" in refused.stderr
    unsafe = on_kernel_without("landlock_create_ruleset", errno.ENOSYS, *command, "--unsafe-trust-bots")
    assert unsafe.returncode == 0, unsafe.stderr
    records = list(read_results(tmp_path / "locked").records())
    assert {seat.isolation for record in records for seat in record.seats} == {PROCESS}
    assert {seat.ending for record in records for seat in record.seats} == {Ending.PLAYED}


def test_where_namespaces_are_not_allowed_the_level_is_locked_and_the_doctor_says_why() -> None:
    doctor = on_kernel_without("unshare", errno.EPERM, "doctor")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    assert "isolation: locked (no namespaces: " in doctor.stdout and "Operation not permitted" in doctor.stdout
    assert "Landlock alone keeps the host's files" in " ".join(doctor.stdout.split())


def test_a_config_demands_the_full_lock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = str(write_config(tmp_path, UNTRUSTED, isolation=NAMESPACE))
    command = ["tournament", config, "--out", str(tmp_path / "out"), "--backend", LOCAL]
    both = "import json, sys\nfrom arena.cli.main import main\nfor words in json.loads(sys.argv[1]):\n    print(main(words))"
    weaker = python_without("unshare", errno.EPERM, "-c", both, json.dumps([command, ["plan", config]]))
    assert weaker.stdout.split() == ["2", "2"] and "Traceback" not in weaker.stderr
    assert weaker.stderr.count(f"isolation: the config demands {NAMESPACE} for") == 2
    assert weaker.stderr.count("no namespaces: ") == 2 and "`arena doctor` shows what it offers" in weaker.stderr
    assert main([*command, "--unsafe-trust-bots"]) == 2
    assert "--unsafe-trust-bots gives it up: leave one of them out" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_worker_takes_no_weaker_lock_than_the_config_demands() -> None:
    with (
        Supervisor((), level=LOCKED, least=NAMESPACE) as supervisor,
        pytest.raises(LockError, match="asked for no more than locked"),
    ):
        supervisor.spawn()


@pytest.mark.parametrize("level", ["none", "process", "full", 3])
def test_no_other_level_can_be_demanded(level: object, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="isolation: "):
        run_tournament(write_config(tmp_path, UNTRUSTED, isolation=level), Settings(out=tmp_path, backend=LOCAL))


def test_no_weaker_lock_than_asked_for_is_taken_without_the_flag(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="asked for no more than process"):
        run_tournament(write_config(tmp_path, UNTRUSTED), Settings(out=tmp_path, backend=LOCAL, isolation=PROCESS))


@pytest.mark.usefixtures("one_zygote")
def test_an_untrusted_bots_file_is_read_by_the_server_only_in_a_locked_child(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trap, sprung = tmp_path / "trap.py", Path("/tmp/arena-trap")
    trap.write_text(f"open({str(sprung)!r}, 'w').write('x')\n" + RIVAL.read_text())
    config = write_config(tmp_path, [str(RIVAL), str(trap)])
    assert main(["tournament", str(config), "--out", str(tmp_path / "out"), "--backend", LOCAL]) == 2
    error = capsys.readouterr().err
    assert "trap.py" in error and ("FileNotFoundError" in error or "PermissionError" in error or "OSError" in error)
    assert not sprung.exists()


LIES = {
    "another bot's answer": ("os.write(3, wire.frame(wire.Ready(0, False, ['yaniv'])) * 2)", "more than one reply"),
    "another message": ("os.write(3, wire.frame(wire.Locked(0))); os.read(3, 1)", "another message than that it is ready"),
    "no message": ("os.write(3, b'\\x05\\0\\0\\0xxxxx'); os._exit(0)", "not decodable"),
    "two gigabytes": ("os.write(3, b'\\0\\0\\0\\x80'); os._exit(0)", "a message of 2,147,483,648 bytes"),
    "output without end": ("while True: print('x' * 1000)", "printed more than"),
    "nothing": ("while True: pass", "CPU time"),
    "its end": ("os._exit(0)", "the process ended"),
    "a message byte by byte": (
        "import time; os.write(3, b'\\0\\x80\\0\\0')\nwhile True: os.write(3, b'x'); os.write(1, b'x'); time.sleep(0.01)",
        "no answer in",
    ),
}
CONTROL = "os.write(3, wire.frame(wire.Failed(0, 'startup', '\\x1b[2J gone'))); os._exit(0)"


def liar(folder: Path, body: str) -> Path:
    path = folder / "liar.py"
    path.write_text(f"import os\nfrom arena.match.sandbox import wire\n{body}\n" + RIVAL.read_text())
    return path


def test_what_an_untrusted_bot_says_of_itself_hurts_nobody_else(
    supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bots are asked what they play before the start, each in a locked child of its own."""
    monkeypatch.setattr("arena.match.sandbox.seat.SLEEP_SECONDS", 1.0)
    honest = read_bot(RIVAL)
    assert supervisor.level in (LOCKED, NAMESPACE)
    for body, expected in LIES.values():
        lying = read_bot(liar(tmp_path, body))
        before, lie, after = probe_locked(supervisor, [honest, lying, honest], seconds=0.5, limits=LIMITS)
        assert before == after == Profile() and lie.error is not None and expected in lie.error


@pytest.mark.usefixtures("one_zygote")
def test_an_untrusted_bot_that_lies_about_itself_is_named_in_one_clear_message(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = write_config(tmp_path, [str(RIVAL), str(liar(tmp_path, CONTROL))], deals=1)
    assert main(["tournament", str(config), "--out", str(tmp_path / "out"), "--backend", LOCAL]) == 2
    error = capsys.readouterr().err
    assert "liar" in error and "\\x1b[2J gone" in error and "\x1b" not in error and "Traceback" not in error
    assert "counting_bot" not in error and not (tmp_path / "out").exists()
    config = write_config(tmp_path, [str(RIVAL), str(liar(tmp_path, CONTROL)), UNTRUSTED[1]], deals=1)
    assert main(["tournament", str(config), "--out", str(tmp_path / "out"), "--backend", LOCAL]) == 0
    captured = capsys.readouterr()
    assert "left out, because it could not be loaded: liar" in captured.out and "\x1b" not in captured.out + captured.err
