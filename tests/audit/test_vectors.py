"""The checked cases of every room (vectors.jsonl): the id of a test is the clause that its case checks."""

import json

import pytest

from arena.audit.laws import traces
from arena.games import load, names
from helpers import poker_rooms

pytestmark = pytest.mark.usefixtures("poker")

FOLDERS = {name: load(name).folder for name in names()} | poker_rooms.FOLDERS
CASES = [
    pytest.param(json.loads(line), f"{name}/vectors.jsonl:{number}", id=f"{name}-{number}-{json.loads(line)['name']}")
    for name, folder in FOLDERS.items()
    for number, line in enumerate(folder.joinpath("vectors.jsonl").read_text("utf-8").splitlines(), 1)
]


@pytest.mark.parametrize(("case", "place"), CASES)
def test_vector(case, place):
    assert traces.check_case(case, place).problems == ()


@pytest.mark.parametrize(("case", "place"), CASES)
def test_position_of_a_vector_survives_the_round_trip(case, place):
    if "position" not in case or case.get("error"):
        return
    text = load(case["game"]).text
    states = text.from_position(case["position"])
    assert text.from_position(text.to_position(states[0])).tobytes() == states.tobytes()
