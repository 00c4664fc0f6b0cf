"""What a Kuhn poker bot sees, typed."""

from functools import cached_property

from arena.agent.view import View
from poker_rooms.kuhn.state import CARDS


class KuhnView(View):
    """One seat's knowledge of a hand."""

    @cached_property
    def card(self) -> str:
        """The own card: J, Q or K."""
        return CARDS.text(int(self.state.cards[self.seat]))

    @cached_property
    def actions(self) -> list[str]:
        """What was played so far, pass or bet; the seats take turns, seat 0 first."""
        return [str(action) for action in self.position["actions"]]


def warm(view: KuhnView) -> None:
    """Call every compiled function that views use once; these views use those of text.py alone."""
    _ = (view.card, view.actions)


VIEW = KuhnView
