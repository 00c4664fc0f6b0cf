"""Two games of another distribution (tests/rooms), installed for a while: found as an installed package's games are."""

import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.engine.readiness import CHANCE, ENCODING, SAMPLING
from arena.tournament.workers.compiling import Needs, everything
from helpers.paths import TESTS

GAMES = TESTS / "rooms"
NAMES = ("kuhn", "leduc")
LEDUC_METHOD = "flat"
"""The only search method that quick tests have compiled for Leduc hold'em, to save 8 s of CPU time; slow ones try all."""
FOLDERS = {name: GAMES / "poker_rooms" / name for name in NAMES}


def needed() -> Needs:
    """What of the installed games is compiled for tests."""
    return {**everything(["kuhn"]), "leduc": (SAMPLING, ENCODING, CHANCE, LEDUC_METHOD)}


def write_metadata(project: Path, folder: Path) -> None:
    """Write what an installer would write of a project (the folder of a pyproject.toml): name, version, entry points."""
    about = tomllib.loads((project / "pyproject.toml").read_text())["project"]
    info = folder / f"{about['name'].replace('-', '_')}-{about['version']}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {about['name']}\nVersion: {about['version']}\n")
    groups = about["entry-points"].items()
    lines = [line for group, entries in groups for line in (f"[{group}]", *(f"{key} = {at}" for key, at in entries.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")


@contextmanager
def installed(project: Path, folder: Path) -> Iterator[None]:
    """The packages of a project can be imported, and its entry points are found, here and in processes started here.

    `folder`: an empty one, for the metadata.
    """
    write_metadata(project, folder)
    paths = [str(folder), str(project)]
    with pytest.MonkeyPatch.context() as patch:
        for path in reversed(paths):
            patch.syspath_prepend(path)
        inherited = os.environ.get("PYTHONPATH")
        patch.setenv("PYTHONPATH", os.pathsep.join([*paths, *([inherited] if inherited else [])]))
        yield
