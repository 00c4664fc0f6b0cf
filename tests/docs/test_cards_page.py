"""docs/cards.md is true as far as can be seen without a card: its blocks over lanes of this processor, and what tables take."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena import games
from arena.learning.tables import Tables
from helpers.paths import DOCS, ROOT, TESTS

PAGE = (DOCS / "cards.md").read_text("utf-8")
BLOCKS = re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
HERE = {
    'device="cuda"': "device=CARD", ".cuda()": "", "65_536": "4", "range(500)": "range(2)", "range(32)": "range(3)",
    'Tables("naga", 64': 'Tables("naga", 2',
}  # fmt: skip
"""What stands on the page, and what is tried instead of it."""
TABLES = 65_536


class Counting:
    """A device that has no memory, and knows how much it was asked for."""

    name = "none"

    def __init__(self) -> None:
        self.bytes = 0

    def zeros(self, shape: Any, dtype: Any) -> Any:
        empty = np.lib.stride_tricks.as_strided(np.zeros(1, dtype), shape, [0] * len(shape))
        self.bytes += empty.nbytes
        return empty

    def put(self, array: Any) -> Any:
        return self.zeros(array.shape, array.dtype)

    def is_ready(self, source: Any) -> bool:
        return True

    def prepare(self, source: Any) -> None:
        return None


def taken(game: str, **settings: Any) -> int:
    """Bytes of a card for self-play at so many tables."""
    return int(counted(game, **settings)[1].bytes)


def counted(game: str, **settings: Any) -> tuple[Tables, Counting]:
    device: Any = Counting()
    return Tables(game, TABLES, learners=range(games.load(game).seats[0]), device=device, **settings), device


def row(name: str) -> list[str]:
    (found,) = re.findall(rf"^\| {name} \| (.*) \|$", PAGE, re.MULTILINE)
    return str(found).split(" | ")


def test_tables_take_as_much_memory_as_the_page_says() -> None:
    asked: dict[str, dict[str, Any]] = {
        "self-play": {},
        "with `float16` as well": {"feature_type": "float16"},
        "with `uint8` as well": {"feature_type": "uint8"},
        "with `action_features`": {"action_features": True},
    }
    for name, settings in asked.items():
        assert row(name) == [f"{taken(game, **settings) / 2**30:.2f}" for game in games.names()], name
    assert row("a table, KB") == [f"{taken(game) / TABLES / 1000:.1f}" for game in games.names()]


def test_the_page_knows_how_long_rows_are() -> None:
    tables = [counted(game)[0] for game in games.names()]
    assert row("features, actions") == [f"{one.encoding.size:,}, {one.mask.shape[1]}" for one in tables]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_can_be_compiled(block: str) -> None:
    compile(block, "cards.md", "exec")
    assert max(map(len, block.splitlines())) <= 128


@pytest.mark.slow
def test_the_blocks_run_in_order_where_lanes_of_this_processor_stand_for_a_card(tmp_path: Path) -> None:
    """In plain Python, as the compiler takes longer than the rest."""
    pytest.importorskip("torch")
    tried = re.sub("|".join(map(re.escape, HERE)), lambda found: HERE[found[0]], "".join(BLOCKS))
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{TESTS}:{ROOT}"}
    done = subprocess.run(
        [sys.executable, "-c", f"from helpers.lanes import ProcessorLanes\nCARD = ProcessorLanes()\n{tried}"],
        env=environment, capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(done.stdout.split()) == 1 and (tmp_path / "leaderboards").is_dir()  # the id of the match that was kept
