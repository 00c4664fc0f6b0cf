"""What ships with arena beside its code: house bots and configs, and the folder that `arena init` makes of them.

In a checkout they lie beside the package, in `bots/` and `configs/`. A wheel has copies of both in `arena/house/`, where
pyproject.toml puts them, so that paths from a config to a bot are the same in both.
"""

import os
import tempfile
from pathlib import Path

from arena.errors import ConfigError

PACKAGE = Path(__file__).parent
HOUSE = PACKAGE / "house"
"""The folder of a wheel that holds the house bots and configs; a checkout lacks it."""
_FOLDERS = ("configs", "bots")
_README = """\
# An arena of our own

    arena tournament configs/duel.yaml    a first tournament: every game, in a few minutes; results go to leaderboards/
    arena new bots/mine --game naga       a bot to start from, which says what it can see and do
    arena check bots/mine.py              does it play legally, and how fast?
    arena match naga bots/mine.py house:naga_planner --watch
    arena docs                            all pages of the documentation; `arena rules naga`: the rules of a game

`configs/` holds tournaments to change: the first lines of each say what it is for. `bots/` holds the house bots, to play
against and to learn from; `bots/README.md` says what each does. Bots named `house:NAME` in a config need no file here.
"""


def house_folder(name: str) -> Path:
    """The folder of the house bots (`bots`) or of the configs (`configs`)."""
    return (HOUSE if HOUSE.is_dir() else PACKAGE.parent) / name


def write_folder(folder: Path) -> list[Path]:
    """Write configs, house bots and a README into a folder, which is made if need be; returns what was written.

    All of it is written or nothing. Raises ConfigError if some of it is there already, or cannot be written.
    """
    targets = [folder / name for name in (*_FOLDERS, "README.md")]
    if taken := [str(path) for path in targets if os.path.lexists(path)]:
        raise ConfigError(f"{', '.join(taken)}: there already, so nothing was written; name another folder: arena init FOLDER")
    is_new = not os.path.lexists(folder)
    if not (folder.parent if is_new else folder).is_dir():
        raise ConfigError(f"{folder}: there is no folder {folder.parent}" if is_new else f"{folder}: is no folder")
    try:
        with tempfile.TemporaryDirectory(dir=folder.parent if is_new else folder, prefix=".arena-init-") as made:
            whole = Path(made) / "whole"
            _fill(whole)
            for old, new in [(whole, folder)] if is_new else [(whole / target.name, target) for target in targets]:
                old.rename(new)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None
    return targets


def _fill(folder: Path) -> None:
    folder.mkdir()
    for name in _FOLDERS:
        source = house_folder(name)
        if not source.is_dir():
            raise ConfigError(f"{source}: missing in this installation; install arena again")
        for path in source.rglob("*"):
            inside = path.relative_to(source)
            if path.is_file() and "__pycache__" not in inside.parts:
                copy = folder / name / inside
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(path.read_bytes())
    (folder / "README.md").write_text(_README, "utf-8")
