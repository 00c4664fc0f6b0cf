"""What a text names as a bot: `house:naga_planner` is a bot that ships with arena, any other text is a path."""

from pathlib import Path

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


def house_bots() -> dict[str, Path]:
    """The files of the house bots by name, sorted. Raises BotError if the installation lacks them."""
    folder = house_folder("bots")
    found = {path.stem: path for path in sorted(folder.glob("*.py"))}
    if not found:
        raise BotError(f"{folder}: the house bots are missing; install arena again")
    return found
