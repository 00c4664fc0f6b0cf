"""The checked cases of every game (vectors.jsonl): each is named by the clause that it checks."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from arena.audit.laws import traces
from arena.games import load, names
from helpers import poker_rooms

pytestmark = pytest.mark.usefixtures("poker")

FOLDERS = {name: load(name).folder for name in names()} | poker_rooms.FOLDERS
of_every_game = pytest.mark.parametrize("game", FOLDERS)


def cases(game: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The place of a case and the case."""
    for number, line in enumerate(FOLDERS[game].joinpath("vectors.jsonl").read_text("utf-8").splitlines(), 1):
        yield f"{game}/vectors.jsonl:{number}", json.loads(line)


@of_every_game
def test_every_vector_holds(game: str) -> None:
    checked = {f"{place}, {case['name']}": traces.check_case(case, place).problems for place, case in cases(game)}
    assert {name: problems for name, problems in checked.items() if problems} == {}
    assert checked


@of_every_game
def test_positions_of_vectors_survive_the_round_trip(game: str) -> None:
    text = load(game).text
    for place, case in cases(game):
        if "position" in case and not case.get("error"):
            states = text.from_position(case["position"])
            assert text.from_position(text.to_position(states[0])).tobytes() == states.tobytes(), f"{place}, {case['name']}"
