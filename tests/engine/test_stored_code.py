"""Compiled code is checked when it is loaded; what a disk has damaged is dropped with a line, and compiled again."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena import cache
from arena.engine import jit, stored_code

ONE_ENTRY = """
from arena import games
from arena.engine import jit
game = games.load("naga")
was_warm = jit.is_warm(game.package)
game.engine.is_terminal(game.new_states())
jit.mark_warm(game.package)
print(was_warm, sum(jit.compilations(entry)[0] for entry in games.compiled_entries(game)))
"""
OTHERS = {
    "NUMBA_DEBUGINFO": "1", "NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_LOCATOR_CLASSES": "Foo",
    "NUMBA_CACHE_DIR": "/proc/nothing", "NUMBA_DUMP_CFG": "1",
}  # fmt: skip


def compiled_here(number: int) -> int:
    return number + 1


def in_its_place(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").write_text("")


def a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "shorter than a checksum": lambda path: path.write_bytes(path.read_bytes()[:20]),
    "half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "one bit": flip,
    "garbage": lambda path: path.write_bytes(b"PK\3\4" * 100),
    "as numba writes it, without a checksum": lambda path: path.write_bytes(path.read_bytes()[32:]),
    "a folder": in_its_place,
    "a pipe": a_pipe,
}


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A cache of the test's own, with nothing in it."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    monkeypatch.setattr(jit, "_sound", set())
    for found in (cache.cache_root, jit.cache_folder):
        found.cache_clear()
    yield tmp_path
    for found in (cache.cache_root, jit.cache_folder):
        found.cache_clear()


def first_call() -> tuple[bool, int]:
    """What a process finds that calls a compiled function first: whether all is there, and how much it compiles."""
    jit._sound.clear()
    is_warm, entry = jit.is_warm(jit.ENGINE), jit.bind(compiled_here, jit.ENGINE)
    assert entry(2) == 3
    jit.mark_warm(jit.ENGINE)
    return is_warm, jit.compilations(entry)[0]


@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_a_damaged_file_is_dropped_with_a_line_and_compiled_again(
    suffix: str, own_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert [first_call() for _ in range(2)] == [(False, 1), (True, 0)]
    for path in own_cache.rglob(f"*{suffix}"):
        path.write_bytes(b"")
    assert first_call() == (False, 1)
    assert capsys.readouterr().err.count("compiled code was damaged and is compiled again") == 1
    assert first_call() == (True, 0)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_whatever_has_happened_to_a_file_it_is_not_there(damage: Callable[[Path], object], tmp_path: Path) -> None:
    path, marker = tmp_path / "code.nbc", tmp_path / "warm"
    stored_code.write(path, b"machine code" * 50)
    stored_code.mark(marker)
    assert stored_code.read(path) == b"machine code" * 50 and stored_code.is_marked(marker)
    damage(path)
    assert stored_code.read(path) is None and not path.exists() and not stored_code.is_marked(marker)
    stored_code.write(path, b"machine code" * 50)
    assert stored_code.is_marked(marker)


def test_a_marker_counts_only_while_it_is_whole(tmp_path: Path) -> None:
    (tmp_path / "warm").touch()  # as a full disk leaves it, and as older versions did
    assert not stored_code.is_marked(tmp_path / "warm")


def test_a_disk_that_is_full_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Exception, match=r"compiled code cannot be kept: .*ARENA_CACHE_DIR"):
        stored_code.write(tmp_path / "file" / "code.nbc", b"code")


def test_the_processor_belongs_to_the_folder_and_not_to_the_sources(tmp_path: Path) -> None:
    ask = "from arena.engine import jit; print(jit.cache_folder('arena.games.naga').name)"
    environment = {**os.environ, cache.VARIABLE: str(tmp_path), "NUMBA_CPU_NAME": "generic"}
    generic = subprocess.run([sys.executable, "-c", ask], env=environment, capture_output=True, text=True, check=True)
    own = jit.cache_folder("arena.games.naga").name
    assert own.rpartition("-")[2] != generic.stdout.strip().rpartition("-")[2]
    assert own.startswith("naga-") and own.count("-") == 2


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("OPT", "0", "NUMBA_OPT=0 .*: not supported"),
        ("CPU_FEATURES", "foo", r"NUMBA_CPU_FEATURES=foo: each feature begins with \+ or -"),
        ("CPU_FEATURES", "+avx,sse2", "NUMBA_CPU_FEATURES=.*: each feature begins"),
        ("NUM_THREADS", "0", "numba cannot be loaded: .*NUMBA_NUM_THREADS=0: unset them"),
        ("NUM_THREADS", "-1", "numba cannot be loaded: .*NUMBA_NUM_THREADS=-1: unset them"),
    ],
)
def test_a_variable_of_numba_that_cannot_be_is_named(name: str, value: str, told: str) -> None:
    environment = {**os.environ, f"NUMBA_{name}": value}
    command = [sys.executable, "-m", "arena", "verify", "naga", "nothing.jsonl"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert re.search(told, done.stderr) and "Traceback" not in done.stderr


def test_with_other_variables_of_numba_code_is_kept_as_ever(tmp_path: Path) -> None:
    """The second process finds what the first has compiled."""
    assert [run(tmp_path) for _ in range(2)] == [["False", "1"], ["True", "0"]]


def run(folder: Path) -> list[str]:
    """What a process prints that compiles with all the variables of numba that change nothing about where code is kept."""
    environment = {**os.environ, **OTHERS, cache.VARIABLE: str(folder)}
    done = subprocess.run([sys.executable, "-c", ONE_ENTRY], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    *_, was_warm, compiled = done.stdout.split()  # numba prints, too
    return [was_warm, compiled]
