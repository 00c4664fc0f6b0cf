"""The versions of a bot that its author has kept while writing it: folders named by their content, beside the results."""

from pathlib import Path

from arena.agent.files import BotFiles
from arena.disk import write_whole
from arena.errors import StoreError

KEPT = "kept"
"""The folder of the kept versions in the results folder."""
_DIGITS = 12  # of the SHA-256, which name a version


class KeptVersions:
    """The kept versions of one bot."""

    def __init__(self, results: Path, bot: str) -> None:
        """`results`: the results folder; `bot`: the bot's name, as it may stand in a path."""
        self.folder = results / KEPT / bot

    def keep(self, files: BotFiles) -> Path:
        """Write a version, unless it is there, and return its folder. Raises StoreError."""
        folder = self.folder / files.sha256[:_DIGITS]
        try:
            for name, content in files.files.items():
                path = folder / name
                if not path.exists():
                    path.parent.mkdir(parents=True, exist_ok=True)
                    write_whole(path, content)
        except OSError as error:
            raise StoreError(f"{folder}: cannot be written: {error.strerror}") from None
        return folder
