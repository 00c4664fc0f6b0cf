"""What a command says that was interrupted. (When it hears of it: test_stopping.py.)"""

import pytest

from arena.cli import main
from arena.cli.shared.exit_codes import INTERRUPTED


def test_a_command_that_is_interrupted_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def waits() -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(main, "command", lambda _name: waits)
    assert main.main(["doctor"]) == INTERRUPTED
    assert capsys.readouterr().err == "\narena: interrupted\n"
