"""`arena bench env --device cuda`, tried with the lanes of a card on this processor; with a card where one is here."""

from typing import Any

import pytest

from arena import games
from arena.cli.measuring import card
from arena.cli.measuring.card import Check, checks
from arena.engine.random_tables import variants
from arena.errors import ConfigError
from arena.learning.device import Device, device_of
from helpers.lanes import ProcessorLanes
from helpers.learning import GAMES


def found_card() -> Device:
    """The card of this machine; skips the test without one."""
    try:
        return device_of("cuda", None)
    except ConfigError as reason:
        pytest.skip(str(reason))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_a_card_plays_as_the_processor(game: str) -> None:
    """At all numbers of seats and in all variants, 100,000 steps each."""
    found = list(checks([game], found_card(), 100_000, lambda _: None))
    assert found and not [one for one in found if one.difference]


class Careless(ProcessorLanes):
    """Lanes of which one writes a wrong feature after some steps."""

    def run(self, prepared: Any, tables: int, records: Any, places: Any, number: int) -> None:
        """As of a device."""
        super().run(prepared, tables, records, places, number)
        if len(self.ran) == 3:
            features = next(array for array in self.made if array.shape[0] == 2 * tables and array.dtype == "float32")
            features[3, 7] += 1e-6

    def zeros(self, shape: Any, dtype: Any) -> Any:
        """As of a device."""
        self.made = [*getattr(self, "made", []), super().zeros(shape, dtype)]
        return self.made[-1]


@pytest.mark.slow
def test_a_check_plays_all_seats_and_variants_and_finds_one_wrong_number() -> None:
    said: list[str] = []
    right = list(checks(["naga"], ProcessorLanes(), 3000, said.append))
    assert len(right) == len(variants(games.load("naga"), 2)) == len(said)
    assert not [one for one in right if one.difference] and all(one.steps >= 3000 for one in right)
    assert said[0] == f"naga, 2 seats: {right[0].steps:,} steps: equal bytes"
    wrong = next(iter(checks(["naga"], Careless(), 3000, said.append)))
    assert wrong.difference == "features of table 3 after 2 steps"


def test_what_checks_found_is_told_by_game_and_seats(capsys: pytest.CaptureFixture[str]) -> None:
    equal, other = (Check("yaniv", 3, {"mode": mode}, 100_352, None) for mode in ("a", "b"))
    from arena.cli.shared.printing import Format, show

    show(
        Format.TABLE,
        lambda page: card.write_checks(page, [equal, other, Check("naga", 2, {}, 2048, "mask of table 7")]),
        {},
        [],
    )
    lines = capsys.readouterr().out.splitlines()
    assert any(line.split() == ["yaniv", "3", "2", "100,352", "equal", "bytes"] for line in lines)
    assert any("mask of table 7" in line and "2,048" in line for line in lines)
