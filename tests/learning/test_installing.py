"""Networks that are installed take the places of those of their kinds; the others stay, and so does what is told of them."""

from pathlib import Path

import numpy as np

from arena.engine.net import KINDS, POLICY, Net, Nets, Note, read_nets, read_note, write_nets
from arena.learning.training.installing import install

BELIEF = KINDS.index("belief")
SEARCHES, PLAY = "arena train yaniv --seed 1", "arena train yaniv --method policy --seed 1"
GENERATIONS = [{"generation": 0, "kept": []}, {"generation": 1, "kept": ["belief", "policy"]}]
OWN_PLAY = {"method": "policy", "kept": ["policy"]}


def net_of(weight: float) -> Net:
    return Net(np.full((5, 4), weight, np.float32), np.ones(4, np.float32), np.ones(4, np.float32), 0.0)


def searched(folder: Path, *, belief: float = 1.0) -> None:
    """A folder with what generations of searches have found at two seats."""
    note = Note(game="yaniv", seats=(), command=SEARCHES, encoding="old", changed="rows", generations=GENERATIONS)
    write_nets(folder, Nets({"belief": net_of(belief), "policy": net_of(2.0)}, frozenset({2})), note)


def put_policy(folder: Path, command: str = PLAY) -> None:
    note = Note(game="yaniv", seats=(2, 3, 4), command=command, encoding="new", generations=[OWN_PLAY])
    install(folder, Nets({"policy": net_of(3.0)}, frozenset({2, 3, 4})), note)


def weight(folder: Path, kind: str) -> float:
    return float(read_nets(folder).nets[kind].weights[0, 0])


def test_a_policy_leaves_the_belief_and_what_is_told_of_it(tmp_path: Path) -> None:
    searched(tmp_path)
    for command in (PLAY, f"{PLAY}2"):
        put_policy(tmp_path, command)
    found, told = read_nets(tmp_path), read_note(tmp_path)
    assert (weight(tmp_path, "belief"), weight(tmp_path, "policy")) == (1.0, 3.0)
    assert found.seats_of(BELIEF) == {2} and found.seats_of(POLICY) == {2, 3, 4}
    assert told.command == f"{SEARCHES}; {PLAY}2" and told.generations == [*GENERATIONS, OWN_PLAY]
    assert (told.encoding, told.changed) == ("new", "")


def test_a_belief_leaves_an_installed_policy_its_seats_and_its_encoding(tmp_path: Path) -> None:
    searched(tmp_path)
    put_policy(tmp_path)
    again = Note(game="yaniv", seats=(2,), command=f"{SEARCHES}9", encoding="newer", generations=[{"kept": ["belief"]}])
    install(tmp_path, Nets({"belief": net_of(4.0)}, frozenset({2})), again)
    found, told = read_nets(tmp_path), read_note(tmp_path)
    assert (weight(tmp_path, "belief"), weight(tmp_path, "policy")) == (4.0, 3.0)
    assert found.seats_of(BELIEF) == {2} and found.seats_of(POLICY) == {2, 3, 4}
    assert told.command == f"{PLAY}; {SEARCHES}9" and told.generations == [OWN_PLAY, {"kept": ["belief"]}]
    assert told.encoding == "new"


def test_into_an_empty_folder_all_goes_as_it_is(tmp_path: Path) -> None:
    put_policy(tmp_path)
    assert read_note(tmp_path).command == PLAY and read_nets(tmp_path).seats_of(POLICY) == {2, 3, 4}
