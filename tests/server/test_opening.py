"""From the form of a game to a table: variants, seats, opponents, people, and real time."""

from pathlib import Path

import pytest

from arena import games
from arena.reports.pages.lessons import offer
from arena.reports.table import LANGUAGES
from arena.server.people.levels import NAMES
from arena.server.problems import Problem
from arena.server.tables.plan import ME, PERSON, opening_of, planned


@pytest.mark.parametrize("game", games.names())
def test_every_variant_of_every_game_can_be_played_and_is_described(game: str) -> None:
    found, loaded = offer(game), games.load(game)
    for variant in found.variants:
        fits = []
        for seats in loaded.seats:
            try:
                planned(opening_of(game, {"variant": variant.key, "seats": str(seats)}, "level:club"), Path(), "Aya")
                fits.append(seats)
            except Problem:
                continue
        assert fits, variant.key
        assert sorted(variant.name) == sorted(variant.about) == sorted(LANGUAGES)
    assert len({variant.key for variant in found.variants}) == len(found.variants) and len(found.minutes) == 2
    usual = planned(opening_of(game, {}, "level:club"), Path(), "Aya").options
    assert found.variants[0].options.items() <= usual.items()


@pytest.mark.parametrize("game", games.names())
@pytest.mark.parametrize("level", NAMES)
def test_every_level_sits_down(game: str, level: str) -> None:
    plan = planned(opening_of(game, {"opponent": f"level:{level}"}, "level:club"), Path(), "Aya")
    assert {seat.name.partition("-")[0] for seat in plan.seats} - {"club"} <= {level} and not plan.has_lobby


def test_seats_one_by_one_people_first_among_the_others() -> None:
    fields = {"seats": "5", "seat": "2", "opponent": "suited", "people": "2", "rival.2": "house:yaniv_greedy"}
    found = opening_of("yaniv", fields, "level:strong")
    assert found.seats == [PERSON, "house:yaniv_greedy", ME, PERSON, "level:strong"]
    by_lot = {tuple(opening_of("yaniv", {"seats": "3"}, "level:club").seats) for _ in range(60)}
    assert len(by_lot) == 3
    plan = planned(found, Path(), "level")
    assert [seat.name for seat in plan.seats][1::3] == ["yaniv_greedy", "strong"]
    assert plan.is_for_people == [True, False, True, True, False]


def test_in_real_time_bots_have_hands_and_people_their_own() -> None:
    fields = {"seats": "3", "seat": "0", "pace": "400", "hands": "even", "option.target": "60"}
    found = opening_of("nertz", fields, "level:club")
    assert found.tick_ms == 400 and found.options["latency"] == "declared" and found.options["target"] == 60
    mine, *others = found.options["delays"]
    assert mine == [0] * 5 and others[0] == others[1] and all(1 <= ticks <= 5 for ticks in others[0])


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"seats": "x"}, "whole number"), ({"seats": "1e3"}, "whole number"), ({"seats": "٣"}, "whole number"),
        ({"people": "99999999"}, "whole number"), ({"seat": "9"}, "seat must be one"),
        ({"option.nothing": "1"}, "no such option"),
        ({"option.limit": "-1"}, "whole number from"), ({"opponent": "../x"}, "no opponent"), ({"seats": "11"}, ""),
        ({"rival.1": "me"}, "exactly one"),
    ],
)  # fmt: skip
def test_what_a_form_has_wrong_is_told(fields: dict[str, str], why: str) -> None:
    if not why:
        assert len(opening_of("yaniv", fields, "level:club").seats) == 10
        return
    with pytest.raises(Problem) as refused:
        planned(opening_of("yaniv", fields, "level:club"), Path(), "Aya")
    assert refused.value.status == 400 and why in refused.value.message


def test_paces_and_numbers_of_seats_in_real_time() -> None:
    for fields in ({"pace": "100"}, {"seats": "8"}):
        with pytest.raises(Problem):
            planned(opening_of("nertz", fields, "level:club"), Path(), "Aya")
