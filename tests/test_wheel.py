"""The wheel is enough: installed without a checkout, it plays the same tournaments and has every page, bot and config."""

import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from arena.games import names
from arena.reports.manual import docs_names
from arena.results.manifest import read_manifest
from helpers.paths import CONFIGS, HOUSE_BOTS, ROOT
from helpers.tournaments import run, write_config

pytestmark = pytest.mark.slow
BOTS = ("naga_greedy", "random_bot")


@dataclass
class Installed:
    """A fresh environment that has the wheel, and an empty folder."""

    environment: Path
    folder: Path

    @property
    def packages(self) -> Path:
        (found,) = (self.environment / "lib").glob("python*/site-packages")
        return found

    def python(self, *words: object, inside: str = ".", code: int = 0) -> str:
        """Run Python with these arguments in the folder, or in one inside it; returns what it printed."""
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        variables |= {"NUMBA_DISABLE_JIT": "1", "BROWSER": "true", "ARENA_CACHE_DIR": str(self.environment / "cache")}
        done = subprocess.run(
            [self.environment / "bin" / "python", *map(str, words)],
            cwd=self.folder / inside, env=variables, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert done.returncode == code, (words, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def arena(self, *words: object, inside: str = ".", code: int = 0) -> str:
        """Run a command line in the folder, or in one inside it; returns what it printed."""
        return self.python("-P", "-m", "arena", *words, inside=inside, code=code)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """The environment borrows its dependencies, and compiles no rules: both would take minutes."""
    home = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(home)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    venv.create(home / "venv", symlinks=True)
    (home / "folder").mkdir()
    fresh = Installed(home / "venv", home / "folder")
    (wheel,) = home.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(fresh.packages)  # all that an installer does with it, but for the script `arena`
    borrowed = dict.fromkeys((sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    (fresh.packages / "borrowed.pth").write_text("\n".join(borrowed))  # their own .pth files, ours among them, are not read
    return fresh


def test_the_wheel_is_what_is_tested(installed: Installed) -> None:
    home = installed.python("-c", "import arena.shipped; print(arena.shipped.house_folder('bots'))").strip()
    assert home == str(installed.packages / "arena" / "house" / "bots")


@pytest.mark.parametrize("how", ["house:{}", "bots/{}.py"])
def test_a_folder_of_its_own_plays_as_a_checkout_does(installed: Installed, how: str, tmp_path: Path) -> None:
    folder = installed.folder / tmp_path.name
    assert "next: cd" in installed.arena("init", folder)
    bots = [{"path": how.format(name), "trusted": True} for name in BOTS]
    config = write_config(folder, bots=bots, deals=2)
    installed.arena("tournament", config.name, "--backend", "local", "--workers", "1", inside=folder.name)
    installed.arena("verify-results", "small", inside=folder.name)
    expected = run(tmp_path, bots=[HOUSE_BOTS / f"{name}.py" for name in BOTS], deals=2).manifest
    found = read_manifest(folder / "leaderboards" / "small")
    assert (found.plan_sha256, found.results_sha256) == (expected.plan_sha256, expected.results_sha256)


def test_all_bots_configs_and_pages_are_there(installed: Installed) -> None:
    installed.arena("init", "whole")
    for name, source in (("configs", CONFIGS), ("bots", HOUSE_BOTS)):
        files = {path.relative_to(source) for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
        copy = installed.folder / "whole" / name
        assert {path.relative_to(copy) for path in copy.rglob("*") if path.is_file()} == files
    for words in (["docs", "wire-protocol"], ["rules", names()[0]], ["docs", "--browser"]):
        assert installed.arena(*words)
    listed = installed.arena("docs")
    assert all(f"{name} " in listed for name in docs_names()[:-1])


def test_a_kit_is_written_and_passes_its_transcripts(installed: Installed) -> None:
    installed.arena("new", "kit", "--language", "python-command")
    assert installed.python("transcripts/check.py", inside="kit").count("all right") == len(names())


def test_every_shipped_config_is_read(installed: Installed) -> None:
    code = (
        "from arena.shipped import house_folder as f; from arena.tournament.config import read_config as r\n"
        "for path in f('configs').glob('*.yaml'):\n"
        "    print(path.stem if path.stem == 'open' else r(path).name)"
    )
    assert set(installed.python("-c", code).split()) == {path.stem for path in CONFIGS.glob("*.yaml")}


def test_a_mistake_names_what_would_be_right(installed: Installed) -> None:
    text = installed.arena("match", names()[0], "house:naga_gredy", "house:random_bot", code=2)
    assert text == 'arena: house:naga_gredy: no house bot of this name; did you mean "naga_greedy"?\n'
