"""What the seat of an agent was told at its table: the messages for a person of that seat, and nothing else.

All that an agent is answered about a match is made of this, so no byte of it depends on what the seat cannot know
(tests/mcp/test_mcp_leaks.py; arena/server/table_process/messages.py).
"""

from dataclasses import dataclass, field

from arena.engine.outcomes import RoundResult
from arena.reports.pages.frames import Event
from arena.server.table_process.messages import Ask, Frame, Hint, Over, Refused, ToSeat

Entry = Event | RoundResult
"""Something that happened, or the end of a round."""


@dataclass
class Told:
    """The messages for one seat, in order."""

    frame: Frame | None = None
    """The position that was shown last."""
    asked: Ask | None = None
    """The decision that was asked for last."""
    is_open: bool = False
    """Whether that decision still has to be taken."""
    hint: Hint | None = None
    """The hint for it."""
    refused: Refused | None = None
    """The last action that came too late, or that the table did not take."""
    over: Over | None = None
    log: list[Entry] = field(default_factory=list)
    """All that happened since the deal, as the seat learnt it."""
    has_acted: bool = False
    _acted: int = 0
    """How long the log was when the seat acted last."""

    def hear(self, message: ToSeat) -> None:
        """Take the next message. An Ask with a single legal action is no decision: in real time most ticks have none."""
        match message:
            case Frame():
                self.frame = message
                self.log += message.events
                if message.result is not None:
                    self.log.append(message.result)
            case Ask():
                self.asked, self.is_open, self.hint = message, len(message.legal) > 1, None
            case Hint():
                self.hint = message
            case Refused():
                self.refused = message
            case Over():
                self.over, self.is_open = message, False

    def act(self) -> None:
        """Note that the seat acts now."""
        self.is_open, self.refused, self.has_acted, self._acted = False, None, True, len(self.log)

    def since(self) -> list[Entry]:
        """What happened since the seat acted last, its own action included; at first all that happened since the deal."""
        return self.log[self._acted :]
