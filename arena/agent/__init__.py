"""Everything about bots. This is the module that a bot imports: `from arena.agent import Agent, View`."""

from arena.agent.agent import Agent, EndInfo, StartInfo
from arena.agent.files import BotFiles, bot_name, read_bot, unpack, unpacked
from arena.agent.loading import BlankModule, LoadedBot
from arena.agent.view import View

__all__ = [
    "Agent", "BlankModule", "BotFiles", "EndInfo", "LoadedBot", "StartInfo", "View", "bot_name", "read_bot", "unpack",
    "unpacked",
]  # fmt: skip
