"""Command bots: programs in any language that speak JSON lines. Their `bot.toml` is read here, strictly.

A bot.toml with the table `[llm]` is that of a language model, which has no program (model_bot.py).
"""

import msgspec

from arena.agent.build_table import Build, problems
from arena.agent.model_bot import TABLE, ModelBot, read_model
from arena.errors import BotError, ConfigError
from arena.names import NEW_NAME_RULE, may_be_given
from arena.userfiles import parse_toml, typed

FILE = "bot.toml"
FILE_BYTES = 1 << 14  # of a bot.toml: a longer one can keep the parser busy for minutes


class CommandBot(msgspec.Struct, frozen=True):
    """The content of a `bot.toml`."""

    name: str
    """The bot's default name: 1 to 40 of a-z, 0-9, _ and -."""
    command: list[str]
    """The program and its arguments, as they are: no shell. A program with a slash is a file of the bot's folder (`./bot`),
    any other one is found on the PATH of the machine that plays. The folder is the working directory."""
    games: list[str] = []
    """The games that the bot plays; empty: all."""
    files: list[str] = []
    """The bot's files besides bot.toml, relative to its folder; empty: all files in the folder."""
    wants_forced: bool = False
    """Whether the bot is also asked for decisions with a single legal action."""
    asks_outside: bool = False
    """Whether the bot asks something outside itself: a network, a clock, entropy. Then its matches cannot be repeated."""
    build: Build | None = None
    """How its program is made from source; None: nothing is built."""

    def is_made(self, name: str) -> bool:
        """Return whether a file of the bot is made by its build. `name`: its path relative to the folder."""
        return self.build is not None and self.build.is_made(name)


def read_toml(content: bytes) -> CommandBot | ModelBot:
    """Parse the content of a bot.toml. Raises BotError that names the key and says what would be right."""
    if len(content) > FILE_BYTES:
        raise BotError(f"{FILE}: {len(content):,} bytes; at most {FILE_BYTES:,} are read")
    try:
        document = parse_toml(content)
    except ConfigError as error:
        raise BotError(f"{FILE}: {error}") from None
    if TABLE in document:
        return read_model(document, FILE)
    try:
        bot = typed(document, CommandBot)
    except ConfigError as error:
        raise BotError(f"{FILE}: {error}; for example: {_EXAMPLE}") from None
    if not may_be_given(bot.name):
        raise BotError(f"{FILE}: name: a name is {NEW_NAME_RULE}, not {bot.name!r}")
    if not bot.command or not bot.command[0]:
        raise BotError(f"{FILE}: command: a program is needed; for example: {_EXAMPLE}")
    if bot.command[0].startswith("/"):  # an untrusted bot must not name files outside its folder, such as another bot's program
        raise BotError(f"{FILE}: command: {bot.command[0]}: give the program's name alone, or ./ and a file of this folder")
    if any("\0" in word for word in bot.command):
        raise BotError(f"{FILE}: command: no argument can hold a zero character")
    if bot.build is not None and (problem := next(problems(bot.build, FILE), None)):
        raise BotError(f"{FILE}: {problem}")
    return bot


_EXAMPLE = 'name = "my_bot", command = ["node", "bot.js"]'
