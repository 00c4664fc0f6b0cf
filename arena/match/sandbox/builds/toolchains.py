"""The toolchains of this machine: where builds find compilers, what they may read, and which ones are here."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from arena.errors import BotError
from arena.match.sandbox.supervisor import SYSTEM, libraries

VARIABLE = "ARENA_TOOLCHAINS"
"""Names further folders with toolchains, between colons: builds may read all in them, and run what is in their `bin`."""
_ENVIRONMENT = {
    "LANG": "C.UTF-8", "TZ": "UTC", "SOURCE_DATE_EPOCH": "0", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1",
    "OPENSSL_CONF": "/dev/null", "CARGO_NET_OFFLINE": "true", "GOPROXY": "off", "GOFLAGS": "-trimpath", "GOTOOLCHAIN": "local",
    "GOTELEMETRY": "off", "NO_COLOR": "1",
}  # fmt: skip
"""The variables of every locked build, beside PATH and those of its folders: no network is there, and no time of day counts."""
KNOWN = {
    "rustc": ("--version",), "cargo": ("--version",), "gcc": ("-dumpfullversion",), "g++": ("-dumpfullversion",),
    "javac": ("-version",), "go": ("version",), "tsc": ("--version",), "node": ("--version",),
}  # fmt: skip
"""The programs that `arena doctor` looks for, with what makes them say their version."""
_PROGRAMS = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d")
_BIN = ("/usr/local/bin", "/usr/bin", "/bin")
_SECONDS = 5.0


def readable() -> tuple[str, ...]:
    """The files and folders of the system that a build may read."""
    java = sorted(str(path) for path in Path("/etc").glob("java-*"))  # what its own folder links to
    return tuple(dict.fromkeys([*runnable(), *SYSTEM, *libraries(), *_SETTINGS, *java]))


def runnable() -> tuple[str, ...]:
    """The folders with programs that a build may run: the system's, Python's, and those that the organiser names."""
    found = [*_PROGRAMS, str(Path(sys.base_prefix, "bin")), str(Path(sys.base_prefix, "lib")), *_further()]
    return tuple(dict.fromkeys([*found, *(os.path.realpath(path) for path in found)]))


def environment() -> dict[str, str]:
    """The variables of every locked build, beside those of its own folders."""
    return {"PATH": search_path(), **_ENVIRONMENT}


def search_path() -> str:
    """The PATH of a locked build."""
    return os.pathsep.join([*(f"{folder}/bin" for folder in _further()), *_BIN, str(Path(sys.base_prefix, "bin"))])


def find(name: str, path: str) -> Path:
    """The program of that name on a PATH. Raises BotError."""
    found = shutil.which(name, path=path)
    if found is None:
        raise BotError(
            f"build.command: no {name} on the machine that builds; `arena doctor` lists its toolchains (looked in {path})"
        )
    return Path(found)


def present() -> Iterator[tuple[str, str]]:
    """The known toolchains that locked builds find here, each with the version that it says."""
    path = search_path()
    for name, question in KNOWN.items():
        if (found := shutil.which(name, path=path)) is not None:
            yield name, _version(found, question, path)


def _version(program: str, question: tuple[str, ...], path: str) -> str:
    """The number in what a program says of itself; "?" where it says none."""
    environment = {"PATH": path, "HOME": "/nonexistent", "LANG": "C.UTF-8", "GOTOOLCHAIN": "local", "GOTELEMETRY": "off"}
    try:
        said = subprocess.run(
            [program, *question], check=False, capture_output=True, text=True, timeout=_SECONDS, env=environment,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired, ValueError):
        return "?"
    words = (said.stdout or said.stderr).split()
    numbers = (word.strip("v,").removeprefix("go") for word in words)
    return next((word for word in numbers if word[:1].isdigit()), "?")[:20]


def _further() -> list[str]:
    return [str(Path(folder).absolute()) for folder in os.environ.get(VARIABLE, "").split(os.pathsep) if folder]
