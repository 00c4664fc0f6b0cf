"""What a Leduc hold'em bot sees, typed. Cards are texts such as "Js": rank J, Q or K, suit s or h."""

from functools import cached_property

from arena.agent.view import View
from poker_rooms.leduc.state import CARDS


class LeducView(View):
    """One seat's knowledge of a hand."""

    @cached_property
    def card(self) -> str:
        """The own card."""
        return CARDS.text(int(self.state.cards[self.seat]))

    @cached_property
    def public(self) -> str | None:
        """The public card; None in the first street."""
        return CARDS.text(int(self.state.cards[2])) if self.state.street == 2 else None

    @cached_property
    def actions(self) -> list[str]:
        """What was played so far in this hand: fold, call or raise."""
        return [str(action) for action in self.position["actions"]]

    @property
    def paid(self) -> tuple[int, int]:
        """The chips in the pot of this seat and of the other seat."""
        return int(self.state.paid[self.seat]), int(self.state.paid[1 - self.seat])

    @property
    def hands_left(self) -> int:
        """How many hands follow after this one."""
        return int(self.state.hands - self.state.hand)


def warm(view: LeducView) -> None:
    """Call every compiled function that views use once; these views use those of text.py alone."""
    _ = (view.card, view.public, view.actions)


VIEW = LeducView
