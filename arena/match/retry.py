"""Matches outside tournaments whose bots ask for what is not compiled: it is compiled here, and the match begins anew."""

from collections.abc import Callable
from typing import TypeVar

from arena import games
from arena.engine.readiness import NotCompiled, absent_parts, compile_and_tell
from arena.match.sandbox import Keeper

R = TypeVar("R")


def with_all_compiled(play: Callable[[], R], keeper: Keeper | None, say: Callable[[str], None]) -> R:
    """What `play` returns. Where a locked bot asks for a part of its room that is not there, it is called again.

    A trusted bot waits for the part. Neither is charged for it. `say`: is given a line before something is compiled.
    """
    compile_part = compile_and_tell(say)
    with absent_parts(compile_part):
        while True:  # once for each part of a room at most: then the zygote has it
            try:
                return play()
            except NotCompiled as needed:
                compile_part(games.part(games.load(needed.game), needed.part))
                if keeper is not None:
                    keeper.renew()
