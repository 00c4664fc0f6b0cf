"""The bot of the example of deep Monte Carlo plays by its weights, on the encoding that they were learnt from alone."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arena.games import load
from helpers.learning import COMPILED
from helpers.paths import EXAMPLES


def bot(folder: Path, encoding: str) -> Path:
    """The bot with weights that know nothing."""
    layout = load(COMPILED).layout
    folder.mkdir()
    shutil.copyfile(EXAMPLES / "deep_monte_carlo" / "player.py", folder / "__init__.py")
    sizes = {"known": layout.size, "inner": 4}
    weights = {f"{name}.weight": np.zeros((4, size), np.float32) for name, size in sizes.items()}
    weights |= {f"{name}.bias": np.zeros(4, np.float32) for name in sizes}
    weights |= {"action.weight": np.zeros((4, layout.action_size), np.float32)}
    weights |= {"value.weight": np.zeros((1, 4), np.float32), "value.bias": np.zeros(1, np.float32)}
    np.savez(folder / "weights.npz", game=np.array(COMPILED), encoding=np.array(encoding), **weights)
    return folder


def checked(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "arena", "check", str(folder), "--game", COMPILED]
    return subprocess.run(command, check=False, capture_output=True, text=True)


@pytest.mark.slow
def test_it_plays_on_its_own_encoding(tmp_path: Path) -> None:
    found = checked(bot(tmp_path / "learnt", load(COMPILED).layout.sha256))
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.slow
def test_it_refuses_another_encoding_in_a_line(tmp_path: Path) -> None:
    found = checked(bot(tmp_path / "learnt", "another"))
    assert found.returncode != 0
    assert "weights.npz: learnt from another encoding than naga now has; run learn.py again" in " ".join(found.stdout.split())
