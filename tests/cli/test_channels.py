"""The attacks of `arena bench channels`: what the kernel refuses, and that nothing comes through where it does."""

import json
from itertools import chain

import pytest

from arena.cli.bench import channels
from arena.cli.bench.channels import ATTACKS, WATCHERS, Channel, measured
from arena.cli.main import main
from arena.match.sandbox import LOCKED, NAMESPACE, PROCESS, LockError


@pytest.mark.parametrize("level", [NAMESPACE, LOCKED])
def test_what_a_locked_bot_leaves_for_its_next_match_is_refused(level: str) -> None:
    try:
        found = {channel.attack: channel for channel in measured("naga", level, trials=1)}
    except LockError as error:
        pytest.skip(f"bots cannot be locked in here: {error}")
    assert list(found) == [*ATTACKS, *WATCHERS]
    assert not any(channel.hands for channel in found.values()), found
    assert {attack for attack, channel in found.items() if not channel.refused} == {
        "cache lines, by numpy", "a rival's table lines, by numpy", "prime and probe, by numpy"
    }  # fmt: skip


@pytest.fixture(scope="module")
def unlocked() -> list[Channel]:
    return list(measured("naga", PROCESS, trials=1))


def test_without_a_lock_nothing_is_refused_and_a_futex_carries_all(unlocked: list[Channel]) -> None:
    found = {channel.attack: channel for channel in unlocked}
    assert list(found) == [*ATTACKS, *WATCHERS]
    assert not any(channel.refused for channel in found.values())
    futex = "a futex in a library, same table"
    tries = chain([found[futex]], (one for _ in range(4) for one in measured("naga", PROCESS, trials=1) if one.attack == futex))
    assert any(one.right == 1.0 and one.hands == 1 for one in tries)  # a machine that has other work may lose a bit


def test_the_table_says_what_came_through(
    unlocked: list[Channel], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def measured_before(game: str, level: str, *, trials: int) -> list[Channel]:
        asked.append((game, level, trials))
        return unlocked

    monkeypatch.setattr(channels, "measured", measured_before)
    words = ["bench", "channels", "--game", "naga", "--trials", "1", "--isolation", PROCESS]
    assert main(words) == 1
    assert "hands known" in capsys.readouterr().out
    assert main([*words, "--format", "json"]) == 1
    assert {channel["attack"] for channel in json.loads(capsys.readouterr().out)} == {*ATTACKS, *WATCHERS}
    assert asked == [("naga", PROCESS, 1)] * 2
    assert main(["bench", "channels", "--isolation", "none"]) == 2
    assert main(["bench", "channels", "--game", "naga", "--trials", "0"]) == 2
