"""What a text names as a bot: `house:naga_planner` ships with arena, `submitted:alice` was submitted, any other is a path."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from arena.agent.files import BotFiles, bot_name, read_bot
from arena.agent.submissions import ALL, PREFIX, Submissions
from arena.errors import BotError, StoreError, nearest
from arena.shipped import house_folder

HOUSE = "house:"


class NamedBot(NamedTuple):
    """A bot that a text names."""

    name: str
    """What it is called on boards, unless it is given another name."""
    files: BotFiles


def find_bot(text: str, results: Path, *, read: Callable[[Path], BotFiles] = read_bot) -> NamedBot:
    """The bot that a text names. `results`: the folder with the submitted bots; `read`: see read_bot and read_unparsed.

    Raises BotError for files that are no bot, and StoreError for no submitted one; both say what is wrong and what there is.
    """
    if text.startswith(PREFIX):
        store = Submissions(results)
        found = store.find(text)
        if text == PREFIX + ALL:
            raise StoreError(f"{text}: one bot is needed here, such as {found[0].reference}")
        return NamedBot(found[0].name, store.files(found[0]))
    path = named_bot(text)
    if not path.exists():
        raise BotError(f"{path}: no such bot: {path.absolute()} does not exist")
    return NamedBot(bot_name(path), read(path))


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
