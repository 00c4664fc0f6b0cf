"""`arena join URL BOT`: play a bot on this machine on a server elsewhere."""

from types import FrameType
from typing import Annotated

import typer

from arena import games
from arena.agent import LoadedBot
from arena.agent.loading import find_bot
from arena.cli.shared.exit_codes import DONE, INTERRUPTED
from arena.cli.shared.options import BotText, Token
from arena.cli.shared.printing import note, say
from arena.cli.shared.web import need_web
from arena.errors import BotError, ConfigError, nearest, short_trace
from arena.match.builds import built
from arena.results_folder import nearest_results
from arena.server.joining.address import server_at
from arena.stopping import heard_by
from arena.tournament.config import check_name

MOST_TABLES = 8


def join(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the server, such as http://127.0.0.1:8000.")],
    bot: BotText,
    token: Token = None,
    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Name of the bot, after that of your account. Default: its file's."),
    ] = None,
    game: Annotated[
        list[str] | None,
        typer.Option("--game", metavar="GAME", help="Only this game. Repeatable. Default: all that the bot plays."),
    ] = None,
    tables: Annotated[
        int, typer.Option("--tables", metavar="N", min=1, max=MOST_TABLES, help="How many matches it plays at the same time.")
    ] = 1,
) -> int:
    """Play a bot on this machine on a server elsewhere.

    It plays match after match, here with your rights, and has time by the wall. Ctrl-C ends it after the present match, a
    second one at once: then that match is forfeited.
    """
    need_web("arena join")
    from arena.server.joining.client import Joining  # only now: --help does without

    server = server_at(url, token)
    found = find_bot(bot, nearest_results())
    found = found._replace(files=built(found.files, found.name, is_trusted=True, say=note, every=10.0).files)
    chosen = name or found.name
    check_name(chosen, f"{bot}: --name gives it another name" if name is None else "--name")
    if found.files.model is not None:
        raise BotError(f"{bot}: a language model plays on the organiser's machine, and does not join from elsewhere")
    if found.files.command is not None:
        declared, wants_forced = found.files.command.games, found.files.command.wants_forced
    else:
        try:
            with LoadedBot(found.files) as loaded:
                declared, wants_forced = list(loaded.agent_class.games), bool(loaded.agent_class.wants_forced)
        except BotError:
            raise
        except Exception:
            raise BotError(f"{bot} cannot be loaded:\n{short_trace()}") from None
    joining = Joining(server, found.files, chosen, _games(game or [], declared), wants_forced, say, tables)
    interruptions = 0

    def interrupted(_number: int, _frame: FrameType | None) -> None:
        nonlocal interruptions
        interruptions += 1
        if interruptions > 1:
            joining.leave()
            raise KeyboardInterrupt
        note("leaving after the present match; Ctrl-C again leaves at once, and forfeits it")
        joining.stopping.set()

    try:
        with heard_by(interrupted):
            joining.play()
    except KeyboardInterrupt:
        return INTERRUPTED
    return DONE


def _games(wanted: list[str], declared: list[str]) -> list[str]:
    """The games to play. Raises ConfigError for one that there is not, or that the bot does not play."""
    known = games.names()
    for name in wanted:
        if name not in known:
            raise ConfigError(f"--game {name}: no such game; {nearest(name, known)}")
        if declared and name not in declared:
            raise ConfigError(f"--game {name}: the bot plays only {', '.join(declared)}")
    return wanted or [name for name in declared if name in known] or known
