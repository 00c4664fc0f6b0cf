"""Command bots: small ones in every game, in tournaments beside bots in Python, what is kept of them, what is refused."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena import games
from arena.agent import StartInfo, bot_name, read_bot
from arena.cli.main import main
from arena.errors import BotError, ConfigError
from arena.match import Answer, Fault, play
from arena.match.probe import probe
from arena.match.sandbox import LOCKED, NAMESPACE, PROCESS, CommandSeat, OpenCommandSeat, Supervisor
from arena.match.single_match import agree, play_match
from arena.records import DEFAULT_LIMITS as LIMITS
from arena.records import Clock, Ending, MatchRecord
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, RAY, Results, Settings, read_results
from arena.tournament.workers.ray.watchdog import descendants
from helpers.command_bots import PLAIN, SHORT_MATCHES, built_kit, kit_name, lacks
from helpers.locked_matches import RIVAL, first_view
from helpers.processes import processes_below, survivors, taken_cpu, until, waits_for_signal, zygotes

CLOCK = Clock(move=2.0, bank=5.0, start=10.0)


QUICK = ("c", "node", PLAIN)
"""Languages whose kits are ready at once; test_kits.py plays all."""


@pytest.fixture(scope="module")
def kits(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("kits")
    return {language: built_kit(language, folder) for language in QUICK if not lacks(language)}


@pytest.fixture
def plain(kits: dict[str, Path]) -> Path:
    if PLAIN not in kits:
        pytest.skip(lacks(PLAIN))
    return kits[PLAIN]


def locked_match(supervisor: Supervisor, game: str, bot: Path, seed: int) -> MatchRecord:
    """All seats by one bot."""
    loaded = games.load(game)
    setup = agree(game, [bot_name(bot)] * loaded.seats[0], seed=seed, options=SHORT_MATCHES.get(game), clock=CLOCK)
    seats = [CommandSeat(supervisor, read_bot(bot), seed=bot_seed, params={}, limits=LIMITS) for bot_seed in setup.bot_seeds]
    try:
        return play(loaded, setup, seats)
    finally:
        for seat in seats:
            seat.close()


def test_a_program_starts_whatever_the_hosts_umask(plain: Path) -> None:
    """`arena serve` keeps all that it writes from others, and the user of a locked bot is one of them."""
    before = os.umask(0o077)
    try:
        with Supervisor(["naga"]) as own, CommandSeat(own, read_bot(plain), seed=1, params={}, limits=LIMITS) as seat:
            assert seat.start(StartInfo("naga", {}, 2, 0, CLOCK)) is None
    finally:
        os.umask(before)


@pytest.mark.parametrize("language", QUICK)
@pytest.mark.parametrize("game", games.names())
def test_a_kit_plays_every_game_the_same_from_the_same_seed(
    language: str, game: str, kits: dict[str, Path], supervisor: Supervisor
) -> None:
    if language not in kits:
        pytest.skip(lacks(language))
    record = locked_match(supervisor, game, kits[language], 3)
    assert {seat.ending for seat in record.seats} == {Ending.PLAYED}, record.notes
    assert {seat.isolation for seat in record.seats} == {supervisor.level}
    again = locked_match(supervisor, game, kits[language], 3)
    other = locked_match(supervisor, game, kits[language], 4)
    assert record.actions == again.actions != other.actions
    assert not survivors(descendants({supervisor.pid}) - set(supervisor.pids))


def write_config(folder: Path, bots: list[Any], **changes: Any) -> Path:
    path = folder / "commands.yaml"
    config = {
        "name": "commands", "seed": 7, "games": [{"game": "naga", "seats": 2}], "bots": bots, "deals": 1,
        "clock": {"move": "2s"}, **changes,
    }  # fmt: skip
    path.write_text(yaml.safe_dump(config))
    return path


def run(folder: Path, bots: list[Any], backend: str = LOCAL, **changes: Any) -> Results:
    folder.mkdir(exist_ok=True)
    config = write_config(folder, bots, **changes)
    return run_tournament(config, Settings(out=folder / "out", backend=backend, workers=1))


@pytest.mark.slow
def test_neither_ray_nor_locking_command_bots_in_changes_anything(kits: dict[str, Path], tmp_path: Path) -> None:
    """Trusted ones are plain processes; beside bots in Python."""
    bots: list[Any] = [*map(str, kits.values()), str(RIVAL)]
    calm = run(tmp_path / "calm", [{"path": bot, "trusted": True} for bot in bots])
    plainly = {seat.isolation for record in calm.records() for seat in record.seats if seat.bot.startswith("kit_")}
    assert plainly == {PROCESS}
    config = write_config(tmp_path, bots)
    command = [sys.executable, "-P", "-m", "arena", "tournament", str(config), "--out", str(tmp_path / "out")]
    ended = subprocess.run(
        [*command, "--backend", RAY, "--workers", "2"], check=False, capture_output=True, text=True, timeout=120
    )
    assert ended.returncode == 0, ended.stderr
    results = read_results(tmp_path / "out" / "commands")
    assert results.manifest.results_sha256 == calm.manifest.results_sha256 == results.manifest.reproducible_sha256
    rows = [seat for record in results.records() for seat in record.seats]
    assert {seat.ending for seat in rows} == {Ending.PLAYED}
    assert {kit_name(language) for language in kits} < {seat.bot for seat in rows}
    assert {seat.isolation for seat in rows} <= {LOCKED, NAMESPACE}


def test_a_match_on_the_command_line(plain: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = []
    for flags in ([], ["--locked"]):
        assert main(["match", "naga", str(plain), str(RIVAL), "--seed", "4", *flags]) == 0
        shown.append(capsys.readouterr().out)
    assert shown[0] == shown[1] and kit_name(PLAIN) in shown[0]


WAITING = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "start":
        print(json.dumps({"id": message["id"], "ok": True}), flush=True)
    elif message["type"] == "act":
        print("now", file=sys.stderr, flush=True)
        import threading
        threading.Event().wait()
"""


def python_bot(folder: Path, source: str, **keys: Any) -> Path:
    """A command bot in Python from its source."""
    bot = folder / "written"
    bot.mkdir(parents=True)
    (bot / "main.py").write_text(source)
    values = {"name": "written", "command": ["python3", "-S", "main.py"], **keys}
    (bot / "bot.toml").write_text(
        "".join(f"{key} = {value!r}\n" for key, value in values.items()).replace("True", "true").replace("False", "false")
    )
    return bot


def test_no_process_is_left_of_a_killed_worker(plain: Path, tmp_path: Path) -> None:
    config = write_config(tmp_path, [str(python_bot(tmp_path, WAITING)), str(RIVAL)], clock={"move": "600s"})
    command = [sys.executable, "-P", "-m", "arena", "tournament", str(config), "--out", str(tmp_path), "--backend", LOCAL]
    worker = subprocess.Popen([*command, "--workers", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        programs = until(
            lambda: {pid for pid in processes_below(zygotes(worker.pid)) if "main.py" in command_line(pid)}, worker
        )
        family = descendants({worker.pid})
        assert programs <= family
    finally:
        worker.kill()
        worker.wait()
    assert not survivors(family)


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""


def test_a_program_killed_from_outside_is_a_host_fault_twice(plain: Path, supervisor: Supervisor) -> None:
    for earlier, ending in ((0, Ending.HOST), (2, Ending.MEMORY)):
        with CommandSeat(supervisor, read_bot(plain), seed=1, params={}, limits=LIMITS, earlier_kills=earlier) as seat:
            assert seat.start(StartInfo("naga", {}, 2, 0, CLOCK)) is None
            os.kill(seat.pid, signal.SIGKILL)
            seat.ask(first_view(seat=0))
            found = seat.answer()
            assert isinstance(found, Fault) and found.ending is ending and seat.was_killed


FORCED = (
    WAITING.partition('        print("now"')[0] + '        print(json.dumps({"id": message["id"], "action": 0}), flush=True)\n'
)


def test_forced_decisions_are_sent_to_a_bot_that_wants_them(plain: Path, tmp_path: Path) -> None:
    for wants in (False, True):
        counting = python_bot(tmp_path / str(wants), FORCED, wants_forced=wants)
        with OpenCommandSeat(read_bot(counting), seed=1, params={}) as seat:
            assert seat.start(StartInfo("naga", {}, 2, 0, CLOCK)) is None and seat.wants_forced is wants
            seat.ask(first_view(seat=0))
            found = seat.answer()
            assert isinstance(found, Answer) and found.action == 0 and 0 < found.cpu_seconds < 2


STARTS = {
    "exits": ("raise SystemExit(3)", Ending.STARTUP, "exit code 3"),
    "says no": (FORCED.replace('"ok": True', '"ok": False'), Ending.STARTUP, "not ready"),
    "answers with an action": (FORCED.replace('"ok": True', '"action": 0'), Ending.STARTUP, "not a reply"),
    "computes": ("while True: pass", Ending.STARTUP, "CPU time"),
    "speaks first": ("print(1, flush=True)\n" + FORCED, Ending.STARTUP, ""),
    "has a bug": ("import sys\nprint('\\x1b[2J why', file=sys.stderr)\nnone.such()", Ending.STARTUP, "NameError"),
}


@pytest.mark.parametrize("case", STARTS)
@pytest.mark.parametrize("is_locked", [True, False])
def test_what_happens_at_the_start_is_a_startup_fault(
    case: str, is_locked: bool, plain: Path, supervisor: Supervisor, tmp_path: Path
) -> None:
    source, ending, told = STARTS[case]
    files = read_bot(python_bot(tmp_path, source))
    info = StartInfo("naga", {}, 2, 0, Clock(1.0, 0.0, 0.5))
    seat = (
        CommandSeat(supervisor, files, seed=1, params={}, limits=LIMITS)
        if is_locked
        else OpenCommandSeat(files, seed=1, params={})
    )
    with seat:
        fault = seat.start(info)
    assert fault is not None and fault.ending is ending and told in fault.reason and "\x1b" not in fault.reason
    if case == "has a bug":
        assert "\\x1b[2J why" in fault.output and fault.exit == "exit code 1"


def test_what_a_bot_finds_is_its_folder_and_nothing_of_the_worker(plain: Path, supervisor: Supervisor, tmp_path: Path) -> None:
    """Its files, its environment, its descriptors: printed, then it ends."""
    source = (
        "import os, sys\nprint(sorted(os.listdir('.')), sorted(os.environ), sys.argv, file=sys.stderr)\nfor n in range(300):\n"
    )
    source += "    try:\n        os.fstat(n); print('open', n, file=sys.stderr)\n    except OSError: pass\n"
    bot = python_bot(tmp_path, source, command=["python3", "-S", "main.py", "a b", ""])
    with CommandSeat(supervisor, read_bot(bot), seed=1, params={}, limits=LIMITS) as seat:
        fault = seat.start(StartInfo("naga", {}, 2, 0, CLOCK))
    assert fault is not None
    files, *descriptors = fault.output.splitlines()
    assert files.startswith("['bot.toml', 'main.py'] ['HOME', 'LANG', ") and files.endswith("['main.py', 'a b', '']")
    assert descriptors == ["open 0", "open 1", "open 2"]


def test_a_program_is_told_the_folder_that_it_lies_in(plain: Path, supervisor: Supervisor, tmp_path: Path) -> None:
    """The dynamic loader finds libraries beside the program by it, since there is no /proc."""
    bot = python_bot(tmp_path, "", command=["./printenv", "LD_ORIGIN_PATH"])
    shutil.copy(shutil.which("printenv") or "", bot / "printenv")
    files = read_bot(bot)
    with CommandSeat(supervisor, files, seed=1, params={}, limits=LIMITS) as seat:
        fault = seat.start(StartInfo("naga", {}, 2, 0, CLOCK))
    assert fault is not None
    assert fault.reason.endswith(": /bot" if supervisor.level == NAMESPACE else f"/{files.sha256}")


WRONG = [
    ('name = "x"\ncomand = ["a"]\n', 'bot.toml: comand: no such key; did you mean "command"?'),
    ('name = "x"\n', "bot.toml: command: this key is needed"),
    ('command = ["a"]\n', "bot.toml: name: this key is needed"),
    ('name = "A B"\ncommand = ["a"]\n', "bot.toml: name: a name is 1 to 40 of a-z"),
    ('name = "x"\ncommand = "a"\n', "bot.toml: command: Expected `array`, got `str`"),
    ('name = "x"\ncommand = []\n', "bot.toml: command: a program is needed"),
    ("name = x", "bot.toml: not valid TOML"),
    ('name = "x"\ncommand = ["a"]\nfiles = ["gone"]\n', "no such file: gone"),
    ('name = "x"\ncommand = ["a"]\nfiles = ["../secret"]\n', "../secret is not in the bot's folder"),
    ('name = "x"\ncommand = ["/bin/sh"]\n', "bot.toml: command: /bin/sh: give the program's name alone"),
    ('name = "x"\ncommand = ["../secret"]\n', "../secret is not among the bot's files"),
    ('name = "x"\ncommand = ["./bot"]\n', "./bot is not among the bot's files"),
]


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_a_wrong_bot_toml_is_refused_with_the_way_out(text: str, told: str, tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    folder.mkdir()
    (tmp_path / "secret").write_text("x")
    (folder / "bot.toml").write_text(text)
    with pytest.raises(BotError) as found:
        read_bot(folder)
    assert told in str(found.value) and str(folder) in str(found.value)


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"command": ["no-such-program"]}, "the program no-such-program is not on this machine's PATH"),
        ({"command": ["./main.py"]}, "is no program but a script: name its interpreter"),
        ({"games": ["nage"]}, 'games: no game "nage"; did you mean "naga"?'),
    ],
)
def test_a_bot_that_cannot_play_says_why(keys: dict[str, Any], told: str, tmp_path: Path) -> None:
    (profile,) = probe([read_bot(python_bot(tmp_path, FORCED, **keys))], 1.0)
    assert profile.error is not None and told in profile.error


def test_a_bot_that_cannot_play_is_refused_before_the_start(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = python_bot(tmp_path, FORCED, command=["no-such-program"])
    config = write_config(tmp_path, [{"path": str(path), "trusted": True} for path in (bot, RIVAL)])
    assert main(["tournament", str(config), "--out", str(tmp_path / "out"), "--backend", LOCAL]) == 2
    error = capsys.readouterr().err
    assert f"{bot}: bot.toml: command: the program no-such-program is not" in error and "Traceback" not in error
    assert not (tmp_path / "out").exists()


def test_parameters_that_no_message_can_carry_are_refused(plain: Path, tmp_path: Path) -> None:
    bots = [{"path": str(plain), "trusted": True, "params": {"table": "x" * 40_000}}, {"path": str(RIVAL), "trusted": True}]
    with pytest.raises(ConfigError, match="params: 40,012 bytes"):
        run_tournament(write_config(tmp_path, bots), Settings(out=tmp_path / "out", backend=LOCAL))


def test_where_nothing_can_be_locked_command_bots_are_refused_or_run_as_plain_processes(
    plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = str(write_config(tmp_path, [str(plain), str(RIVAL)]))
    monkeypatch.setattr("arena.match.sandbox.supervisor.kernel.is_known", lambda: False)
    monkeypatch.setattr("arena.match.choose.can_have_processes", lambda: False)
    command = ["tournament", config, "--out", str(tmp_path / "out"), "--backend", LOCAL]
    assert main(command) == 2 and f"{kit_name(PLAIN)}, counting_bot: not trusted" in capsys.readouterr().err
    seat = OpenCommandSeat(read_bot(plain), seed=1, params={})
    record = play_match("naga", [plain, RIVAL], seed=3)
    assert seat.isolation == PROCESS and [row.ending for row in record.seats] == [Ending.PLAYED] * 2


FORKING = FORCED.replace("import json, sys", "import json, os, sys\nif os.fork() == 0:\n    import time\n    time.sleep(600)")


def test_where_only_the_lock_is_missing_no_process_is_left_either(plain: Path, tmp_path: Path) -> None:
    """At the level of --unsafe-trust-bots a program may fork: what it started ends with it."""
    with Supervisor(["naga"], level=PROCESS, least=PROCESS) as unsafe:
        with CommandSeat(unsafe, read_bot(python_bot(tmp_path, FORKING)), seed=1, params={}, limits=LIMITS) as seat:
            assert seat.start(StartInfo("naga", {}, 2, 0, CLOCK)) is None and seat.isolation == PROCESS
            family = descendants({unsafe.pid})
            assert len(family) == 2
            seat.ask(first_view(seat=0))
            assert isinstance(seat.answer(), Answer)
        assert not survivors(family)


STARVED = (
    "import signal, threading\n"  # now: who is ready imports nothing
    + FORCED.partition('        print(json.dumps({"id": message["id"], "action": 0})')[0]
    + """
        begin = threading.Event()
        def compute():
            begin.wait()
            while True:
                pass
        threading.Thread(target=compute).start()
        signal.signal(signal.SIGUSR1, lambda *_: begin.set())
        threading.Event().wait()
"""
)


@pytest.mark.slow
def test_a_program_whose_thread_waits_for_a_cpu_is_excused(
    plain: Path, supervisor: Supervisor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first thread sleeps, the one that thinks gets no CPU: it is late by a host fault."""
    monkeypatch.setattr("arena.match.sandbox.child.BACKSTOP_SECONDS", 1.0)
    files = read_bot(python_bot(tmp_path, STARVED))
    with taken_cpu() as cpu, CommandSeat(supervisor, files, seed=1, params={}, limits=LIMITS) as seat:
        assert seat.start(StartInfo("naga", {}, 2, 0, CLOCK)) is None
        seat.ask(first_view(seat=0, clock=Clock(0.2, 0.0, 5.0)))
        until(lambda: waits_for_signal(seat.pid))
        (thinking,) = {int(thread.name) for thread in Path(f"/proc/{seat.pid}/task").iterdir()} - {seat.pid}
        os.sched_setaffinity(thinking, [cpu])
        os.sched_setscheduler(thinking, os.SCHED_IDLE, os.sched_param(0))
        os.kill(seat.pid, signal.SIGUSR1)
        found = seat.answer()
    assert isinstance(found, Fault) and found.ending is Ending.HOST and "short of CPU" in found.reason, found
