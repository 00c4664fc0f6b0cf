"""From a click to the table that shows it, measured in a browser."""

from pathlib import Path

import pytest

from helpers.browser import in_browser
from lab import drawn
from lab.hall_process import open_hall

pytestmark = in_browser


def test_clicks_at_a_table_are_measured_until_there_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn, "GAMES", ["naga"])
    found = drawn.browser_program()
    assert found is not None
    with open_hall(tmp_path) as hall:
        (cost,) = drawn.drawn_costs(hall, found, 3)
    assert (cost.game, cost.actions) == ("naga", 3) and 0 < cost.p50_ms <= cost.p95_ms
