"""The folder of a training: it holds one training alone, which the same command goes on with."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from arena import userfiles
from arena.disk import is_there, write_whole
from arena.errors import ConfigError

FILE = "training.json"


def check_folder(folder: Path, training: Mapping[str, Any], usual: Mapping[str, Any]) -> None:
    """Write what is trained in a folder, or raise ConfigError if it is something else.

    `usual`: values of settings that a folder of before they came does not name.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / FILE
    if is_there(file):
        there = {**_as_read(usual), **_read(file)}
        differing = [name for name, value in _as_read(training).items() if there.get(name) != value]
        if differing:
            raise ConfigError(f"{folder} holds another training (differs in {', '.join(differing)}); name another --out")
    write_whole(file, msgspec.json.format(msgspec.json.encode(training), indent=2) + b"\n")


def _read(file: Path) -> dict[str, Any]:
    try:
        return msgspec.json.decode(userfiles.content(file), type=dict[str, Any])
    except (OSError, msgspec.DecodeError, UnicodeError, RecursionError):
        raise ConfigError(f"{file}: damaged or not ours; name another --out") from None


def _as_read(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document as it is when it is read from a file."""
    return msgspec.json.decode(msgspec.json.encode(document), type=dict[str, Any])
