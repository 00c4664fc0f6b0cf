"""All commands of the command line, and their arguments and options as the parser knows them."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import typer

from arena.cli.commands import BENCH, TOPICS, VERBS
from arena.cli.main import command

COMMANDS = (*(verb for verb in VERBS if verb != BENCH), *(f"{BENCH} {topic}" for topic in TOPICS))


def one_line(name: str) -> str:
    """What the table of commands says of a command."""
    return TOPICS[name.split()[1]] if " " in name else VERBS[name]


@cache
def parameters(name: str) -> tuple[Any, ...]:
    """The arguments and options of a command, without --help."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(command(name))
    return tuple(typer.main.get_command(app).params)


def options(name: str) -> dict[str, Any]:
    """The options of a command by their names, with two dashes."""
    return {parameter.opts[0]: parameter for parameter in parameters(name) if parameter.param_type_name == "option"}


def described(name: str) -> str:
    """A command as a text: its purpose, then a line for each argument and option. The same with every version of typer."""
    return "\n".join([f"arena {name}", *_lines(name), ""])


def _lines(name: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", (command(name).__doc__ or "").strip()):
        yield f"  {' '.join(paragraph.split())}"
    for parameter in parameters(name):
        is_option = parameter.param_type_name == "option"
        words = [parameter.opts[0]] if is_option else []
        if parameter.metavar is not None:
            words.append(parameter.metavar if is_option or parameter.required else f"[{parameter.metavar}]")
        default = parameter.default
        shown = "" if default is None or default is False or not is_option else f" [{default}]"
        yield f"    {' '.join(words)}: {parameter.help}{shown}"
