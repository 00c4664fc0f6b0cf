"""From a click to the table that shows it, measured in a browser."""

from pathlib import Path

import pytest

from helpers.browser import in_browser
from lab import drawn
from lab.server_process import open_server

pytestmark = in_browser


def test_clicks_at_a_table_are_measured_until_there_are_enough(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawn, "GAMES", ["naga"])
    found = drawn.browser_program()
    assert found is not None
    with open_server(tmp_path) as server:
        (cost,) = drawn.drawn_costs(server, found, 3)
    assert (cost.game, cost.actions) == ("naga", 3) and 0 < cost.p50_ms <= cost.p95_ms
