"""Where games are found: what other distributions offer is read once, and again when one comes or goes."""

from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

from arena import games
from arena.games import discovery


def test_what_is_installed_is_looked_up_again_only_when_something_comes_or_goes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def noted(*, group: str) -> Any:
        looked.append(group)
        return entry_points(group=group)

    monkeypatch.setattr(discovery, "entry_points", noted)
    monkeypatch.syspath_prepend(str(tmp_path))
    for _ in range(50):  # programs that join a server, one after the other
        assert "naga" in games.names() and games.package("naga") == "arena.games.naga"
    assert len(looked) == 1
    (tmp_path / "another").mkdir()
    assert "naga" in games.names() and len(looked) == 2
