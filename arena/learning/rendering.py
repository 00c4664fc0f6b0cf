"""A table as text or as a picture."""

from arena.engine.contract import States
from arena.engine.room import Game
from arena.errors import ConfigError
from arena.learning import drawing
from arena.learning.drawing import Picture
from arena.learning.terminal import show

RENDER_MODES = ("human", "ansi", "rgb_array")
"""How a table may be shown: printed, as text, or as a picture."""


class Renderer:
    """Shows the table of one environment."""

    def __init__(self, game: Game, mode: str | None) -> None:
        """`mode`: the environment's `render_mode`."""
        self._game = game
        self._mode = mode
        self.is_live = mode == "human"
        """Whether each new position is shown by itself."""

    def render(self, states: States, seat: int | None) -> str | Picture | None:
        """The position as `seat` knows it, or all of it for None; in mode `human` it is printed. Raises ConfigError."""
        if self._mode is None:
            raise ConfigError('render: the environment has no render_mode; give it "ansi", "rgb_array" or "human"')
        if self._mode == "rgb_array":
            return drawing.picture(self, self._game, states, seat)
        text = self._game.text.describe(states[0] if seat is None else self._game.observed(states[:1], seat)[0], seat)
        if self._mode == "ansi":
            return text
        show(text)
        return None

    def close(self) -> None:
        """Let the browser go, if there is one."""
        drawing.release(self)
