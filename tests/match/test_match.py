"""The referee: legality, endings, forfeits, the clock, what a seat is told: docs/formats.md, "Endings", "Clock"."""

import random
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.agent import Agent, EndInfo, StartInfo, View
from arena.engine.options import OptionValue
from arena.engine.readiness import NotCompiled
from arena.games import load, names
from arena.match import Answer, Fault, MatchSetup, TakeBack, play
from arena.match.faults import FaultPolicy, settle_places
from arena.match.single_match import agree, bot_seat, named, play_match
from arena.records import Clock, Ending, MatchRecord
from helpers.paths import BAD_BOTS, TEST_BOTS

OPTIONS: dict[str, OptionValue] = {"series": "games:2"}


class Scripted:
    """A seat that answers by a function; implements match.Seat."""

    isolation = "none"

    def __init__(self, answer: Callable[[View], Answer | Fault], *, wants_forced: bool = False) -> None:
        self.wants_forced = wants_forced
        self.views: list[View] = []
        self.ended: EndInfo | None = None
        self._answer = answer

    def start(self, info: StartInfo) -> Fault | None:
        self.info = info
        return None

    def ask(self, view: View) -> None:
        self.views.append(view)

    def answer(self) -> Answer | Fault:
        return self._answer(self.views[-1])

    def end(self, result: EndInfo) -> None:
        self.ended = result


def first(view: View) -> Answer:
    return Answer(view.legal[0], 0.0, 0.0)


def replying(action: object) -> Callable[[View], Answer]:
    return lambda view: Answer(action, 0.0, 0.0)


def setup(clock: Clock | None = None, faults: FaultPolicy | None = None) -> MatchSetup:
    table = agree("naga", ["left", "right"], seed=5, options=OPTIONS, clock=clock or Clock(1.0, 10.0))
    return msgspec.structs.replace(table, faults=faults or FaultPolicy())


def played(left: Scripted, right: Scripted, **changes: Any) -> MatchRecord:
    return play(load("naga"), setup(**changes), [left, right])


def test_a_match_without_faults_is_played_by_both() -> None:
    record = played(Scripted(first), Scripted(first))
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED, Ending.PLAYED]
    assert sum(seat.decisions for seat in record.seats) == len(record.actions)
    assert all(seat.fault_decision is None for seat in record.seats)


@pytest.mark.parametrize(
    ("reply", "ending"),
    [
        ("field 99", Ending.ILLEGAL), ("", Ending.ILLEGAL), ("field 1 ", Ending.ILLEGAL), (10**30, Ending.ILLEGAL),
        ("select d1 d1 d1", Ending.ILLEGAL), (-1, Ending.ILLEGAL), ("\ud800" * 100_000, Ending.ILLEGAL),
        (None, Ending.MALFORMED), (True, Ending.MALFORMED), (1.0, Ending.MALFORMED), (b"field 1", Ending.MALFORMED),
        (["field 1"], Ending.MALFORMED), ({}, Ending.MALFORMED),
    ],
)  # fmt: skip
def test_a_wrong_reply_forfeits_and_the_rival_plays_on(reply: object, ending: Ending) -> None:
    rival = Scripted(first)
    record = played(Scripted(replying(reply)), rival)
    assert [seat.ending for seat in record.seats] == [ending, Ending.PLAYED]
    assert [seat.place for seat in record.seats] == [2, 1]
    assert record.seats[0].fault_decision is not None
    assert rival.ended is not None and list(rival.ended.places) == [2, 1]
    assert len(record.notes) == 1 and record.notes[0].isprintable()


def test_an_index_of_the_legal_list_is_an_answer() -> None:
    by_index = played(Scripted(replying(0)), Scripted(replying(0)))
    assert by_index.actions == played(Scripted(first), Scripted(first)).actions


def test_the_fallback_depends_on_its_own_stream_alone() -> None:
    one = played(Scripted(replying(None)), Scripted(first))
    other = played(Scripted(replying("nonsense")), Scripted(first))
    assert one.actions == other.actions


def test_substitute_replaces_a_decision_and_forfeits_at_max_faults() -> None:
    replies = iter([None, None] + ["ok"] * 1000)

    def clumsy(view: View) -> Answer:
        return Answer(view.legal[0] if next(replies) == "ok" else None, 0.0, 0.0)

    faults = FaultPolicy(policy="substitute", max_faults=3)
    record = played(Scripted(clumsy), Scripted(first), faults=faults)
    assert record.seats[0].ending is Ending.PLAYED and record.seats[0].fault_decision is not None
    record = played(Scripted(replying(None)), Scripted(first), faults=faults)
    assert record.seats[0].ending is Ending.MALFORMED and len(record.notes) == 3


def test_a_slow_decision_draws_on_the_bank_until_it_is_empty() -> None:
    seat = Scripted(lambda view: Answer(view.legal[0], 1.5, 1.5))
    record = played(seat, Scripted(first), clock=Clock(1.0, 1.0))
    assert [view.clock.bank for view in seat.views] == [1.0, 0.5, 0.0]
    assert record.seats[0].ending is Ending.TIMEOUT and not record.seats[0].reproducible
    assert record.seats[1].ending is Ending.PLAYED and record.seats[1].reproducible


def test_forced_decisions_are_logged_but_not_sent() -> None:
    quiet, eager = Scripted(first), Scripted(first, wants_forced=True)
    record = played(quiet, eager)
    assert all(len(view.legal) > 1 for view in quiet.views)
    assert any(len(view.legal) == 1 for view in eager.views)
    assert len(quiet.views) < record.seats[0].decisions and len(eager.views) == record.seats[1].decisions


def test_simultaneous_seats_are_asked_before_either_answers() -> None:
    asked: list[int] = []

    class Noting(Scripted):
        def ask(self, view: View) -> None:
            super().ask(view)
            asked.append(view.seat)

        def answer(self) -> Answer | Fault:
            asked.append(10 + self.views[-1].seat)
            return super().answer()

    played(Noting(first), Noting(first))
    order = "".join(f"{code} " for code in asked)
    assert "0 1 10 11" in order  # both are asked, then both answer


class Doubting(Scripted):
    """Somebody who designates the first place that there is, takes it back at once, and then designates the last one."""

    doubts, taken_back = False, 0

    def answer(self) -> Answer | Fault:
        view = self.views[-1]
        if view.legal[0].startswith("field"):
            self.doubts = not self.doubts
            return Answer(view.legal[0 if self.doubts else -1], 0.0, 0.0)
        if self.doubts:
            self.taken_back += 1
            raise TakeBack
        return first(view)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_bot_that_chooses_with_a_person_never_hears_of_what_the_person_takes_back(seat: int) -> None:
    def sure(view: View) -> Answer:
        return Answer(view.legal[-1 if view.legal[0].startswith("field") else 0], 0.0, 0.0)

    doubting, found = Doubting(first), []
    for person in (doubting, Scripted(sure)):
        bot = Scripted(first)
        seats = [person, bot] if seat == 0 else [bot, person]
        record = play(load("naga"), setup(), seats, may_take_back=[seat])
        found.append((record, [shown(view) for view in bot.views]))
    assert doubting.taken_back >= 5 and found[0] == found[1]


def test_the_second_seat_cannot_see_the_first_ones_choice() -> None:
    seen = set()
    for index in (0, 3):
        right = Scripted(first)
        played(Scripted(lambda view, index=index: Answer(index if "select" in view.legal[0] else 0, 0.0, 0.0)), right)
        view = next(view for view in right.views if view.legal[0].startswith("select"))
        seen.add((view.state.tobytes(), str(view.position), str(view.events), str(view)))
    assert len(seen) == 1


LOOKED_AT = 200  # decisions of each seat, the last ones of its match


def shown(view: View) -> tuple[object, ...]:
    return list(view.codes), view.legal, view.events, view.position, view.state.tobytes(), str(view), view.clock, view.seat


@pytest.mark.parametrize("game", names())
def test_a_view_that_is_looked_at_after_the_match_shows_what_it_showed_at_its_decision(game: str) -> None:
    seats = load(game).seats[0]
    table = agree(game, ["bot"] * seats, seed=3)

    def matches(look: Callable[[int, View], object]) -> list[Scripted]:
        def player() -> Scripted:
            numbers = count()

            def middle(view: View) -> Answer:
                look(next(numbers), view)
                return Answer(len(view.codes) // 2, 0.0, 0.0)

            return Scripted(middle)

        players = [player() for _ in range(seats)]
        play(load(game), table, players)
        return players

    late = matches(lambda number, view: None)
    asked = [len(player.views) for player in late]
    order = [shown(view) for player in late for view in player.views[-LOOKED_AT:]]
    found: dict[int, tuple[object, ...]] = {}

    def look(number: int, view: View) -> None:
        if number >= asked[view.seat] - LOOKED_AT:  # to look at all of a long match would take long
            found[id(view)] = shown(view)

    early = matches(look)
    assert order and order == [found[id(view)] for player in early for view in player.views[-LOOKED_AT:]]


def test_what_a_bot_does_to_its_view_changes_no_legal_action() -> None:
    def vandal(view: View) -> Answer:
        view.state["hand"] = view.state["phase"] = 0
        text = view.legal[-1]
        view.legal[:] = ["nonsense"]
        view.codes = [99]
        return Answer(text, 0.0, 0.0)

    record = played(Scripted(vandal), Scripted(vandal))
    honest = played(*(Scripted(lambda view: Answer(view.legal[-1], 0.0, 0.0)) for _ in range(2)))
    assert record.actions == honest.actions and not record.notes


def test_events_tell_what_the_seat_may_know() -> None:
    left = Scripted(first)
    played(left, Scripted(first))
    events = [event for view in left.views for event in view.events]
    selections = [event for event in events if event[1].startswith("select")]
    assert selections and [seat for seat, _ in selections] == [0, 1] * (len(selections) // 2)


@pytest.mark.parametrize(
    ("name", "ending"),
    [("illegal", "illegal"), ("none", "malformed"), ("raises", "crash"), ("exits", "crash"), ("fails_at_start", "startup")],
)
def test_a_bad_bot_has_its_ending_and_the_rival_wins(name: str, ending: str) -> None:
    record = play_match("naga", [BAD_BOTS / f"{name}.py", TEST_BOTS / "counting_bot.py"], seed=1)
    assert [seat.ending.value for seat in record.seats] == [ending, "played"]
    assert [seat.place for seat in record.seats] == [2, 1]


def test_a_crash_names_the_line() -> None:
    record = play_match("naga", [BAD_BOTS / "raises.py", BAD_BOTS / "raises.py"], seed=1)
    assert 'raise ValueError("no idea")' in record.notes[0] and "raises.py" in record.notes[0]


def test_cpu_time_over_the_clock_is_a_timeout() -> None:
    record = play_match("naga", [BAD_BOTS / "slow.py", TEST_BOTS / "set_bot.py"], seed=1, clock=Clock(0.01, 0.0))
    assert record.seats[0].ending is Ending.TIMEOUT


def test_a_match_is_a_function_of_its_seed() -> None:
    class Dice(Agent):
        def act(self, view: View) -> str:
            return self.rng.choice(view.legal)

    records = [play_match("naga", [Dice, Dice], seed=seed) for seed in (1, 1, 2)]
    assert records[0].actions == records[1].actions != records[2].actions


def test_a_bot_is_executed_anew_for_every_seat_and_match() -> None:
    bot = TEST_BOTS / "counting_bot.py"
    assert play_match("naga", [bot, bot], seed=1).actions == play_match("naga", [bot, bot], seed=1).actions


def test_a_folder_bot_plays_with_its_modules_and_files() -> None:
    bot = TEST_BOTS / "folder_bot"
    record = play_match("naga", [bot, bot], seed=1)
    assert {seat.ending for seat in record.seats} == {Ending.PLAYED}
    with bot_seat(named(bot, Path()), 1):
        pass


@given(st.integers(2, 6), st.randoms(use_true_random=False), st.booleans())
def test_forfeiting_seats_are_last_and_the_others_keep_their_order(seats: int, chance: random.Random, one_loser: bool) -> None:
    places = sorted(chance.randint(1, seats) for _ in range(seats))
    places = [1 + sum(other < place for other in places) for place in places]
    chance.shuffle(places)
    faults = {seat: chance.randint(-1, 50) for seat in range(seats) if chance.random() < 0.4}
    settled = settle_places(places, range(seats), faults, has_one_loser=one_loser)
    assert all(1 + sum(other < place for other in settled) == place for place in settled)
    fair = [seat for seat in range(seats) if seat not in faults]
    for seat in fair:
        assert all(settled[seat] < settled[bad] for bad in faults)
        for other in fair:
            if one_loser and faults:
                assert settled[seat] == settled[other] == 1
            else:
                assert (settled[seat] < settled[other]) == (places[seat] < places[other])
    for bad in faults:
        assert all((settled[bad] > settled[other]) == (faults[bad] < faults[other]) for other in faults)


def test_a_team_with_a_forfeiting_seat_forfeits() -> None:
    places: Sequence[int] = settle_places([1, 1, 3, 3], [0, 0, 1, 1], {1: 4}, has_one_loser=False)
    assert places == [3, 3, 1, 1]


def test_a_match_that_begins_anew_is_played_as_it_was_up_to_there() -> None:
    """Nobody asks for what is not compiled so as to play a bad position otherwise."""
    asked = count()

    def asking(view: View) -> Answer:
        if next(asked) == 4:
            raise NotCompiled("naga", "search.puct")
        return first(view)

    def otherwise(view: View) -> Answer:
        return Answer(view.legal[-1], 0.0, 0.0)

    with pytest.raises(NotCompiled) as needed:
        play(load("naga"), setup(), [Scripted(asking), Scripted(first)])
    before = [action for action, _ in needed.value.played]
    record = play(load("naga"), setup(), [Scripted(otherwise), Scripted(otherwise)], again=needed.value.played)
    fresh = play(load("naga"), setup(), [Scripted(otherwise), Scripted(otherwise)])
    assert len(before) >= 4 and list(record.actions[: len(before)]) == before != list(fresh.actions[: len(before)])
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED] * 2
