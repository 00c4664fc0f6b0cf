"""Files of networks that a stranger wrote: no array of them reaches compiled code, which does not check its indices."""

import io
import math
import os
import struct
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.engine.net import BELIEF, MOST_HIDDEN, MOST_INPUTS, POLICY, ROW, SEATS, VALUE, Net, Nets
from arena.engine.net_files import FILE, NOTE, Note, read_nets, read_note, write_nets
from arena.errors import ArenaError
from arena.games import load
from arena.search import Settings, search

INPUTS, HIDDEN = 6, 4
GOOD: dict[str, Any] = {
    "value_weights": np.ones((INPUTS, HIDDEN), np.float16), "value_bias": np.ones(HIDDEN, np.float16),
    "value_out": np.ones(HIDDEN, np.float16), "value_ends": np.array([0.5, 0.0, 1.0, math.nan]),
}  # fmt: skip
OF_POLICY = {name.replace("value", "policy"): array for name, array in GOOD.items()} | {"policy_row": np.array(2)}
SECOND = {name.replace("policy", "policy2"): array for name, array in OF_POLICY.items()} | {"policy2_seats": np.array([3])}


def written(folder: Path, arrays: dict[str, Any], **note: Any) -> Path:
    """A folder with these arrays, and a note that names the hash that they would have."""
    write_nets(folder, Nets(), Note(game="naga", seats=(2,)))
    np.savez(folder / FILE, **arrays)
    if note:
        text = (folder / NOTE).read_text().replace('"seats": []', f'"seats": {note["seats"]}')
        (folder / NOTE).write_text(text)
    return folder


BAD: dict[str, dict[str, Any]] = {
    "fewer rows than the head says": {**GOOD, "value_weights": np.ones((INPUTS, HIDDEN + 1), np.float16)},
    "a short bias": {**GOOD, "value_bias": np.ones(1, np.float16)},
    "a short out": {**GOOD, "value_out": np.ones(1, np.float16)},
    "one dimension": {**GOOD, "value_weights": np.ones(INPUTS * HIDDEN, np.float16)},
    "three dimensions": {**GOOD, "value_weights": np.ones((INPUTS, HIDDEN, 2), np.float16)},
    "no dimension": {**GOOD, "value_weights": np.array(1.0)},
    "no number": {**GOOD, "value_bias": np.full(HIDDEN, math.nan, np.float16)},
    "infinite numbers": {**GOOD, "value_weights": np.full((INPUTS, HIDDEN), math.inf, np.float16)},
    "too large for its type": {**GOOD, "value_weights": np.full((INPUTS, HIDDEN), 1e300)},
    "infinite ends": {**GOOD, "value_ends": np.array([math.nan, 0.0, 1.0, 1.0])},
    "three ends": {**GOOD, "value_ends": np.zeros(3)},
    "texts": {**GOOD, "value_bias": np.array(["x"] * HIDDEN)},
    "complex numbers": {**GOOD, "value_bias": np.ones(HIDDEN, np.complex64)},
    "objects": {**GOOD, "value_bias": np.array([{}] * HIDDEN)},
    "records": {**GOOD, "value_bias": np.zeros(HIDDEN, [("x", "f4")])},
    "a part is missing": {name: array for name, array in GOOD.items() if name != "value_out"},
    "more hidden units than there is room for": {
        "value_weights": np.ones((2, MOST_HIDDEN + 1)), "value_bias": np.ones(MOST_HIDDEN + 1),
        "value_out": np.ones(MOST_HIDDEN + 1), "value_ends": np.zeros(4),
    },
    "more inputs than there is room for": {**GOOD, "value_weights": np.ones((MOST_INPUTS + 1, HIDDEN))},
    "more inputs of an action than inputs": {**OF_POLICY, "policy_row": np.array(INPUTS + 1)},
    "fewer than none": {**OF_POLICY, "policy_row": np.array(-1)},
    "half an input": {**OF_POLICY, "policy_row": np.array(0.5)},
    "a list of inputs": {**OF_POLICY, "policy_row": np.array([1, 2])},
    "seats that no game has": {**GOOD, "value_seats": np.array([2, 17])},
    "half a seat": {**GOOD, "value_seats": np.array([2.5])},
    "one number of seats that is no list": {**GOOD, "value_seats": np.array(2)},
    "more numbers of seats than there can be": {**GOOD, "value_seats": np.ones(17, np.int64)},
    "two policies for the same seats": {**OF_POLICY, **SECOND, "policy_seats": np.array([2, 3])},
    "a second policy that is no network": {**OF_POLICY, **SECOND, "policy2_out": np.ones(1, np.float16)},
}  # fmt: skip


@pytest.mark.parametrize("arrays", BAD.values(), ids=BAD)
def test_what_is_no_network_is_refused(arrays: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"learnt\.npz: (?!.* has other numbers)"):
        read_nets(written(tmp_path, arrays))


@pytest.mark.parametrize(
    "content", [b"", b"PK\3\4", b"\x93NUMPY\1\0", b"\x80\x04.", np.random.default_rng(1).bytes(99)], ids=repr
)
def test_what_is_no_file_of_arrays_is_refused(content: bytes, tmp_path: Path) -> None:
    (written(tmp_path, GOOD) / FILE).write_bytes(content)
    with pytest.raises(ArenaError, match=r"learnt\.npz: "):
        read_nets(tmp_path)


def test_arrays_that_unpack_to_much_are_not_unpacked(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    with zipfile.ZipFile(tmp_path / FILE, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("value_weights.npy", bytes(1 << 28))
    assert (tmp_path / FILE).stat().st_size < 1 << 19
    with pytest.raises(ArenaError, match="268,435,456 bytes of arrays; at most"):
        read_nets(tmp_path)


def test_a_list_of_a_million_arrays_is_not_read(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    with (tmp_path / FILE).open("ab") as file:
        file.write(bytes(1 << 23))
    with pytest.raises(ArenaError, match="cannot be read: longer than"):
        read_nets(tmp_path)


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ("(-6, -4)", "EOF"), ("(1 << 62, 4)", "reshape|malformed"), (f"({1 << 32}, {1 << 32})", "reshape"),
        (f"({(1 << 64) + 6}, 4)", "damaged"), (f"({1 << 40}, 0)", "no network"), ("(6.0, 4)", "not valid"),
        ("[6, 4]", "not valid"), ("(" * 9000, "damaged"), ("-" * 9000 + "1", "damaged"), ("__import__('os')", "malformed"),
    ],
)  # fmt: skip
def test_a_shape_that_no_array_has_is_refused(shape: str, told: str, tmp_path: Path) -> None:
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    written(tmp_path, GOOD)
    with zipfile.ZipFile(tmp_path / FILE, "a") as parts, pytest.warns(UserWarning, match="Duplicate name"):
        parts.writestr("value_weights.npy", b"\x93NUMPY\1\0" + struct.pack("<H", len(header)) + header)
    with pytest.raises(ArenaError, match=rf"learnt\.npz: .*({told})"):
        read_nets(tmp_path)


def test_an_array_that_says_it_is_huge_is_refused(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f4", "fortran_order": False, "shape": (1 << 50, 4)})
    with zipfile.ZipFile(tmp_path / FILE, "w") as parts:
        parts.writestr("value_weights.npy", header.getvalue())
    with pytest.raises(ArenaError, match=r"learnt\.npz: damaged: "):
        read_nets(tmp_path)


@pytest.mark.parametrize("seats", ["[-1]", "[0]", "[100000000000]", "[17]", '["x"]', "7"])
def test_numbers_of_seats_that_no_game_has_are_refused(seats: str, tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"learnt\.(npz|json): "):
        read_nets(written(tmp_path, {}, seats=seats))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["<f2", ">f2", ">f4", ">f8"])
def test_other_layouts_of_the_same_numbers_are_the_same_network(kind: str, order: Any, tmp_path: Path) -> None:
    weights = np.arange(INPUTS * HIDDEN, dtype=np.float32).reshape(INPUTS, HIDDEN)
    net = Net(weights, np.ones(HIDDEN, np.float32), np.ones(HIDDEN, np.float32), 0.5)
    write_nets(tmp_path, Nets({"value": net}), Note(game="naga", seats=()))
    np.savez(tmp_path / FILE, **{**GOOD, "value_weights": np.asarray(weights, kind, order=order)})
    found = read_nets(tmp_path).nets["value"]
    assert (found.weights == weights).all()
    for array in (found.weights, found.bias, found.out, found.numbers()):
        assert array.dtype == np.float32 and array.dtype.isnative and array.flags.c_contiguous and array.flags.owndata


def test_a_network_of_other_inputs_than_the_room_has_is_refused() -> None:
    nets = load("yaniv").nets
    (kind, net), *_ = nets.nets.items()
    with pytest.raises(ArenaError, match=f"the {kind} network takes {len(net.weights)} inputs; there are"):
        nets.check_inputs({kind: len(net.weights) + 1})


@pytest.mark.parametrize("kind", ["value", "belief"])
def test_a_room_takes_no_networks_of_other_inputs_wherever_they_come_from(kind: str) -> None:
    game = load("yaniv")
    with pytest.raises(ArenaError, match=f"the {kind} network takes 500 inputs; there are"):
        replace(game, nets=Nets({kind: net_of(500)}))


def test_a_policy_that_takes_an_actions_inputs_for_what_the_seat_knows_is_refused() -> None:
    game = load("yaniv")
    found = game.layout
    wrong = net_of(found.size + found.action_size, row=found.action_size + found.size)
    with pytest.raises(ArenaError, match=f"takes {wrong.row} inputs of an action; there are {found.action_size}"):
        replace(game, nets=Nets({"policy": wrong})).check_policy(2)


@pytest.mark.parametrize(("named", "told"), [("0" * 64, "0" * 16), ("", "none that it names")])
def test_a_policy_of_another_encoding_is_refused_with_both_hashes_and_the_way_out(
    named: str, told: str, tmp_path: Path
) -> None:
    game = load("yaniv")
    found = game.layout
    nets = Nets({"policy": net_of(found.size + found.action_size, row=found.action_size)}, frozenset(game.seats))
    for note, fails in ((named, True), (found.sha256, False)):
        write_nets(tmp_path, nets, Note(game="yaniv", seats=(2,), encoding=note))
        other = replace(game, nets=read_nets(tmp_path))
        if not fails:
            other.check_policy(2)
            continue
        states = game.deal(2, game.resolve_options({}, 2), 1)
        seat, codes = int(game.engine.current_seat(states)), game.legal_list(states)
        line = rf"{FILE}: .* another encoding \({told}\) than yaniv now has \({found.sha256[:16]}, .* by arena train yaniv"
        with pytest.raises(ArenaError, match=line):
            other.view(other, game.observed(states, seat), seat, codes=codes, events=list, clock=None).policy()
        asked = Settings(iterations=2, proposals="net")
        with pytest.raises(ArenaError, match=line):
            search(other, game.observed(states, seat), seat, codes, asked)
        search(other, game.observed(states, seat), seat, codes, replace(asked, proposals="rule"))  # asks no policy


def test_inputs_that_came_after_the_training_change_no_bit_of_what_a_policy_says() -> None:
    chance = np.random.default_rng(1)
    for size in (50, 322):
        net = replace(net_of(size + 9, row=9), weights=chance.standard_normal((size + 9, 64)).astype(np.float32),
                      bias=np.ones(64, np.float32), out=chance.standard_normal(64).astype(np.float32))  # fmt: skip
        nothing = np.zeros((200, 64), np.float32)
        wider = replace(net, weights=np.concatenate([net.weights[:size], nothing, net.weights[size:]]))
        for _ in range(20):
            known, rows = chance.random(size, np.float32), chance.random((7, 9), np.float32)
            more = np.concatenate([known, chance.random(200, np.float32)])
            assert wider.preferences(more, rows).tobytes() == net.preferences(known, rows).tobytes()


def test_each_network_is_asked_at_the_seats_that_it_was_trained_at(tmp_path: Path) -> None:
    nets = Nets({"belief": net_of(3, seats=frozenset({3})), "policy": net_of(5, row=2)}, frozenset({2, 3, 4}))
    write_nets(tmp_path, nets, Note(game="naga", seats=()))
    found = read_nets(tmp_path)
    assert [found.seats_of(kind) for kind in (VALUE, BELIEF, POLICY)] == [set(), {3}, {2, 3, 4}]
    assert [int(found.numbers[SEATS + kind]) for kind in (VALUE, BELIEF, POLICY)] == [0, 0b1000, 0b11100]
    assert read_note(tmp_path).seats == (2, 3, 4)


def test_networks_for_different_seats_keep_them_when_each_names_its_own(tmp_path: Path) -> None:
    nets = Nets({"value": net_of(3, seats=frozenset({2})), "policy": net_of(5, row=2, seats=frozenset({3, 4}))})
    write_nets(tmp_path, nets, Note(game="naga", seats=()))
    found = read_nets(tmp_path)
    assert found.seats_of(VALUE) == {2} and found.seats_of(POLICY) == {3, 4} and read_note(tmp_path).seats == (2, 3, 4)


def test_policies_side_by_side_are_read_as_they_were_written_each_with_its_seats_and_its_encoding(tmp_path: Path) -> None:
    nets = Nets({"belief": net_of(3, seats=frozenset({2})), "policy": net_of(5, row=2, seats=frozenset({2})),
                 "policy2": net_of(7, row=3, seats=frozenset({3, 4}))})  # fmt: skip
    policies = {name: Note(game="naga", seats=(), encoding=f"of {name}") for name in ("policy", "policy2")}
    write_nets(tmp_path, nets, Note(game="naga", seats=(), policies=policies))
    found = read_nets(tmp_path)
    assert found.sha256 == nets.sha256 and found.seats_of(POLICY) == {2, 3, 4} == set(read_note(tmp_path).seats)
    assert [net.encoding for net in found.policies.values()] == ["of policy", "of policy2"]
    assert [found.own_seats(net) for net in found.policies.values()] == [{2}, {3, 4}]
    rows = [(int(found.at(seats).numbers[ROW]), int(found.at(seats).numbers[SEATS + POLICY])) for seats in (2, 3, 4, 5)]
    assert rows == [(2, 0b100), (3, 0b11000), (3, 0b11000), (0, 0)]
    assert all(int(found.at(seats).numbers[SEATS + BELIEF]) == 0b100 for seats in (2, 3, 4, 5))


def test_where_there_is_one_policy_all_tables_have_the_same_numbers() -> None:
    nets = Nets({"value": net_of(3), "policy": net_of(5, row=2, seats=frozenset({3}))}, frozenset({2, 3}))
    assert all(nets.at(seats) is nets for seats in (2, 3, 4))


def test_no_number_of_seats_has_two_policies() -> None:
    with pytest.raises(ArenaError, match="two policies for 3 seats"):
        Nets({"policy": net_of(5, seats=frozenset({2, 3})), "policy2": net_of(5, seats=frozenset({3, 4}))})


def test_networks_with_several_policies_are_no_array_before_a_table_is_named() -> None:
    nets = Nets({"policy": net_of(5, seats=frozenset({2})), "policy2": net_of(5, seats=frozenset({3}))})
    with pytest.raises(ArenaError, match="2 policies; a table has at most one"):
        _ = nets.numbers


def test_a_policy_of_another_encoding_is_refused_at_its_own_tables_alone() -> None:
    game = load("yaniv")
    found = game.layout
    good = net_of(found.size + found.action_size, row=found.action_size, seats=frozenset({2}))
    other = replace(game, nets=Nets({"policy": good, "policy2": replace(good, seats=frozenset({3}), encoding="0" * 64)}))
    other.check_policy(2)
    with pytest.raises(ArenaError, match="another encoding"):
        other.check_policy(3)


def net_of(inputs: int, *, row: int = 0, seats: frozenset[int] | None = None) -> Net:
    ones = np.ones(4, np.float32)
    return Net(np.ones((inputs, 4), np.float32), ones, ones, 0.0, row=row, seats=seats)


def test_a_pipe_is_no_file_of_networks(tmp_path: Path) -> None:
    written(tmp_path, GOOD)
    for name in (FILE, NOTE):
        (tmp_path / name).unlink()
        os.mkfifo(tmp_path / name)
        with pytest.raises(ArenaError, match="not a plain file"):
            read_nets(tmp_path)
