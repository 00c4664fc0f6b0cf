"""`arena rules GAME --encoding`: every number of an encoding stands in one row, in order, with its meaning."""

import re

import pytest

from arena.games import encoding, load, names
from arena.reports.encodings import encoding_page


@pytest.mark.parametrize("name", names())
def test_every_plane_has_a_row_and_the_rows_count_all_numbers(name: str) -> None:
    text = encoding_page(name).text
    found = encoding(load(name))
    planes = [*found.planes, *found.action_planes]
    rows = re.findall(r"^\| (\d+)(?: to (\d+))? \| `(\w+)` \| (.+) \|$", text, re.MULTILINE)
    assert [row[2] for row in rows] == [plane.name for plane in planes]
    assert [int(last or first) - int(first) + 1 for first, last, _, _ in rows] == [plane.size for plane in planes]
    assert all(row[3].startswith(plane.meaning) for row, plane in zip(rows, planes))


@pytest.mark.parametrize("name", names())
def test_the_page_tells_the_version_and_the_hash_that_networks_name(name: str) -> None:
    found = encoding(load(name))
    assert f"Version {found.version}, sha256 `{found.sha256}`" in encoding_page(name).text


def test_an_action_is_the_place_of_its_code_or_its_place_in_the_list() -> None:
    assert "The codes are 1 to 3, 5 to 7, 11, " in encoding_page("naga").text
    assert "its place in the legal list, which has at most 80" in encoding_page("nanatoridori").text
