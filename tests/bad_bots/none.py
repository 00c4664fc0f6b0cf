"""Returns None. Expected: malformed."""

from arena.agent import Agent, View


class ReturnsNone(Agent):
    def act(self, view: View) -> str:
        return None  # type: ignore[return-value]
