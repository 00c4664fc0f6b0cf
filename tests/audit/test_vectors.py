"""The checked cases of every room (vectors.jsonl): each is named by the clause that it checks."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from arena.audit.laws import traces
from arena.games import load, names
from helpers import poker_rooms

pytestmark = pytest.mark.usefixtures("poker")

FOLDERS = {name: load(name).folder for name in names()} | poker_rooms.FOLDERS
of_every_room = pytest.mark.parametrize("room", FOLDERS)


def cases(room: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The place of a case and the case."""
    for number, line in enumerate(FOLDERS[room].joinpath("vectors.jsonl").read_text("utf-8").splitlines(), 1):
        yield f"{room}/vectors.jsonl:{number}", json.loads(line)


@of_every_room
def test_every_vector_holds(room: str) -> None:
    checked = {f"{place}, {case['name']}": traces.check_case(case, place).problems for place, case in cases(room)}
    assert {name: problems for name, problems in checked.items() if problems} == {}
    assert checked


@of_every_room
def test_positions_of_vectors_survive_the_round_trip(room: str) -> None:
    text = load(room).text
    for place, case in cases(room):
        if "position" in case and not case.get("error"):
            states = text.from_position(case["position"])
            assert text.from_position(text.to_position(states[0])).tobytes() == states.tobytes(), f"{place}, {case['name']}"
