"""What the seat of a language model is told at a decision, in matches and where it learns, and what it has heard before."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from arena.agent.model_bot import HISTORY, LIST, NOTES, PromptSettings
from arena.agent.view import View, moment_of
from arena.llm.prompt import Event, Round, situation
from arena.match.history import Decision


@dataclass
class Heard:
    """What a seat has learnt of the actions of the present round: of a long one only what is new is told at each decision."""

    events: list[Event] = field(default_factory=list)
    rounds: int = 0
    """How many rounds were dealt."""

    def hear(self, moment: Decision) -> None:
        """Take in what came since the seat's last decision."""
        if moment.rounds == self.rounds:
            self.events += moment.events()
        else:
            self.events, self.rounds = moment.since_deal(), moment.rounds


def decision_of(view: View) -> Decision:
    """The decision of a view, as the referee in this process puts it."""
    moment = moment_of(view)
    assert isinstance(moment, Decision)
    return moment


def situation_of(settings: PromptSettings, view: View, history: Sequence[Event], *, notes: str = "") -> str:
    """What a seat is asked at a decision, behind the head. `history`: what it learnt since the deal; `notes`: its latest."""
    moment = decision_of(view)
    rounds = moment.earlier_rounds() if settings.memory == HISTORY else ()
    return situation(
        moment.game, moment.observed(), view.seat, history=history,
        earlier=[Round(number, events) for number, events in enumerate(rounds, view.position["round"] - len(rounds))],
        legal=view.legal if settings.legal == LIST else None, notes=notes if settings.memory == NOTES else "",
        language=settings.language,
    )  # fmt: skip
