"""A seat that answers at random, and keeps every line of a conversation as a command bot's seat would send it."""

import random
from collections.abc import Mapping
from typing import Any

from arena.agent import BotFiles, EndInfo, StartInfo
from arena.agent.view import View
from arena.match import Answer, protocol
from arena.match.sandbox import CommandSeat
from arena.records import Limits
from helpers.seats_without_process import NoKeeper

BOT = BotFiles("bot.toml", {"bot.toml": b'name = "x"\ncommand = ["x"]\n'})


class Recorder:
    """Implements match.Seat. The ids follow from the seed: they are the same each time."""

    isolation = "none"
    wants_forced = False

    def __init__(self, seed: int, params: Mapping[str, Any]) -> None:
        self.chance = random.Random(seed)
        self.lines: list[bytes] = []
        self._ids = random.Random(seed)
        self._seat = CommandSeat(NoKeeper(), BOT, seed=seed, params=params, limits=Limits(memory=1))  # type: ignore[arg-type]

    def start(self, info: StartInfo) -> None:
        self._seat._id = self._id()
        self.lines.append(protocol.line(self._seat._greeting(info)))

    def ask(self, view: View) -> None:
        self._legal = view.legal
        asked = protocol.Act(
            id=self._id(), position=view.position, legal=view.legal, events=view.events, clock=view.clock
        )  # fmt: skip
        self.lines.append(protocol.line(asked))

    def answer(self) -> Answer:
        return Answer(self.chance.choice(self._legal), 0.0, 0.0)

    def end(self, result: EndInfo) -> None:
        self.lines.append(protocol.line(protocol.End(id=self._id(), places=list(result.places), scores=list(result.scores))))

    def _id(self) -> int:
        return self._ids.randrange(1, protocol.LARGEST_ID)
