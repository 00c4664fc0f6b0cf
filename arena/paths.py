"""Paths as people write them in configs and on the command line."""

from collections.abc import Sequence
from pathlib import Path

from arena.errors import ConfigError


def existing_path(text: str, folders: Sequence[Path], what: str) -> Path:
    """The first of `folders` / `text` that exists. Raises ConfigError that names them all; `what`: "no such bot"."""
    candidates = [folder / text for folder in folders]
    for path in candidates:
        if path.exists():
            return path
    tried = [str(path.absolute()) for path in dict.fromkeys(path.resolve() for path in candidates)]
    raise ConfigError(f"{what}: neither {' nor '.join(tried)} exists" if len(tried) > 1 else f"{what}: {tried[0]}")
