"""Agents of these tests are patient: on a machine that has other work, commands start slowly."""

import pytest

from arena.mcp import commands


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a command prints is waited for as long as a test may take."""
    monkeypatch.setattr(commands, "PATIENCE", 240.0)
