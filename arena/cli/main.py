"""The command line: a verb is a file in this folder that parses, calls, prints and returns."""

import importlib
import os
import sys
from collections.abc import Sequence

import typer
from rich.console import Console

from arena.errors import ArenaError

VERBS = (
    "new",
    "check",
    "submit",
    "bots",
    "tournament",
    "ladder",
    "compare",
    "tune",
    "plan",
    "status",
    "leaderboard",
    "hall",
    "report",
    "rerate",
    "match",
    "replay",
    "capsule",
    "play",
    "trace",
    "verify",
    "verify-results",
    "warmup",
    "bench",
    "doctor",
)
"""Each is the module of that name here (`_` for `-`); its function of that name is the command."""

USER_ERROR = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code. A user's mistake prints one message and returns 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        result = _app(words)(words, prog_name="arena", standalone_mode=False)
        sys.stdout.flush()
        return result if isinstance(result, int) else 0
    except ArenaError as error:
        Console(stderr=True, soft_wrap=True, highlight=False, markup=False).print(f"arena: {error}")
        return USER_ERROR
    except BrokenPipeError:  # the reader has closed the pipe (`| head`): the rest is not wanted
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for Python's own flush at exit
        return 0
    except typer.Exit as exit_request:
        return int(exit_request.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        print("\narena: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        if not hasattr(error, "show") or not hasattr(error, "exit_code"):
            raise  # ours, not the user's
        error.show()  # the parser's own message
        return USER_ERROR


def _app(words: list[str]) -> typer.Typer:
    """The commands; only the called verb's module is imported, so that each starts as fast as it can."""
    app = typer.Typer(
        help="A tournament hall for card-game bots.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_arena)
    called = [verb for verb in VERBS if words and words[0] == verb] or VERBS
    for verb in called:
        name = verb.replace("-", "_")
        module = importlib.import_module("arena.cli.bench.topics" if verb == "bench" else f"arena.cli.verbs.{name}")
        app.command(name=verb)(getattr(module, name))
    return app


def _arena() -> None:
    """A tournament hall for card-game bots."""
