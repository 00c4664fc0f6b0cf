"""What a text names as a bot: `house:naga_planner` is a bot that ships with arena, any other text is a path."""

from pathlib import Path

from arena.agent.files import BotFiles
from arena.errors import BotError, nearest
from arena.shipped import house_folder

HOUSE = "house:"


def named_bot(text: str) -> Path:
    """The path of the bot that a text names, which need not exist unless it is a house bot.

    Raises BotError for an unknown house bot, with the nearest name.
    """
    if not text.startswith(HOUSE):
        return Path(text)
    name, known = text.removeprefix(HOUSE), house_bots()
    if name not in known:
        raise BotError(f"{text}: no house bot of this name; {nearest(name, known)}")
    return known[name]


def is_house_bot(bot: BotFiles) -> bool:
    """Whether these are exactly the files of a house bot, whatever it is called."""
    (content, *others) = bot.files.values()
    return not others and any(path.read_bytes() == content for path in house_bots().values())


def house_bots() -> dict[str, Path]:
    """The files of the house bots by name, sorted. Raises BotError if the installation lacks them."""
    folder = house_folder("bots")
    # resolved: some installers link files, and a bot's own files are read without following links
    found = {path.stem: path.resolve() for path in sorted(folder.glob("*.py"))}
    if not found:
        raise BotError(f"{folder}: the house bots are missing; install arena again")
    return found
