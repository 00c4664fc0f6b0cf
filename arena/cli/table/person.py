"""The seat of a person at the terminal: shows the table, takes commands and questions (why a card cannot be played, what a
perfect memory knows, what a search would do), and asks until the answer is legal.
"""

import contextlib
from collections.abc import Sequence

from arena.agent import EndInfo, StartInfo
from arena.agent.view import View
from arena.cli.table.screen import columns, fitting, heading, menu, numbered, show_rules, tell, tell_terms, width
from arena.engine.game import Game
from arena.engine.outcomes import Fact
from arena.match import Answer, Fault, TakeBack
from arena.reports.pages.frames import Event
from arena.reports.round_result import said
from arena.server.people.store import PERSON
from arena.server.table_process.broadcaster import SEARCH, hint, known_cards, prospects, refusals, task
from arena.server.table_process.in_words import known_group, plain, reason
from arena.server.table_process.taking_back import LastAction


def show_hint(view: View) -> None:
    """Print what the compiled search would play with what the seat knows, and what other choices lose."""
    found = hint(view, 0, SEARCH)
    if len(view.legal) == 1:
        tell(f"hint: {found.best} (there is nothing else)")
        return
    tell(f"hint: {found.best}  ({found.simulations:,} matches imagined)")
    best = found.choices[0].value
    for choice in found.choices:
        value = "never tried" if choice.value is None else f"value {choice.value:.2f}"
        lost = "" if choice is found.choices[0] or None in (best, choice.value) else f", {_lost(best, choice.value)}"
        tell(f"{choice.action}: {value}{lost}, tried {choice.visits:,} times", "  ")


def show_why(view: View, card: str) -> None:
    """Print why cards cannot be played now: of `card`, or of all that can be explained."""
    found = refusals(view)
    chosen = [one for one in found if not card or card.lower() in (one.card.lower(), plain(one.card).lower())]
    for one in chosen:
        tell(f"{plain(one.card)}: {reason(one, view.game)}  (rules {one.rule})", "  ")
    if chosen:
        return
    named = [action for action in view.legal if card and card.lower() in action.lower().split()]
    if named:
        tell(f"{card} can be played: {', '.join(named[:3])}{' ...' if len(named) > 3 else ''}")
    elif card:
        others = f"; there is something about: {', '.join(dict.fromkeys(plain(one.card) for one in found))}" if found else ""
        tell(f"Nothing to say about {card!r}{others}. `rules` shows the rules.")
    else:
        tell("No card here needs a reason; `rules` shows the rules.")


def show_known(view: View, names: Sequence[str]) -> None:
    """Print what a perfect memory knows beyond the table. `names`: of the seats."""
    groups = known_cards(view)
    if not groups:
        tell("Nothing beyond what the table shows.")
    for group in groups:
        tell(known_group(group, view.game, names), "  ")


def _lost(best: float | None, value: float | None) -> str:
    assert best is not None and value is not None
    return f"{max(0.0, best - value):.2f} less"


PROMPT = "your choice: "
COMMANDS = (
    ("?", "all that you can play now, and these commands"),
    ("PART", "the actions with this text in them, such as a card"),
    ("hint", "what a search would play, and what other choices lose"),
    ("why [CARD]", "why a card cannot be played now"),
    ("known", "what a perfect memory knows of the cards"),
    ("table", "the table again"),
    ("log", "all that has happened"),
    ("back", "take your last action back, where nobody has acted since and you have seen nothing new"),
    ("rules [SECTION]", "the rules, or a section of them such as 2.2"),
    ("quit", "leave; the match is not stored"),
)


class Quit(Exception):
    """The person leaves the table."""


class PersonAtTerminal:
    """Asks at the terminal; implements match.Seat."""

    isolation = PERSON
    wants_forced = False

    def __init__(self, game: Game, names: Sequence[str], last_action: LastAction[tuple[int, int]]) -> None:
        """`names`: of all seats, as the person reads them. `last_action`: it takes back what the story of the match has."""
        self._game = game
        self._names = names
        self._last_action = last_action
        self._seat = 0
        self._view: View | None = None
        self._log: list[Event] = []
        self._shown = 0

    def hear(self, events: Sequence[Event]) -> None:
        """Keep what happened and what it led to, as the seat learnt it, until the person is asked."""
        self._log += events

    def tell_news(self) -> None:
        """Show what happened since the person was told last."""
        news, self._shown = self._log[self._shown :], len(self._log)
        if news:
            tell()
            heading("since your last choice")
            self._show_events(news)

    def start(self, info: StartInfo) -> Fault | None:
        """Say who sits where."""
        self._seat = info.seat
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  # only now: from here on `input` has arrow keys and a history
        heading(self._game.name)
        for seat, name in enumerate(self._names):
            tell(f"seat {seat} {name}", "  ")
        tell("Type the number of an action, or the action itself; ? shows what else you can type.")
        return None

    def ask(self, view: View) -> None:
        """Keep the decision: the person is asked in `answer`."""
        self._view = view
        self._last_action.ask(task(view), (self._shown, len(self._log)))

    def answer(self) -> Answer | Fault:
        """Show what happened and what is known, then ask until the answer is legal. Raises Quit, EOFError and TakeBack."""
        view = self._view
        assert view is not None
        if len(self._log) > self._shown:
            self.tell_news()
        else:
            tell()
            heading("you begin")
        self._show_table(view)
        while True:
            words = input(PROMPT).strip()
            if words in view.legal:
                return Answer(words, 0.0, 0.0)
            if words.isascii() and words.isdigit() and int(words) < len(view.legal):
                return Answer(int(words), 0.0, 0.0)
            self._obey(words, view)

    def end(self, result: EndInfo) -> None:
        """Say what led to the end, and that it is over."""
        self._show_events(self._log[self._shown :])
        tell("\nThe match is over.")

    def _obey(self, words: str, view: View) -> None:
        """Do what a command says, or show the actions that fit. Raises Quit."""
        verb, _, rest = words.partition(" ")
        rest = rest.strip()
        if verb.startswith("?") and verb != "?":
            verb, rest = "?", f"{verb[1:]} {rest}".strip()
        if verb == "?" and rest.split(" ")[0] == "rules":
            verb, rest = "rules", rest.removeprefix("rules").strip()
        match verb.lower():
            case "":
                self._show_actions(view)
            case "?" | "help":
                self._show_help(view)
            case "rules":
                show_rules(self._game.name, rest)
            case "why":
                show_why(view, rest)
            case "hint":
                show_hint(view)
            case "known":
                show_known(view, self._names)
            case "table":
                self._show_table(view)
            case "log":
                self._show_events(self._log)
            case "back":
                self._take_back()
            case "quit" | "exit" | "q":
                raise Quit
            case _:
                self._show_fitting(words, view)

    def _take_back(self) -> None:
        """Choose again in place of the last action, where that is possible. Raises TakeBack."""
        if not self._last_action.can_be_taken_back:
            tell("Not taken back: only your own last action can be, while nobody has acted and you have seen nothing new.")
            return
        _, (self._shown, heard) = self._last_action.take_back()
        del self._log[heard:]
        tell("You took your last action back.")
        raise TakeBack

    def _show_table(self, view: View) -> None:
        tell(self._game.text.describe(view.state, self._seat))
        if (found := task(view)) is not None:
            tell(f"Your turn: {self._said(found)}")
        if self._last_action.can_be_taken_back:
            tell("Type back to take your last action back.")
        self._show_actions(view)

    def _show_actions(self, view: View) -> None:
        for line in menu(numbered(self._choices(view)), width()):
            tell(line)

    def _choices(self, view: View) -> list[str]:
        """The legal actions, with what they would lead to."""
        known = prospects(view)
        return [f"{action} ({self._said(known[action])})" if action in known else action for action in view.legal]

    def _show_events(self, events: Sequence[Event]) -> None:
        for event in events:
            if event.fact is not None:
                tell(f"-> {self._said(event.fact)}", "    ")
            elif event.seat is not None:
                tell(f"{'you' if event.seat == self._seat else self._names[event.seat]}: {event.text}", "  ")

    def _said(self, fact: Fact) -> str:
        return said(fact, self._game.name, self._names)

    def _show_help(self, view: View) -> None:
        tell("You can play:")
        for line in columns(numbered(self._choices(view)), width()):
            tell(line)
        tell("You can also type:")
        tell_terms(COMMANDS)

    def _show_fitting(self, words: str, view: View) -> None:
        found = fitting(numbered(view.legal), words)
        if not found:
            last = len(view.legal) - 1
            tell(f"not possible: {words!r}; type a number from 0 to {last}, an action, or ? for help", "  ")
            return
        for line in columns(found, width()):
            tell(line)
