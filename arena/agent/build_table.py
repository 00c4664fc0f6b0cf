"""The table `[build]` of a command bot's bot.toml: how its program is made from source where the bot is admitted."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath

import msgspec

from arena.agent.plain_files import inner_path

TABLE = "build"
"""The name of the table in a bot.toml."""
SECONDS, MEMORY_MB, DISK_MB = 60, 1024, 256
"""What a build may use where its table names nothing: CPU seconds, and megabytes (2**20 bytes) of memory and of files."""
MOST_SECONDS, MOST_MEMORY_MB, MOST_DISK_MB = 600, 4096, 1024
"""What a table may ask for at most."""


class Build(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One command that is run once, in a copy of the bot's folder, without a network; what it makes plays."""

    command: list[str]
    """The program and its arguments, as they are: no shell. The program is found by its name on the machine that admits."""
    makes: list[str]
    """The files and folders that the command makes, relative to the bot's folder. They play, together with the bot's files."""
    seconds: int = SECONDS
    """CPU seconds of all its processes together."""
    memory_mb: int = MEMORY_MB
    """Memory of all its processes together, in units of 2**20 bytes."""
    disk_mb: int = DISK_MB
    """What it may write in all, its temporary files included, in units of 2**20 bytes."""

    def is_made(self, name: str) -> bool:
        """Return whether a file of the bot is one that the command makes. `name`: its path relative to the folder."""
        path = PurePosixPath(name)
        return not self._made.isdisjoint(map(str, (path, *path.parents)))

    @cached_property
    def _made(self) -> frozenset[str]:
        """What the command makes, by paths in their shortest form: a table may have thousands, and a bot a thousand files."""
        return frozenset(inside for entry in self.makes if (inside := inner_path(entry)) is not None)


def problems(build: Build, main: str) -> Iterator[str]:
    """What is wrong with a table, with the key and what would be right. `main`: the name of the bot.toml."""
    command = f"{TABLE}.command"
    if not build.command or not build.command[0]:
        yield f'{command}: a program is needed; for example: ["rustc", "-O", "-o", "bot", "main.rs"]'
    elif "/" in build.command[0]:
        yield (
            f"{command}: {build.command[0]}: give the name of a program of the machine that builds, such as rustc, and for a "
            'script its interpreter, as in ["sh", "build.sh"]'
        )
    if any("\0" in word for word in build.command):
        yield f"{command}: no argument can hold a zero character"
    if not build.makes:
        yield f'{TABLE}.makes: the files that the command makes are needed; for example: ["bot"]'
    for name in build.makes:
        if inner_path(name) is None:
            yield f"{TABLE}.makes: {name!r} is not in the bot's folder"
        elif inner_path(name) == main:
            yield f"{TABLE}.makes: a command cannot make the {main} in which it stands"
    bounds = (("seconds", build.seconds, MOST_SECONDS), ("memory_mb", build.memory_mb, MOST_MEMORY_MB))
    for key, number, most in (*bounds, ("disk_mb", build.disk_mb, MOST_DISK_MB)):
        if not 1 <= number <= most:
            yield f"{TABLE}.{key}: a whole number from 1 to {most:,} is needed, not {number:,}"
