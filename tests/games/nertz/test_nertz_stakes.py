"""What searches of Nertz may look at besides points: the chance to win the match, whom a card helps, what it covers."""

from typing import Any

import numpy as np
import pytest

from helpers.nertz_tables import GAME, Position, deal, legal, made, read

KINGS = [["HK"], ["CK"], ["HQ"], ["CQ"]]
NAMES = [constant.name for constant in GAME.rollout.CONSTANTS]


def constants(**given: float) -> Any:
    found = GAME.constants
    for name, value in given.items():
        found[NAMES.index(name)] = value
    return found


def judged(document: Position, **given: float) -> Any:
    out = np.zeros(max(GAME.seats))
    GAME.rollout.evaluate(read(document)[0], constants(**given), out)
    return out[:2]


def looked_at(document: Position, **given: float) -> dict[str, float]:
    """The prior of each legal action of seat 0."""
    states = read(document)
    codes, out = GAME.legal_list(states), np.zeros(32)
    GAME.rollout.prior(states[0], np.array(codes), len(codes), constants(**given), out)
    return dict(zip(legal(states), out))


def near_the_end(totals: list[int], **options: Any) -> Position:
    """Seat 0 has no Nertz card and 13 points of this round, seat 1 thirteen Nertz cards, which cost it 26."""
    return made([{"work": KINGS}, {"work": KINGS}], (("S", [0] * 13),), totals=totals, options=options)


def test_nobody_calls_to_lose_the_match() -> None:
    lost, won = near_the_end([0, 60], max_rounds=1), near_the_end([0, 30], max_rounds=1)
    assert looked_at(lost, stake=1.0)["call"] < 0.0 < looked_at(lost)["call"]
    assert looked_at(won, stake=1.0)["call"] == looked_at(won)["call"]
    assert looked_at(near_the_end([0, 60]), stake=1.0)["call"] > 0.0, "another round may come"


@pytest.mark.parametrize("lead", [-40, -5, 0, 5, 40])
def test_the_chance_of_places_counts_in_the_last_round(lead: int) -> None:
    document = near_the_end([40 + lead, 40], max_rounds=1)
    points, both = judged(document), judged(document, stake=1.0, match=50.0)
    hopes = (both - points) / 50.0
    assert hopes.sum() == pytest.approx(1.0) and 0.0 < hopes[0] < 1.0
    assert (hopes[0] > 0.5) == (points[0] > 0.0)
    assert judged(document, stake=0.5, match=50.0) == pytest.approx(points + 25.0 * hopes)
    assert list(judged(near_the_end([40 + lead, 40]), stake=1.0)) == list(points), "another round may come"


def test_the_more_seats_the_more_rivals_to_end_before() -> None:
    states = deal(5, seats=5, max_rounds=1)
    without, found = np.zeros(max(GAME.seats)), np.zeros(max(GAME.seats))
    GAME.rollout.evaluate(states[0], constants(), without)
    GAME.rollout.evaluate(states[0], constants(stake=1.0, match=30.0), found)
    assert (found - without)[:5].sum() == pytest.approx(75.0)


def test_insight_counts_only_where_it_is_asked_for() -> None:
    own = {"nertz": ["H5"], "work": [["S7"], ["D4"], ["C9"], ["H2"]], "waste": ["S3"]}
    rival = {"nertz": ["S4"], "work": [["S9"], ["D4"], ["C9"], ["H9"]]}
    document = made([own, rival], (("S", [0, 1]), ("H", [0]), ("D", [0, 0])))
    plain, asked = looked_at(document), looked_at(document, insight=1.0)
    assert looked_at(document, feeds=-3.0, covers=-3.0) == plain
    rest = dict.fromkeys(("contest", "feeds", "from_waste", "covers", "joins"), 0.0)
    assert looked_at(document, insight=1.0, **rest) == plain

    def by(action: str, **given: float) -> float:
        return looked_at(document, insight=1.0, **{**rest, **given})[action] - plain[action]

    assert by("waste found", feeds=-0.5) == pytest.approx(-0.5), "S4 of the rival could follow on S3"
    assert by("waste found", from_waste=-0.5) == pytest.approx(-0.5)
    assert by("work 3 found", contest=0.5) == 0.0, "nobody else has H2 open"
    assert by("waste work 1", covers=-0.5) == pytest.approx(-0.5), "D4 goes next but one"
    assert asked != plain


def test_a_card_that_joins_two_piles_is_seen() -> None:
    own = {"nertz": ["C2"], "work": [["S9"], ["D7", "C6"], ["C9"], ["HK"]], "waste": ["H8"]}
    document = made([own, {"work": KINGS}])
    found = looked_at(document, insight=1.0)
    plain = looked_at(document)
    assert found["waste work 0"] == plain["waste work 0"], "D7 does not go onto H8"
    black = made([own | {"work": [["H9"], ["D7", "C6"], ["C9"], ["HK"]], "waste": ["S8"]}, {"work": KINGS}])
    assert looked_at(black, insight=1.0, joins=0.7)["waste work 0"] == pytest.approx(looked_at(black)["waste work 0"] + 0.7)
