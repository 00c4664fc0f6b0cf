"""What commands that serve pages need beside the rest of arena."""

import importlib.util

from arena.errors import ConfigError

NEEDED = ("starlette", "uvicorn", "websockets")
"""The packages of the extra `web`."""


def need_web(command: str) -> None:
    """Raise ConfigError that says what to install, unless it is installed."""
    if missing := [name for name in NEEDED if importlib.util.find_spec(name) is None]:
        names = ", ".join(missing)
        raise ConfigError(f"{command} needs {names}: pip install 'arena-hall[web]', or in a clone: pip install '.[web]'")
