"""Searches find today what they found before: actions, visits and values, bit for bit, in every game, by every method.

A change that is meant to change what searches find writes the table anew: `python tests/search/test_golden.py`.
"""

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.engine.game import Game, States
from arena.games import load
from arena.search import Findings, Memory, Settings, search

TABLE = Path(__file__).parent / "golden.json"
SETTINGS: dict[str, dict[str, Any]] = {
    "by default": {},
    "few simulations": {"iterations": 5},
    "few simulations without prior": {"iterations": 3, "prior": 0.0},
    "opponents search": {"habit": 0.0},
    "opponents play by the rollout policy": {"habit": 1.0},
    "upper confidence bounds first": {"first": "ucb", "habit": 0.5},
    "no prior": {"first": "ucb", "prior": 0.0, "exploration": 1.5},
    "regret": {"selection": "regret"},
    "regret without prior": {"selection": "regret", "prior": 0.0, "habit": 0.3, "first": "ucb"},
    "regret in a full tree": {"selection": "regret", "nodes": 40},
    "a full tree": {"nodes": 50, "expansion": 1, "habit": 0.0, "evaluate": 0},
    "a root and no more": {"nodes": 1},
    "late expansion": {"expansion": 5, "evaluate": 3},
    "uniform rollouts": {"rollout": "uniform"},
    "threads": {"iterations": 301, "threads": 3},
    "pimc": {"method": "pimc"},
    "pimc by regret": {"method": "pimc", "world_iterations": 150, "selection": "regret"},
    "pimc in small worlds": {"method": "pimc", "world_iterations": 20, "prior": 3.0, "expansion": 2},
    "flat": {"method": "flat"},
    "flat with prior": {"method": "flat", "prior": 5.0, "evaluate": 2, "threads": 2},
}


def moments(game: Game, seats: int) -> Iterator[tuple[States, int, list[int]]]:
    """Three decisions of a match of random actions: what the seat sees, the seat, its legal list."""
    chance = random.Random(seats)
    states = game.deal(seats, game.resolve_options({}, seats), seats)
    for number in range(15):
        while len(codes := game.legal_list(states)) < 2:
            game.engine.advance(states, codes[0])
        if number % 6 == 0:
            seat = game.engine.current_seat(states)
            yield game.observed(states, seat), seat, codes
        game.engine.advance(states, chance.choice(codes))


def digest(found: list[Findings]) -> str:
    """The actions to play, and a hash over all visits, values, shares and counts."""
    words = [
        f"{choice.action} {choice.visits} {choice.value.hex()} {choice.share.hex()}" for one in found for choice in one.choices
    ]
    words += [f"{one.simulations} {one.decisions} {one.nodes}" for one in found]
    return ", ".join(one.best for one in found) + " " + hashlib.sha256("\n".join(words).encode()).hexdigest()[:16]


def searched(loaded: str) -> dict[str, str]:
    """What searches find in a game, by number of seats and settings."""
    game = load(loaded)
    results = {}
    for seats in sorted({game.seats[0], game.seats[-1]}):
        for name, given in SETTINGS.items():
            asked = Settings(**{"iterations": 300, **given})
            results[f"{seats} seats, {name}"] = digest([search(game, *moment, asked) for moment in moments(game, seats)])
        memory = Memory()
        asked = Settings(iterations=400, nodes=2000)
        results[f"{seats} seats, memory"] = digest(
            [search(game, *moment, asked, memory) for moment in moments(game, seats) if moment[1] == 0]
        )
    return results


@pytest.mark.parametrize("game", json.loads(TABLE.read_text()))
def test_searches_find_what_they_found_before(game: str) -> None:
    assert searched(game) == json.loads(TABLE.read_text())[game]


if __name__ == "__main__":
    TABLE.write_text(
        json.dumps({game: searched(game) for game in json.loads(TABLE.read_text())}, indent=1, ensure_ascii=False) + "\n"
    )
