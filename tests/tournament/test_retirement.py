"""Which bots are retired: those that forfeit in a row, and those whose matches are void, but not the rivals of these."""

import pytest

from arena.records import Ending, MatchRecord
from arena.tournament.formats.schedule import Retirement
from helpers.plans import plan
from helpers.records import make_record, make_seat

PLAYED, VOID, CRASH = Ending.PLAYED, Ending.HOST, Ending.CRASH


def match(bots: tuple[int, int], *endings: Ending) -> MatchRecord:
    return make_record(0, tuple(make_seat(f"bot{bot}", 1, ending=ending) for bot, ending in zip(bots, endings)))


def retired(matches: list[MatchRecord], *, bots: int = 4) -> tuple[set[int], list[str]]:
    book = Retirement(plan(bots))
    for record in matches:
        book.add(record)
    return book.retired, book.pass_checkpoint()


def test_forfeits_in_a_row_retire_a_bot() -> None:
    assert retired([match((0, 1), CRASH, PLAYED)] * 4)[0] == set()
    gone, news = retired([match((0, 1), CRASH, PLAYED)] * 5)
    assert gone == {0} and news == ["bot0 is retired: 5 forfeits in a row; the field goes on without it"]
    assert (
        retired([*[match((0, 1), CRASH, PLAYED)] * 4, match((0, 1), PLAYED, PLAYED), match((0, 1), CRASH, PLAYED)])[0] == set()
    )


def test_void_matches_retire_the_bot_that_makes_them_and_not_those_that_met_it() -> None:
    """It wins each fourth match, and makes the others void."""
    matches = [
        match((0, rival), PLAYED, PLAYED) if number % 4 == 0 else match((0, rival), VOID, VOID)
        for rival in (1, 2, 3)
        for number in range(8)
    ] + [match((1, 2), PLAYED, PLAYED)] * 2
    gone, news = retired(matches)
    assert gone == {0} and news == ["bot0 is retired: 18 of its 24 matches are void; the field goes on without it"]


def test_who_only_met_it_waits_until_that_can_be_told() -> None:
    first = [match((0, 1), VOID, VOID)] * 8
    assert retired(first)[0] == set()
    assert retired([*first, *[match((1, 2), PLAYED, PLAYED)] * 3])[0] == {0}
    assert retired(first, bots=2)[0] == {0, 1}  # there is nobody else


def test_several_that_make_matches_void_go_one_after_the_other() -> None:
    matches = [match((0, 2), VOID, VOID)] * 9 + [match((1, 2), VOID, VOID)] * 8 + [match((1, 3), PLAYED, PLAYED)]
    matches += [match((2, 3), PLAYED, PLAYED)] * 9
    assert retired(matches)[0] == {0, 1}


@pytest.mark.parametrize(("voids", "played"), [(4, 0), (5, 16), (50, 1000)])
def test_a_host_that_fails_now_and_then_retires_nobody(voids: int, played: int) -> None:
    matches = [match((0, 1), VOID, VOID)] * voids + [match((0, 1), PLAYED, PLAYED)] * played
    assert retired(matches, bots=2)[0] == set()
