"""Which seat for which bot: trust and the kind of bot decide, and one function says it."""

import pytest

from arena.agent import BotFiles
from arena.match import choose
from arena.match.choose import choose_seat, supervisor_for
from arena.match.in_process import InProcessSeat
from arena.match.sandbox import LOCKED, PROCESS, CommandSeat, LockedSeat, OpenCommandSeat, Supervisor
from arena.records import DEFAULT_LIMITS

PYTHON = BotFiles("x.py", {"x.py": b""})
COMMAND = BotFiles("bot.toml", {"bot.toml": b'name = "x"\ncommand = ["x"]\n'})


@pytest.mark.parametrize(
    ("bot", "is_trusted", "can_lock", "kind"),
    [
        (PYTHON, True, True, InProcessSeat),
        (PYTHON, False, True, LockedSeat),
        (PYTHON, False, False, InProcessSeat),
        (COMMAND, True, True, OpenCommandSeat),
        (COMMAND, False, True, CommandSeat),
        (COMMAND, False, False, OpenCommandSeat),
    ],
)
def test_trust_and_the_kind_of_bot_choose_the_seat(bot: BotFiles, is_trusted: bool, can_lock: bool, kind: type) -> None:
    supervisor = Supervisor(()) if can_lock else None  # its zygote is never started here
    with choose_seat(bot, is_trusted=is_trusted, supervisor=supervisor, limits=DEFAULT_LIMITS, seed=1, params={}) as seat:
        assert type(seat) is kind


def test_bots_go_unlocked_only_where_nothing_can_lock_and_nobody_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert supervisor_for((), least=PROCESS) is not None
    monkeypatch.setattr(choose, "can_have_processes", lambda: False)
    assert supervisor_for((), least=LOCKED) is not None  # which raises LockError at the first seat
    assert supervisor_for((), least=PROCESS) is None
