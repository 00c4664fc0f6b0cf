"""`arena play GAME --against BOT ...`: a person at the table."""

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from arena.agent import EndInfo, StartInfo, bot_name
from arena.agent.view import View
from arena.cli.shared.rooms import ready, warn
from arena.engine.options import parse_options
from arena.errors import ConfigError
from arena.match import Answer, Fault, Seat
from arena.match import play as play_table
from arena.report.selection.replay import RULE, replay_lines
from arena.seats.single_match import agree, bot_seat


def play(
    game: Annotated[str, typer.Argument(help="The game.")],
    against: Annotated[list[Path], typer.Option(help="A bot at the table; repeat it for more seats.")],
    seat: Annotated[int, typer.Option(help="Your seat, from 0.")] = 0,
    seed: Annotated[int | None, typer.Option(help="Fixes the cards and the bots' randomness.")] = None,
    option: Annotated[list[str] | None, typer.Option(metavar="KEY=VALUE", help="A rule option; repeatable.")] = None,
) -> int:
    """Play against bots in the terminal."""
    console = Console(highlight=False, soft_wrap=True)
    if not 0 <= seat <= len(against):
        raise ConfigError(f"--seat: a seat from 0 to {len(against)}, not {seat}")
    names = [bot_name(bot) for bot in against]
    names.insert(seat, "you")
    room = ready(game)
    setup = agree(game, names, seed=seed, options=parse_options(option or []))
    warn(room, len(names), setup.options)
    with ExitStack() as opened:
        bots = iter(against)
        seats: list[Seat] = [
            _Person(console, names) if place == seat else opened.enter_context(bot_seat(next(bots), bot_seed))
            for place, bot_seed in enumerate(setup.bot_seeds)
        ]
        try:
            record = play_table(room, setup, seats)
        except (EOFError, KeyboardInterrupt):
            console.print("\nYou left the table.")
            return 130
    lines = list(replay_lines(room, record, setup.options, setup.deal_seed, seat))
    last = len(lines) - 1 - lines[::-1].index(RULE)
    opening = len(lines[:last]) - 1 - lines[:last][::-1].index(RULE)
    for line in [*lines[opening + 2 : last], *lines[last + 1 :]]:  # the last choices, as they were revealed, and the end
        console.print(line, markup=False)
    return 0


class _Person:
    """A seat that asks at the terminal; implements match.Seat."""

    isolation = "none"
    wants_forced = False

    def __init__(self, console: Console, names: list[str]) -> None:
        self._console = console
        self._names = names
        self._view: View | None = None

    def start(self, info: StartInfo) -> Fault | None:
        """Say who sits where."""
        table = ", ".join(f"seat {place} {name}" for place, name in enumerate(self._names))
        self._print(f"{info.game}: {table}. Answer with a number or with the action itself; Ctrl-C leaves the table.")
        return None

    def ask(self, view: View) -> None:
        """Keep the decision: the person is asked in `answer`."""
        self._view = view

    def answer(self) -> Answer | Fault:
        """Show what happened and what is known, then ask until the answer is legal."""
        view = self._view
        assert view is not None
        self._print("")
        for who, text in view.events:
            self._print(f"  seat {who} ({self._names[who]}): {text}")
        self._print(str(view))
        while True:
            words = self._console.input("your choice: ").strip()
            if words in view.legal:
                return Answer(words, 0.0, 0.0)
            if words.isascii() and words.isdigit() and int(words) < len(view.legal):
                return Answer(int(words), 0.0, 0.0)
            self._print(f"  not possible: {words!r}; a number from 0 to {len(view.legal) - 1}, or one of the actions above")

    def end(self, result: EndInfo) -> None:
        """Say how it ended."""
        self._print("\nThe match is over.")

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False)
