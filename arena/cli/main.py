"""The command line. A command is a file in `verbs/` or `bench/` that parses, calls, prints and returns an exit code.

Only the module of the called command is imported, and none for `arena --help` and `arena bench --help`.
"""

import errno
import functools
import gc
import importlib
import io
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType

import arena
from arena.cli.commands import BENCH, PANELS, TOPICS, VERBS
from arena.cli.shared.exit_codes import INTERRUPTED, USER_ERROR

WIDEST = 100  # columns of a help text: longer lines are hard to read

_LACKS = {  # what a system refuses, whatever is asked of it
    errno.EMFILE: "more files would be open than a process may have; raise the limit, `ulimit -n`",
    errno.ENFILE: "more files would be open than this machine may have: another program holds them, whatever `ulimit -n` says",
    errno.EAGAIN: "more processes or threads would run than may; raise the limit, `ulimit -u` or that of the container's pids",
    errno.ENOMEM: "not enough memory; stop other programs, or raise the limit (`ulimit -v`, that of the container)",
    errno.ENOSPC: "a disk is full",
}
_OF_FILES = {errno.ENAMETOOLONG, errno.ELOOP, errno.EROFS, errno.EIO, errno.EDQUOT, errno.ESTALE}  # of any path
_LOOP = "Symlink loop from "
_HELP = ("--help",)
_ABOUT = "Tournaments for card-game bots."


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line and return the exit code. A user's mistake prints one message and returns 2."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    listing = help_listing(words)
    if listing is None:
        return _run(words)
    print(listing, flush=True)
    return 0


def help_listing(words: Sequence[str]) -> str | None:
    """The list of all verbs or bench topics, or the version, if the words ask for it; None: they call a command."""
    if tuple(words) in ((), _HELP):
        return _listed("arena COMMAND", _ABOUT, PANELS)
    if tuple(words) == ("--version",):
        return f"arena {arena.__version__}, Python {platform.python_version()}"
    if words[0] == BENCH and tuple(words[1:]) in ((), _HELP):
        return _listed("arena bench TOPIC", f"{VERBS[BENCH]}.", {"Topics": TOPICS})
    return None


def _listed(usage: str, about: str, panels: Mapping[str, Mapping[str, str]]) -> str:
    """A help page: names on the left, what they do on the right, wrapped to the width of the terminal."""
    import textwrap  # only now: `python -m arena` would take a file of that name in the current folder for it

    width = min(WIDEST, _columns())
    indent = 4 + max(len(name) for panel in panels.values() for name in panel)
    lines = [f"Usage: {usage} [OPTIONS]", "", *textwrap.wrap(about, width)]
    for title, panel in panels.items():
        lines += ["", f"{title}:"]
        for name, text in panel.items():
            lines += textwrap.wrap(text, width, initial_indent=f"  {name}".ljust(indent), subsequent_indent=" " * indent)
    lines += ["", *textwrap.wrap(f"Run `{usage} --help` for the options of one of them.", width)]
    return "\n".join(lines)


def _columns() -> int:
    """Width of the terminal; of a pipe, 80."""
    try:
        return max(40, int(os.environ.get("COLUMNS") or os.get_terminal_size().columns))
    except (OSError, ValueError):
        return 80


def _run(words: list[str]) -> int:
    from arena.errors import ArenaError  # only now, like typer: the list of commands does without
    from arena.stopping import heard_by, interrupt

    try:
        name, rest = _called(words)
        with heard_by(interrupt):
            result = _call(name, command(name), rest)
        sys.stdout.flush()
        return result
    except ArenaError as error:
        from arena.cli.shared.printing import complain

        complain(str(error))
        return USER_ERROR
    except (OSError, MemoryError, RuntimeError) as error:
        from arena.cli.shared.printing import complain

        lack = _lack(error)
        if lack is None:
            raise
        complain(lack)
        return USER_ERROR
    except (KeyboardInterrupt, _Interrupted):
        print("\narena: interrupted", file=sys.stderr)
        return INTERRUPTED


def _lack(error: Exception) -> str | None:
    """What the machine lacks, or cannot do with a file, in words; None: the error is ours."""
    if isinstance(error, MemoryError):
        return _LACKS[errno.ENOMEM]
    if isinstance(error, RuntimeError) and str(error).startswith(_LOOP):  # of Path.resolve
        return f"{str(error).removeprefix(_LOOP)}: a link that leads to itself"
    if isinstance(error, RuntimeError):
        return _LACKS[errno.EAGAIN] if str(error) == "can't start new thread" else None
    if "No usable temporary directory" in str(error):  # of Python's tempfile
        return "no temporary folder can be written; name one in TMPDIR"
    if not isinstance(error, OSError) or error.errno is None:
        return None
    if error.filename is None:
        return _LACKS.get(error.errno)
    return f"{error.filename}: {error.strerror}" if error.errno in _OF_FILES | _LACKS.keys() - {errno.EAGAIN} else None


def _called(words: list[str]) -> tuple[str, list[str]]:
    """The name of the called command, like `plan` or `bench scale`, and the words after it. Raises ConfigError."""
    from arena.errors import ConfigError, nearest

    verb, *rest = words
    if verb not in VERBS:
        what = "option before a command" if verb.startswith("-") else "command"
        raise ConfigError(f"no {what} {verb!r}; {nearest(verb, VERBS)}")
    if verb != BENCH:
        return verb, rest
    topic, *rest = rest
    if topic not in TOPICS:
        raise ConfigError(f"bench: no topic {topic!r}; {nearest(topic, TOPICS)}")
    return f"{BENCH} {topic}", rest


def command(name: str) -> Callable[..., int]:
    """The function behind a command, like `plan` or `bench scale`; its parameters are the options."""
    *group, last = name.replace("-", "_").split()
    function: Callable[..., int] = getattr(_imported(f"arena.cli.{'bench' if group else 'verbs'}.{last}"), last)
    return function


def _imported(name: str) -> ModuleType:
    """A module with all that it imports. It stays, so nobody looks for garbage meanwhile: that took a tenth of a start."""
    if name in sys.modules:
        return sys.modules[name]
    gc.disable()
    try:
        return importlib.import_module(name)
    finally:
        gc.enable()
        gc.freeze()


def _call(name: str, function: Callable[..., int], words: list[str]) -> int:
    """Parse the words and call the function."""
    import typer

    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command(context_settings={"max_content_width": WIDEST})(_heeded(function))
    try:
        result = app(words, prog_name=f"arena {name}", standalone_mode=False)
    except typer.Exit as exit_request:
        return int(exit_request.exit_code)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        if not hasattr(error, "show") or not hasattr(error, "exit_code"):
            raise  # not from the parser of the command line
        from arena.cli.shared.printing import note

        said = io.StringIO()
        error.show(said)  # the parser's own message, which repeats the words of the command line
        note(said.getvalue().rstrip("\n"))
        return USER_ERROR
    return result if isinstance(result, int) else 0


class _Interrupted(Exception):
    """Ctrl-C in a command, on its way past typer, which would end it without a word."""


def _heeded(function: Callable[..., int]) -> Callable[..., int]:
    """The same command, which raises _Interrupted where Ctrl-C ends it."""

    @functools.wraps(function)
    def called(**options: object) -> int:
        try:
            return function(**options)
        except KeyboardInterrupt:
            raise _Interrupted from None
        except EOFError as error:  # of a file that ends too soon: typer would take it for the end of what is typed
            raise RuntimeError(str(error)) from error

    return called
