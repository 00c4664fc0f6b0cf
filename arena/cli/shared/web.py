"""What commands that serve pages need beside the rest of arena."""

import contextlib
import importlib.util
import os
import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from pathlib import Path

from arena.errors import ConfigError

NEEDED = ("starlette", "uvicorn", "websockets")
"""The packages of the extra `web`."""
LOOPBACK = "127.0.0.1"
LOCAL = (LOOPBACK, "localhost", "::1")
"""The addresses at which only this machine reaches a server."""
PORT = 8000
_REDIRECT = '<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={url}">'


def need_web(command: str) -> None:
    """Raise ConfigError that says what to install, unless it is installed."""
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        names = ", ".join(missing)
        raise ConfigError(f"{command} needs {names}: pip install 'arena-hall[web]', or in a clone: pip install '.[web]'")


def has_screen() -> bool:
    """Return whether a browser can open, or the user names one; in a terminal alone, one in text would take its place."""
    return sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


@contextlib.contextmanager
def browser_at(url: str) -> Iterator[None]:
    """Open the browser with a file that leads on to the address: all users see command lines, and the token in it is secret."""
    with tempfile.TemporaryDirectory(prefix="arena-serve-") as folder:
        page = Path(folder) / "open.html"
        page.touch(0o600)
        page.write_text(_REDIRECT.format(url=url), "utf-8")
        webbrowser.open(page.as_uri())
        yield
