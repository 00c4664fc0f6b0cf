"""`arena play GAME`: a person at the table, in the terminal or in the browser."""

from typing import Annotated

import typer

from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import BotParams, GameName, Out, RuleOptions
from arena.cli.shared.web import need_web
from arena.cli.table.in_browser import choices, play_in_browser
from arena.cli.table.in_terminal import arranged, chosen_levels, person_name, play_in_terminal, rivals_by_level, rivals_by_name
from arena.engine.options import parse_options
from arena.errors import ConfigError
from arena.results_folder import RESULTS


def play(
    game: GameName,
    level: Annotated[
        list[str] | None,
        typer.Option(
            "--level",
            metavar="LEVEL",
            help="Strength of the opponents: beginner, casual, club, strong, expert or champion. Repeatable, one per seat; one "
            "alone plays on all seats of the smallest table. Default: about as good as you.",
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            "--against",
            metavar="BOT",
            help="A bot at the table: a file or folder, house:NAME or submitted:NAME. Repeatable, one per seat.",
        ),
    ] = None,
    seat: Annotated[int, typer.Option("--seat", metavar="SEAT", help="Your seat, from 0.")] = 0,
    seed: Annotated[
        int | None, typer.Option("--seed", metavar="N", help="Seed of the deal, for the same cards again. Default: random.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Name that you play under. Default: your login name.")
    ] = None,
    option: RuleOptions = None,
    param: BotParams = None,
    browser: Annotated[
        bool, typer.Option("--browser", help="Play in the browser: opens a server with this table, until Ctrl-C.")
    ] = False,
    out: Out = RESULTS,
) -> int:
    """Play against bots in the terminal or the browser.

    Answer with the number of an action or with the action itself; ? shows what else you can type, such as `hint`. The match is
    stored when it ends; Ctrl-C, Ctrl-D and `quit` leave the table, and nothing is stored.
    """
    if level and against:
        raise ConfigError("--level and --against: choose opponents by one of them")
    if param and not against:
        raise ConfigError("--param: only with --against; a level has its own")
    who = person_name(name)
    options = parse_options(option or [])
    if browser:
        need_web("arena play --browser")
        chosen = [] if against else [one.name for one in chosen_levels(game, level or [], who, out)]
        seats = choices(chosen, against or [], seat, param or [])
        play_in_browser(game, seats, name, who, options=options, seed=seed, out=out)
        return DONE
    if against:
        rivals = rivals_by_name(against, seat, param or [], out)
    else:
        rivals = rivals_by_level(chosen_levels(game, level or [], who, out), out)
    return play_in_terminal(arranged(game, rivals, seat, who, seed=seed, options=options), out)
