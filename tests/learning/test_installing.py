"""Networks that are installed take the places of those of their kinds and seats; the others stay, and what is told of them."""

from pathlib import Path

import msgspec
import numpy as np

from arena.engine.net import KINDS, Net, Nets
from arena.engine.net_files import Note, read_nets, read_note, write_nets
from arena.learning.training.installing import install

BELIEF = KINDS.index("belief")
SEARCHES, PLAY = "arena train yaniv --seed 1", "arena train yaniv --method policy --seed 1"
GENERATIONS = [{"generation": 0, "kept": []}, {"generation": 1, "kept": ["belief", "policy"]}]
OWN_PLAY = {"method": "policy", "kept": ["policy"]}


def net_of(weight: float) -> Net:
    return Net(np.full((5, 4), weight, np.float32), np.ones(4, np.float32), np.ones(4, np.float32), 0.0)


def searched(folder: Path) -> Note:
    """A folder with what generations of searches have found at two seats, as it was before policies stood side by side."""
    note = Note(game="yaniv", seats=(), command=SEARCHES, encoding="old", changed="rows", generations=GENERATIONS)
    write_nets(folder, Nets({"belief": net_of(1.0), "policy": net_of(2.0)}, frozenset({2})), note)
    return read_note(folder)


def put_policy(folder: Path, seats: set[int], *, weight: float = 3.0, command: str = PLAY) -> Note:
    note = Note(game="yaniv", seats=tuple(sorted(seats)), command=command, encoding="new", generations=[OWN_PLAY])
    install(folder, Nets({"policy": net_of(weight)}, frozenset(seats)), note)
    return note


def put_belief(folder: Path) -> None:
    again = Note(game="yaniv", seats=(2,), command=f"{SEARCHES}9", encoding="newer", generations=[{"kept": ["belief"]}])
    install(folder, Nets({"belief": net_of(4.0)}, frozenset({2})), again)


def policies(folder: Path) -> dict[int, float]:
    """The weight of the policy of each number of seats."""
    nets = read_nets(folder)
    found = {seats: nets.at(seats) for seats in range(2, 11)}
    return {
        seats: float(one.nets["policy"].weights[0, 0])
        for seats, one in found.items()
        if seats in one.seats_of(KINDS.index("policy"))
    }


def belief(folder: Path) -> float:
    return float(read_nets(folder).nets["belief"].weights[0, 0])


def test_a_policy_stands_beside_that_of_other_seats_each_with_its_own_note(tmp_path: Path) -> None:
    before = searched(tmp_path)
    new = put_policy(tmp_path, {3, 4})
    told = read_note(tmp_path)
    assert policies(tmp_path) == {2: 2.0, 3: 3.0, 4: 3.0}
    assert told.policies == {"policy": before, "policy2": new}
    assert [net.encoding for net in read_nets(tmp_path).policies.values()] == ["old", "new"]


def test_a_policy_takes_the_place_of_another_where_both_were_trained_and_leaves_it_the_rest(tmp_path: Path) -> None:
    put_policy(tmp_path, {2, 3, 4}, weight=5.0, command=f"{PLAY}5")
    new = put_policy(tmp_path, {3})
    assert policies(tmp_path) == {2: 5.0, 3: 3.0, 4: 5.0}
    told = read_note(tmp_path)
    assert [(one.command, one.seats) for one in told.policies.values()] == [(f"{PLAY}5", (2, 4)), (PLAY, (3,))]
    assert (told.command, told.generations) == ("", []), "there is no other network"
    put_policy(tmp_path, {2, 4}, weight=6.0)
    assert policies(tmp_path) == {2: 6.0, 3: 3.0, 4: 6.0} and read_note(tmp_path).policies["policy2"] == new


def test_of_a_policy_whose_seats_have_all_been_taken_nothing_stays(tmp_path: Path) -> None:
    put_policy(tmp_path, {2, 3}, weight=5.0, command=f"{PLAY}5")
    new = put_policy(tmp_path, {2, 3, 4})
    told = read_note(tmp_path)
    assert policies(tmp_path) == {2: 3.0, 3: 3.0, 4: 3.0}
    assert msgspec.structs.replace(told, sha256="") == new


def test_a_policy_leaves_the_belief_and_what_is_told_of_it(tmp_path: Path) -> None:
    searched(tmp_path)
    for command in (PLAY, f"{PLAY}2"):
        new = put_policy(tmp_path, {2, 3, 4}, command=command)
    told = read_note(tmp_path)
    assert belief(tmp_path) == 1.0 and policies(tmp_path) == {2: 3.0, 3: 3.0, 4: 3.0}
    assert read_nets(tmp_path).seats_of(BELIEF) == {2}
    assert (told.command, told.generations, told.policies) == (SEARCHES, GENERATIONS, {"policy": new})
    assert (told.encoding, told.changed) == ("", ""), "of the belief neither is told"


def test_a_belief_leaves_the_policies_their_seats_and_their_notes(tmp_path: Path) -> None:
    before = searched(tmp_path)
    new = put_policy(tmp_path, {3, 4})
    put_belief(tmp_path)
    told = read_note(tmp_path)
    assert belief(tmp_path) == 4.0 and policies(tmp_path) == {2: 2.0, 3: 3.0, 4: 3.0}
    assert told.command == f"{SEARCHES}9" and told.policies == {"policy": before, "policy2": new}
    assert told.seats == (2, 3, 4)


def test_a_value_and_a_belief_of_two_trainings_are_both_told_of(tmp_path: Path) -> None:
    install(tmp_path, Nets({"value": net_of(1.0)}, frozenset({2})), Note(game="yaniv", seats=(2,), command=SEARCHES))
    put_belief(tmp_path)
    told = read_note(tmp_path)
    assert told.command == f"{SEARCHES}; {SEARCHES}9" and told.generations == [{"kept": ["belief"]}]
    assert read_nets(tmp_path).nets.keys() == {"value", "belief"}


def test_into_an_empty_folder_all_goes_as_it_is(tmp_path: Path) -> None:
    new = put_policy(tmp_path, {2, 3, 4})
    assert msgspec.structs.replace(read_note(tmp_path), sha256="") == new
    assert policies(tmp_path) == {2: 3.0, 3: 3.0, 4: 3.0}
