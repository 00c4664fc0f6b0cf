"""`arena bench env`: self-play stands there once for each number of threads, by the wall clock as well."""

import pytest

from arena.cli.bench import env
from arena.cli.bench.env import SELF_PLAY, step_speeds, thread_counts
from arena.cli.main import main
from arena.cli.shared.exit_codes import USER_ERROR
from helpers.learning import COMPILED


def test_threads_are_doubled_up_to_one_for_each_cpu() -> None:
    assert [thread_counts(cpus) for cpus in (1, 2, 6, 8)] == [[1], [1, 2], [1, 2, 4, 6], [1, 2, 4, 8]]
    assert thread_counts(200)[-1] == 64  # more threads are refused


def test_self_play_is_measured_in_each_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(env, "available_cpus", lambda: 3)
    speeds = step_speeds([COMPILED], 1e-6, 1)
    shared = [speed for speed in speeds if speed.form == SELF_PLAY]
    assert [speed.threads for speed in shared] == [1, 2, 3]
    walls = [speed.wall_steps_per_second or 0.0 for speed in shared]
    assert all(wall > 0 for wall in walls)
    assert [speed.speedup for speed in shared] == pytest.approx([wall / walls[0] for wall in walls])
    others = [speed for speed in speeds if speed.form != SELF_PLAY]
    assert others and {(speed.threads, speed.wall_steps_per_second, speed.speedup) for speed in others} == {(1, None, None)}


def test_steps_are_those_of_a_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "env", "--steps", "5", "--game", "naga"]) == USER_ERROR
    assert capsys.readouterr().err == "arena: --steps: goes with --check\n"


def test_a_check_without_a_card_says_what_to_add(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "env", "--check", "--game", "naga"]) == USER_ERROR
    assert capsys.readouterr().err == "arena: --check: compares a card with the processor; add --device cuda\n"
