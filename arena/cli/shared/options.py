"""Arguments and options that several commands have. Each has one name, one meaning and one help text everywhere."""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from arena.cli.shared.printing import Format, note
from arena.errors import ConfigError
from arena.results_folder import RESULTS, RESULTS_VARIABLE, nearest_results
from arena.server.joining.address import TOKEN_VARIABLE


def parse_params(words: Iterable[str], seats: int) -> list[dict[str, Any]]:
    """The parameters of each seat from `KEY=VALUE` words, for all of them, and `SEAT:KEY=VALUE` words, for one.

    A value is JSON or else a text. Raises ConfigError.

    >>> parse_params(["depth=3", "1:name=deep", "1:depth=5"], 2)
    [{'depth': 3}, {'depth': 5, 'name': 'deep'}]
    """
    everywhere: dict[str, Any] = {}
    own: list[dict[str, Any]] = [{} for _ in range(seats)]
    for word in words:
        key, equals, text = word.partition("=")
        seat, colon, name = key.rpartition(":")
        if not name or not equals or (colon and not (seat.isdecimal() and int(seat) < seats)):
            raise ConfigError(f"--param {word}: KEY=VALUE is needed, or SEAT:KEY=VALUE with a seat from 0 to {seats - 1}")
        place = own[int(seat)] if colon else everywhere
        if name in place:
            raise ConfigError(f"--param {word}: {key} is given twice")
        place[name] = _value(text)
    return [{**everywhere, **params} for params in own]


def _value(text: str) -> Any:
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def _results(context: typer.Context, option: typer.CallbackParam, folder: Path) -> Path:
    """The results folder that was asked for, or the nearest one; says which, unless the words or the place say it."""
    source = context.get_parameter_source(option.name or "")
    if source is not None and source.name == "DEFAULT":
        folder = nearest_results()
    if folder != RESULTS and source is not None and source.name != "COMMANDLINE":
        note(f"results in {folder}")
    return folder


# What a command is about.

ConfigPath = Annotated[Path, typer.Argument(metavar="CONFIG", help="YAML file of the tournament.")]
GameName = Annotated[str, typer.Argument(metavar="GAME", help="Name of the game.")]
BotText = Annotated[
    str, typer.Argument(metavar="BOT", help="File or folder of the bot, house:NAME or submitted:NAME for one that is here.")
]
SubmittedName = Annotated[str, typer.Argument(metavar="NAME", help="Name of a submitted bot.")]
NewName = Annotated[str, typer.Argument(metavar="NEW", help="Its new name.")]
MatchId = Annotated[str, typer.Argument(metavar="MATCH_ID", help="Id of a stored match, or its first digits.")]
ArchiveOrName = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="Name of a tournament, or `archive` for that of all. Default: the newest tournament."),
]

# How results are chosen and printed.

Out = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="FOLDER",
        envvar=RESULTS_VARIABLE,
        show_envvar=False,
        callback=_results,
        show_default=False,
        help=f"Folder of all results. Default: ${RESULTS_VARIABLE}, else the nearest leaderboards/ here or above.",
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", metavar="FORM", help="Form of the result: table, json, csv or md.")]
OnlyGames = Annotated[list[str] | None, typer.Option("--game", metavar="GAME", help="Only this game. Repeatable.")]
OnlyPool = Annotated[str | None, typer.Option("--game", metavar="GAME", help="Only this game or rating pool.")]

# How something is played.

Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Seed of a reproducible run. Default: the config's, else a random secret."),
]
MatchSeed = Annotated[
    int | None, typer.Option("--seed", metavar="N", help="Seed of the deal and of the bots. Default: random.")
]
CheckSeed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Seed of the deals and of the bots, from an earlier report. Default: random."),
]
BotParams = Annotated[
    list[str] | None,
    typer.Option(
        "--param", metavar="KEY=VALUE", help="A parameter of the bots; SEAT:KEY=VALUE is for one seat alone. Repeatable."
    ),
]
Token = Annotated[
    str | None,
    typer.Option(
        "--token",
        metavar="TOKEN",
        help=f"Token of your account there, from its page /account. Default: ${TOKEN_VARIABLE}, or that in the address.",
    ),
]
RuleOptions = Annotated[
    list[str] | None, typer.Option("--option", metavar="KEY=VALUE", help="A rule option of the game. Repeatable.")
]
Workers = Annotated[
    int | None, typer.Option("--workers", metavar="N", help="Number of worker processes. Default: one per CPU.")
]
Offline = Annotated[
    Path | None,
    typer.Option(
        "--offline",
        metavar="FOLDER",
        help="Ask no language model: play the answers that this tournament's folder has kept.",
    ),
]
TrustBots = Annotated[
    bool,
    typer.Option("--unsafe-trust-bots", help="Run untrusted bots even if this machine cannot lock them in."),
]
