"""The table of Hisatsu draws requests by the default deck, which positions do not carry."""

import json
import re

from arena.games import load
from arena.games.hisatsu.state import DECK
from arena.reports.pages.words import catalogue


def test_the_table_knows_the_default_deck() -> None:
    script = (load("hisatsu").folder / "page" / "table.js").read_text("utf-8")
    found = re.search(r"const DECK = (\[.*?\n  \]);", script, re.DOTALL)
    assert found and json.loads(found[1]) == DECK.default


def test_every_animal_has_a_name_in_every_language_and_a_head() -> None:
    script = (load("hisatsu").folder / "page" / "table.js").read_text("utf-8")
    for name, *_ in DECK.default:
        assert all(f"animal_{name}" in texts for texts in catalogue("hisatsu").values())
        assert script.count(f'"{name}": [') == 1
