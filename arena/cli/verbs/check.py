"""`arena check BOT`: may it enter, how fast is it, and what went wrong where it may not."""

from functools import partial

from arena.cli.shared.checking import checked, report_object
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import BotParams, BotText, CheckSeed, FormatOption, OnlyGames, Out, parse_params
from arena.cli.shared.printing import Format, show
from arena.reports.checks import print_bot_check
from arena.results_folder import RESULTS
from arena.tournament.check_report import GameCheck


def check(
    bot: BotText,
    game: OnlyGames = None,
    seed: CheckSeed = None,
    param: BotParams = None,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Play a bot through its games and report its faults, speed and memory.

    The bot plays locked in, as in a tournament, at all table sizes and in all variants of its games, against bots of this
    house. Exit code 0: it may enter a tournament, 1: it may not.
    """
    found, _ = checked(bot, game or [], seed, results=out, params=parse_params(param or [], 1)[0], may_ask=True)
    show(
        format, partial(print_bot_check, found), report_object(found), found.games, columns=GameCheck.__struct_fields__
    )  # fmt: skip
    return DONE if found.may_enter else NO
