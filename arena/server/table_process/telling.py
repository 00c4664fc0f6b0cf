"""What the people of a table are told: the positions as they come about, what happened, and that it is their turn."""

from collections.abc import Callable, Sequence

from arena.agent.view import View
from arena.engine.options import OptionValue
from arena.engine.room import Game, States
from arena.reports.pages.frames import Event, draws_table, frame, seen_choosing
from arena.reports.pages.scenes import Scene, Story
from arena.server.table_process import coach
from arena.server.table_process.messages import Ask, Envelope, Frame, FromTable, Ready
from arena.server.table_process.ticks import Ticks


class Teller:
    """Tells each person what the seat may know, in the frames of a replay; an observer of the referee."""

    def __init__(
        self,
        game: Game,
        options: dict[str, OptionValue],
        states: States,
        people: Sequence[int],
        send: Callable[[FromTable], object],
        ticks: Ticks | None,
    ) -> None:
        """`options`: all, resolved; `states`: the deal, which the teller then owns; `people`: their seats.

        `ticks`: only in real time.
        """
        self.send = send
        self._game = game
        self._options = options
        self._story = Story(game, states)
        self._in_words = not draws_table(game.name)
        self._ticks = ticks
        self._since: dict[int, list[Event]] = {seat: [] for seat in people}
        self._number = 0
        self._has_begun = False

    def begin(self) -> None:
        """Say that the match begins, and show the deal; only the first call does something. All seats have started by then."""
        if not self._has_begun:
            self._has_begun = True
            self.send(Ready(options=self._options))
            if self._ticks is not None:
                self._ticks.begin_round()
            self._tell(self._story.opening, self._story.choosing())

    def played(self, action: int) -> None:
        """Tell what an action led to, when everybody may know it."""
        self.begin()
        scenes = self._story.play(action)
        if len(scenes) > 1 and self._ticks is not None:
            self._ticks.begin_round()
        for scene in scenes:
            self._tell(scene, self._story.choosing() if scene is scenes[-1] else [])

    def ask(self, seat: int, view: View) -> int:
        """Ask a person to choose. Returns the number of the decision: that of the last frame."""
        self.begin()
        since, self._since[seat] = self._since[seat], []
        ask = Ask(decision=self._number, legal=view.legal, since=since, refusals=coach.refusals(view), known=coach.known(view))
        self.send(Envelope(seat=seat, message=ask))
        return self._number

    def _tell(self, scene: Scene, choosing: list[int]) -> None:
        """Send a scene to all people, to each as the seat sees it. `choosing`: the seats that choose next."""
        self._number = scene.number
        tick_ms = None if self._ticks is None else max(0, round(1000 * self._ticks.left()))
        for seat in self._since:
            shown, _ = frame(self._game, scene, seat, None, in_words=self._in_words)
            self._since[seat] += shown.events
            told = Frame(
                number=scene.number, events=shown.events, position=shown.position, text=shown.text, tick_ms=tick_ms,
                choosing=seen_choosing(choosing, seat), is_end_of_round=scene.is_end_of_round,
            )  # fmt: skip
            self.send(Envelope(seat=seat, message=told))
