"""Compiled rules: warm in the next process, never stale after an edit, and somewhere to keep them on any machine."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena import cache
from arena.engine import jit

PACKAGE = Path(jit.__file__).parent.parent

WARM = """
from arena import games
from arena.engine import jit
game = games.load("naga")
games.warm(game)
for entry in games.compiled_entries(game):
    jit.forbid_compiling(entry)
games.warm(game)
print(sum(jit.compilations(entry)[0] for entry in games.compiled_entries(game)))

import numpy as np
jit.forbid_all_compiling([game.package])
for entry in games.compiled_entries(game):
    jit.forbid_compiling(entry)
    try:
        entry(np.zeros(1))
    except TypeError:
        print("TypeError")
"""


def python(code: str, cache_folder: Path) -> str:
    environment = {**os.environ, cache.VARIABLE: str(cache_folder)}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_room_that_is_warm_compiles_nothing_and_where_that_is_forbidden_a_new_signature_is_a_type_error() -> None:
    """The game was warmed before the first test, by another process. Forbidden functions: called before, and never called."""
    compiled, *errors = python(WARM, cache.cache_root()).split()
    assert compiled == "0" and set(errors) == {"TypeError"}


def hash_of(game: str) -> str:
    """The hash of a game's sources as it is worked out now."""
    return jit.source_hash.__wrapped__(game)


def test_settings_that_change_no_code_share_what_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = hash_of("arena.games.naga")
    for name, value, is_shared in (("DISABLE_JIT", "0", True), ("NUM_THREADS", "1", True), ("OPT", "1", False)):
        with monkeypatch.context() as patch:
            patch.setenv(f"NUMBA_{name}", value)
            assert (hash_of("arena.games.naga") == plain) == is_shared


def test_an_edited_rule_has_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(tmp_path, monkeypatch)
    game, engine = hash_of("arena.games.naga"), hash_of(jit.ENGINE)
    rules = tmp_path / "arena" / "games" / "naga" / "state.py"
    rules.write_text(rules.read_text().replace("MAJORITY = 5", "MAJORITY = 6"))
    assert hash_of("arena.games.naga") != game and hash_of(jit.ENGINE) == engine
    shared = tmp_path / "arena" / "engine" / "rng.py"
    shared.write_text(shared.read_text() + "\n")
    assert hash_of(jit.ENGINE) != engine


def test_two_installations_have_folders_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numba finds compiled code by the path of its source: what one installation has compiled is not there for another."""
    hashes = set()
    for name in ("one", "other"):
        installed(tmp_path / name, monkeypatch)
        hashes.add(hash_of("arena.games.naga"))
    assert len(hashes) == 2


def installed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Copy the sources that hashes are made of to where another installation of arena has them."""
    for part in ("cards.py", "engine", "games/naga"):
        source, target = PACKAGE / part, folder / "arena" / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    monkeypatch.setattr(jit, "_PACKAGE", folder / "arena")


def test_an_unwritable_cache_falls_back_to_a_temporary_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ask = "from arena.cache import cache_root; print(cache_root(), cache_root().is_dir())"
    folder, exists = python(ask, tmp_path / "file" / "below").split()
    assert exists == "True" and not Path(folder).exists()  # removed at exit


def test_old_folders_are_pruned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    cache.cache_root.cache_clear()
    try:
        for number in range(10):
            (tmp_path / f"naga-{number}").mkdir()
            os.utime(tmp_path / f"naga-{number}", (number, number))
        cache.keep_newest("naga-*", 3, tmp_path / "naga-0")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["naga-0", "naga-7", "naga-8", "naga-9"]
    finally:
        cache.cache_root.cache_clear()


def test_a_folder_of_the_cache_is_filled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path))
    cache.cache_root.cache_clear()
    try:
        filled: list[Path] = []
        for _ in range(2):
            folder = cache.cached_folder("bots/x", lambda path: filled.append(path))
        assert len(filled) == 1 and folder == tmp_path / "bots" / "x" and list(folder.parent.iterdir()) == [folder]
    finally:
        cache.cache_root.cache_clear()
