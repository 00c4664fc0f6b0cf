"""`arena new NAME`: a working bot to begin with."""

import os
from pathlib import Path
from typing import Annotated

import typer

from arena.agent.kits import TRANSCRIPTS, kit
from arena.agent.starter import command_bot, model_bot, python_bot
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.printing import say
from arena.errors import ConfigError
from arena.games import load
from arena.tournament.config import check_name


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the bot, or a path that ends in it.")],
    game: Annotated[
        str | None,
        typer.Option(
            "--game", metavar="GAME", help="Explain all that the view of this game offers. Default: a bot for all games."
        ),
    ] = None,
    command: Annotated[
        bool, typer.Option("--command", help="Write a program that speaks the wire protocol, as a bot in any language does.")
    ] = False,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="LANGUAGE",
            help="Write a bot in another language: c, cpp, go, java, node, python-command, rust or ts.",
        ),
    ] = None,
    llm: Annotated[
        bool, typer.Option("--llm", help="Write the settings of a language model, which needs no code: `arena docs llm`.")
    ] = False,
) -> int:
    """Write a working bot to start from.

    It plays at once; comments in it say what it can see and do. Existing files are never changed.
    """
    path = Path(name)
    path = path.with_suffix("") if path.suffix == ".py" else path
    check_name(path.name, "NAME")
    loaded = None if game is None else load(game)
    if llm and (command or language):
        raise ConfigError(f"--llm: a language model has no program; leave {'--command' if command else '--language'} out")
    if command and language:
        raise ConfigError("--command: that is a program in Python; leave it out, or --language")
    if language:
        files = {path / file: text for file, text in kit(language, path.name, loaded).items()}
        target = path
    elif llm:
        files = {path / file: text for file, text in model_bot(path.name, loaded).items()}
        target = path
    elif command:
        files = {path / file: text for file, text in command_bot(path.name, loaded).items()}
        target = path
    else:
        target = path.with_name(f"{path.name}.py")
        files = {target: python_bot(path.name, loaded)}
    _write(target, files)
    shown = dict.fromkeys(file.parent if file.parent.name == TRANSCRIPTS else file for file in files)
    say(f"wrote {', '.join(map(str, shown))}")
    say(f"next: arena check {target}" + (f"; {target / 'README.md'} says more" if language else ""))
    return DONE


def _write(target: Path, files: dict[Path, str]) -> None:
    """Write new files; nothing that is there is touched. Raises ConfigError."""
    if os.path.lexists(target):
        raise ConfigError(f"{target}: is there already; choose another name")
    if not target.parent.is_dir():
        raise ConfigError(f"{target}: there is no folder {target.parent}")
    try:
        for file, text in files.items():
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as opened:
                opened.write(text)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be written: {error.strerror}") from None
