"""A seeded round in words, action by action, as every seat sees it: the game's playthrough.txt.

Regenerate it after a rule change (and raise the game's VERSION):
`python -m arena.audit.laws GAME > arena/games/GAME/playthrough.txt`
"""

import random
from collections.abc import Iterator

from arena.engine.game import Game, States

SEED = 1
LONG = 250  # decisions; of a longer round only the beginning and the end are written
BEGINNING, END = 60, 20  # decisions


def playthrough(game: Game, seed: int = SEED) -> str:
    """The first round of a match of random legal actions, with the fewest seats and all options at their defaults.

    Lines that all seats see alike stand once; where they differ, each seat's line is marked with the seat. Of a long round the
    middle is left out.
    """
    lines = _lines(game, game.seats[0], random.Random(seed), seed)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _lines(game: Game, seats: int, rng: random.Random, seed: int) -> Iterator[str]:
    options = game.resolve_options({}, seats)
    shown = "".join(f"{', ' if place else '; '}{name} {value}" for place, (name, value) in enumerate(options.items()))
    yield f"{game.name}, rules version {game.version}, {seats} seats, seed {seed}{shown}"
    states = game.deal(seats, options, seed)
    decisions: list[list[str]] = []
    while not game.engine.is_round_over(states):
        codes = game.legal_list(states)
        action, seat = rng.choice(codes), int(game.engine.current_seat(states))
        lines = ["", *_seen(game, states, seats)]
        text = game.action_text(states, action)
        lines.append(f"decision {len(decisions) + 1}: seat {seat} plays {text!r}, one of {len(codes)} actions")
        lines += [f"    seat {viewer} hears {_heard(game, states, action, viewer)}" for viewer in range(seats)]
        decisions.append(lines)
        game.engine.step(states, action)
    if len(decisions) > LONG:
        decisions[BEGINNING:-END] = [["", f"(decisions {BEGINNING + 1} to {len(decisions) - END} are left out)"]]
    for lines in decisions:
        yield from lines
    yield ""
    yield from _seen(game, states, seats)
    scores, places = game.final(states, seats)
    yield f"the round is over: scores {scores}, places {places}"


def _seen(game: Game, states: States, seats: int) -> Iterator[str]:
    """Yield what the seats see, line by line."""
    views = [game.text.describe(game.observed(states, seat)[0], seat).split("\n") for seat in range(seats)]
    if len({len(view) for view in views}) > 1:
        views = [["\n".join(view)] for view in views]  # not the same lines: one view after the other
    for lines in zip(*views):
        if len(set(lines)) == 1:
            yield f"    {lines[0]}"
        else:
            yield from (f"{seat} | {line}" for seat, line in enumerate(lines))


def _heard(game: Game, states: States, action: int, viewer: int) -> str:
    seen = game.engine.seen_action(states, action, viewer)
    events = game.text.event_texts(states[0], seen) if seen else []
    return ", ".join(f"seat {seat}: {text}" for seat, text in events) or "nothing"
