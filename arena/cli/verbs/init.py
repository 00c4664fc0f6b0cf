"""`arena init [FOLDER]`: all that a first tournament needs, without a checkout."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.printing import say
from arena.shipped import write_folder


def init(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Folder to write to. Default: the current one.")] = Path(),
) -> int:
    """Write configs, the house bots and a README into a folder.

    The folder is made if it does not exist. Existing files are never changed: if one is in the way, nothing is written.
    """
    for path in write_folder(folder):
        say(f"wrote {path}")
    here = "" if folder.resolve() == Path.cwd() else f"cd {shlex.quote(str(folder))} && "
    say(f"next: {here}arena tournament configs/duel.yaml")
    return DONE
