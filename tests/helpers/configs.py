"""A config as a document, and what arena says about a wrong one."""

from pathlib import Path

import pytest

from arena.errors import ArenaError
from arena.tournament.config import check_config
from helpers.paths import TEST_BOTS

GOOD = {
    "name": "small",
    "games": [{"game": "naga", "seats": 2}],
    "bots": [str(TEST_BOTS / "counting_bot.py"), str(TEST_BOTS / "set_bot.py")],
}


def message(document: object, folder: Path = Path()) -> str:
    with pytest.raises(ArenaError) as caught:
        check_config(document, folder)
    assert "\n" not in str(caught.value)
    return str(caught.value)
