"""The same suite of hostile bots as an ordinary user; in a run as root only (else the suite itself is that run)."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.engine import jit
from arena.games import names, package
from helpers.attacks import ATTACKS
from helpers.paths import ROOT, TESTS

WANTED = (
    "hostile or rival_thinks or program_does_then or killed_worker and not ctrl_c or killed_seat or killed_zygote or compiled "
    "or same_time or doctor"
)
FILES = (
    "tests/match/test_hostile_bots.py",
    "tests/match/test_hostile_commands.py",
    "tests/match/test_clocks.py",
    "tests/match/test_locked_seats.py",
    "tests/match/test_survivors.py",
)


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="this is an ordinary user already")
def test_the_hostile_bots_as_an_ordinary_user() -> None:
    with tempfile.TemporaryDirectory(dir="/tmp", prefix="arena-user-") as folder:
        cache = Path(folder, "cache")
        cache.mkdir()
        packages = [package(name) for name in names()]
        games = [*packages, *map(jit.search_of, packages), jit.ENGINE, jit.RATINGS]
        for game in games:  # what is compiled already need not be compiled again
            source = jit.cache_folder(game)
            shutil.copytree(source, cache / source.name)
        for path in (Path(folder), cache, *cache.rglob("*")):
            os.chown(path, 65534, 65534)
        command = [sys.executable, str(TESTS / "helpers" / "as_user.py"), str(ROOT), str(cache)]
        command += ["-q", "-n", "0", "-rs", f"--basetemp={cache}/pytest", "-o", "addopts="]
        command += [*FILES, "-k", WANTED]
        ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=600)
        output = ended.stdout + ended.stderr
        if ended.returncode and ("Operation not permitted" in ended.stderr or "itself is closed" in ended.stderr):
            pytest.skip(f"no ordinary user can run here: {ended.stderr.strip().splitlines()[-1]}")
        assert ended.returncode == 0, output[-6000:]
        passed = re.search(r"(\d+) passed", output)
        assert passed and int(passed[1]) >= len(ATTACKS), output[-3000:]
