"""The last action of a person who sits alone with bots, as long as it may be taken back: in the browser and in the terminal."""

from dataclasses import dataclass
from functools import cache
from typing import Generic, TypeVar

from arena.engine.game import Game
from arena.engine.outcomes import Fact
from arena.reports.pages.scenes import Replay, Scene
from arena.reports.pages.words import catalogue

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class _Asked(Generic[Kept]):
    """A decision that the person was asked for."""

    scene: Scene
    kept: Kept


class LastAction(Generic[Kept]):
    """Whether the person may choose again in place of the last own action, and where the match stood before it.

    That is possible at the decision that follows at once, before which no bot is asked (arena/match/referee.py), where the game
    has words for it beside those of the task: it has them for what shows its seat nothing new (`back_X` for `task_X`).
    """

    def __init__(self, game: Game, story: Replay) -> None:
        """`story`: the match as it is played."""
        self._story = story
        self._words = words_back(game.name)
        self._last: _Asked[Kept] | None = None  # the decision that is open, or was played last
        self._before: _Asked[Kept] | None = None  # the one before, if its action can be taken back

    def ask(self, task: Fact | None, kept: Kept) -> str:
        """Note that the person is asked. Returns the key of the game's words for taking back; empty: nothing can be.

        `kept`: what `take_back` returns if the action that follows is taken back.
        """
        now, key = self._story.scene(), "" if task is None else task.key.replace("task_", "back_")
        is_next = self._last is not None and self._last.scene.number == now.number - 1
        may = is_next and key in self._words
        self._before, self._last = self._last if may else None, _Asked(Scene(now.number, now.state), kept)
        return key if may else ""

    @property
    def can_be_taken_back(self) -> bool:
        """Whether the last action can be taken back at the decision that is open."""
        return self._before is not None

    def take_back(self) -> tuple[Scene, Kept]:
        """Return to the position before the last action; returns it, and what was kept when its decision was asked for."""
        assert self._before is not None
        before, self._before, self._last = self._before, None, None
        self._story.return_to(before.scene)
        return before.scene, before.kept


@cache
def words_back(game: str) -> frozenset[str]:
    """The keys of a game's words for what can be taken back."""
    return frozenset(key for words in catalogue(game).values() for key in words if key.startswith("back_"))
