"""The hostile bots of locked seats: bad_bots/locked/ has their attacks by subject, and the frame of each."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from arena.records import Ending
from helpers.paths import BAD_BOTS

_FOLDER = BAD_BOTS / "locked"
_FRAME = _FOLDER / "frame.py"


class Attack(NamedTuple):
    """A hostile bot: what it tries, and what must come of it."""

    name: str
    says: str
    ending: Ending
    """The match's for it; PLAYED: the attack is refused."""
    file: Path

    def bot(self, folder: Path) -> Path:
        """Write the bot: the frame, the attacks of its file, and which of them is tried."""
        bot = folder / f"{self.name}.py"
        says = f'"""{self.says} Expected: {self.ending}."""'
        bot.write_text("\n".join((says, _FRAME.read_text("utf-8"), self.file.read_text("utf-8"), f"ATTACK = {self.name}\n")))
        return bot


def _attacks() -> Iterator[Attack]:
    for file in sorted(_FOLDER.glob("*.py")):
        for function in ast.parse(file.read_text("utf-8")).body:
            if isinstance(function, ast.FunctionDef) and function.decorator_list:
                (mark,) = function.decorator_list
                ending = ast.literal_eval(mark.args[0]) if isinstance(mark, ast.Call) else Ending.PLAYED
                yield Attack(function.name, ast.get_docstring(function) or "", Ending(ending), file)


ATTACKS = {attack.name: attack for attack in sorted(_attacks())}
