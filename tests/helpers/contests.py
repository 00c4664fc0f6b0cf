"""Small contests whose ladder plays in the test's own process: a file, bots that are submitted, a scripted server."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.server.contest.ladder import ContestLadder
from arena.server.contest.messages import Begin, Entered, FromLadder, LadderState, Rated

LEGAL = "from arena.agent import Agent\n\n\nclass Legal(Agent):\n    def act(self, view):\n        return view.legal[{place}]\n"
"""A bot that plays the legal action at a place of the list."""
SMALL = {
    "name": "class",
    "games": [{"game": "naga", "seats": 2}],
    "reference_bots": [{"path": "house:random_bot", "trusted": True}, {"path": "house:naga_greedy", "trusted": True}],
    "marks": {"random_bot": 3, "naga_greedy": 4},
    "ladder": {"sigma": 4.0, "separable": False},
}


def write_contest(folder: Path, **changes: Any) -> Path:
    """A contest's file."""
    path = folder / "class.yaml"
    path.write_text(yaml.safe_dump({**SMALL, **changes}))
    return path


def submit(results: Path, name: str, place: int = 0) -> None:
    """Submit the next version of a bot that plays the legal action at `place`."""
    Submissions(results).submit(
        name, BotFiles(f"{name}.py", {f"{name}.py": LEGAL.format(place=place).encode()}), (), as_new=True
    )


class ScriptedServer:
    """What the ladder takes for the server: whenever it waits, the next step is taken, and after the last one it hangs up."""

    def __init__(self, steps: Sequence[Callable[[], object]] = ()) -> None:
        self._steps: Iterator[Callable[[], object]] = iter(steps)
        self.heard: list[FromLadder] = []
        self.is_over = self.is_new = self.is_freezing = False

    def send(self, message: FromLadder) -> None:
        self.heard.append(message)

    def wait(self, seconds: float) -> None:
        step = next(self._steps, None)
        if step is None:
            self.is_over = True
        else:
            step()
            self.is_new = True

    def entered(self) -> list[tuple[str, int]]:
        """The versions that entered, each once."""
        return list(dict.fromkeys((one.bot, one.version) for one in self.heard if isinstance(one, Entered)))

    def rated(self) -> list[tuple[str, int]]:
        """The versions that have a rated match, each once."""
        return list(dict.fromkeys((one.bot, one.version) for one in self.heard if isinstance(one, Rated)))

    def states(self) -> list[str]:
        """What the ladder did, one after the other."""
        return [one.doing for one in self.heard if isinstance(one, LadderState)]


def run_ladder(
    contest: Path, results: Path, *steps: Callable[[], object], server: ScriptedServer | None = None
) -> ScriptedServer:
    """Run the ladder until it has waited once more than there are steps."""
    server = server or ScriptedServer(steps)
    ContestLadder(Begin(contest=str(contest), results=str(results), workers=1), server).run()  # type: ignore[arg-type]
    return server
