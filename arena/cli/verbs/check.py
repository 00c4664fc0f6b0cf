"""`arena check BOT`: may it enter, how fast is it, and what went wrong where it may not."""

import os
from enum import StrEnum
from functools import partial
from typing import Annotated

import typer

from arena.cli.shared.checking import checked, report_object
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import BotParams, BotText, CheckSeed, OnlyGames, Out, parse_params
from arena.cli.shared.printing import Format, say, show
from arena.reports.checks import print_bot_check
from arena.reports.data import json_text
from arena.reports.grading import check_classroom50, classroom50, gradescope
from arena.results_folder import RESULTS
from arena.tournament.check_report import GameCheck


class CheckForm(StrEnum):
    """The forms of every command, and those that autograders read."""

    TABLE = Format.TABLE.value
    JSON = Format.JSON.value
    CSV = Format.CSV.value
    MARKDOWN = Format.MARKDOWN.value
    GRADESCOPE = "gradescope"
    CLASSROOM50 = "classroom50"


FormOption = Annotated[
    CheckForm,
    typer.Option("--format", metavar="FORM", help="Form of the result: table, json, csv, md, gradescope or classroom50."),
]


def check(
    bot: BotText,
    game: OnlyGames = None,
    seed: CheckSeed = None,
    param: BotParams = None,
    format: FormOption = CheckForm.TABLE,
    out: Out = RESULTS,
) -> int:
    """Play a bot through its games and report its faults, speed and memory.

    The bot plays locked in, as in a tournament, at all table sizes and in all variants of its games, against bots of this
    house. Exit code 0: it may enter a tournament, 1: it may not.
    """
    if format is CheckForm.CLASSROOM50:
        check_classroom50(os.environ)
    wanted = game or []
    found, _ = checked(bot, wanted, seed, results=out, params=parse_params(param or [], 1)[0], may_ask=True)
    if format is CheckForm.GRADESCOPE:
        say(json_text(gradescope(found, wanted)))
    elif format is CheckForm.CLASSROOM50:
        say(json_text(classroom50(found, wanted, os.environ)))
    else:
        show(
            Format(format.value), partial(print_bot_check, found), report_object(found), found.games,
            columns=GameCheck.__struct_fields__,
        )  # fmt: skip
    return DONE if found.may_enter else NO
