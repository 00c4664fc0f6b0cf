"""`arena new NAME`: a working bot to begin with."""

import os
from pathlib import Path
from typing import Annotated

import typer

from arena.agent.starter import command_bot, python_bot
from arena.config import check_name
from arena.errors import ConfigError
from arena.games import load


def new(
    name: Annotated[str, typer.Argument(help="The bot's name, or a path that ends in it.")],
    game: Annotated[
        str | None, typer.Option(help="Of this game, with all that its view offers; default: of all games.")
    ] = None,
    command: Annotated[bool, typer.Option("--command", help="A program of its own, as in any other language.")] = False,
) -> int:
    """Write a bot with comments that works at once."""
    path = Path(name)
    path = path.with_suffix("") if path.suffix == ".py" else path
    check_name(path.name, "NAME")
    room = None if game is None else load(game)
    if command:
        files = {path / file: text for file, text in command_bot(path.name, room).items()}
        target = path
    else:
        target = path.with_name(f"{path.name}.py")
        files = {target: python_bot(path.name, room)}
    _write(target, files)
    typer.echo(f"wrote {', '.join(str(file) for file in files)}")
    typer.echo(f"next: arena check {target}")
    return 0


def _write(target: Path, files: dict[Path, str]) -> None:
    """Write new files; nothing that is there is touched. Raises ConfigError."""
    if os.path.lexists(target):
        raise ConfigError(f"{target}: is there already; choose another name")
    if not target.parent.is_dir():
        raise ConfigError(f"{target}: there is no folder {target.parent}")
    try:
        for file, text in files.items():
            file.parent.mkdir(exist_ok=True)
            with file.open("x", encoding="utf-8") as opened:
                opened.write(text)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written: {error.strerror}") from None
