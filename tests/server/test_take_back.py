"""A person alone with bots may take the last move back, as long as nobody has moved since and it has shown nothing new."""

from collections.abc import Callable, Iterable

import pytest

from arena.engine.game import States
from arena.engine.random_tables import Decision, copy, decisions, make_table
from arena.games import load
from arena.records import MatchRecord
from arena.reports.pages.frames import stored_match
from arena.reports.pages.scenes import position
from arena.reports.pages.words import catalogue
from arena.reports.table import LANGUAGES
from arena.server.people import store
from arena.server.table_process.arranging import Arranged
from arena.server.table_process.broadcaster import task
from arena.server.table_process.messages import Act, Ask, Back, Envelope, Frame, FromTable, Refused, ToTable
from helpers.scripted_tables import Reaction, ScriptedServer, played, setup
from helpers.views import view_of, worlds

BOT = "house:random_bot"
GAMES = {"yaniv": [None, BOT], "nanatoridori": [None, BOT], "naga": [None, BOT]}
"""The games in which something can be taken back, and who plays."""
TABLES = [*GAMES.items(), ("naga", [BOT, None])]
PEOPLE = [None, None]


@pytest.fixture(autouse=True)
def one_match_id(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bots play the same in matches of one id."""
    monkeypatch.setattr(store.secrets, "token_hex", lambda count: "7" * 2 * count)


def table_of(
    answers: Callable[[int, Ask], Iterable[ToTable]], game: str, seats: Iterable[str | None]
) -> tuple[ScriptedServer, MatchRecord, Arranged]:
    """A match in which people answer each Ask so, one message after the other."""

    def react(message: FromTable) -> Iterable[Reaction]:
        if isinstance(message, Envelope) and isinstance(message.message, Ask):
            yield from ((0.0, one) for one in answers(message.seat, message.message))

    server = ScriptedServer(react)
    table, record = played(setup(game, seats, seed=3), server)
    return server, record, table


def first(seat: int, ask: Ask) -> list[ToTable]:
    """Play the first legal action."""
    return [Act(seat=seat, decision=ask.decision, action=ask.legal[0])]


def without_taken_back(asks: Iterable[Ask]) -> list[Ask]:
    """The decisions that led on: a lower number than before takes those from there on back."""
    kept: list[Ask] = []
    for ask in asks:
        while kept and kept[-1].decision >= ask.decision:
            kept.pop()
        kept.append(ask)
    return kept


class TakesBack:
    """Somebody who plays the first legal action, takes it back where that is offered, and then plays another one."""

    def __init__(self) -> None:
        self.taken: set[int] = set()

    def __call__(self, seat: int, ask: Ask) -> list[ToTable]:
        if ask.back and ask.decision - 1 not in self.taken:
            self.taken.add(ask.decision - 1)
            return [Back(seat=seat, decision=ask.decision)]
        chosen = ask.legal[(ask.decision in self.taken) % len(ask.legal)]
        return [Act(seat=seat, decision=ask.decision, action=chosen)]


@pytest.mark.parametrize(("game", "seats"), TABLES)
def test_what_was_taken_back_is_no_part_of_the_match(game: str, seats: list[str | None]) -> None:
    """The match can be played again from its log, and the bots play as if nothing had been taken back."""
    person, own = TakesBack(), seats.index(None)
    server, record, table = table_of(person, game, seats)
    assert person.taken and not server.of(own, Refused)
    kept = without_taken_back(server.of(own, Ask))

    def as_played(seat: int, ask: Ask) -> list[ToTable]:
        again = TakesBack()
        again.taken = person.taken | {ask.decision - 1}
        return again(seat, ask)

    plainly, plain, _ = table_of(as_played, game, seats)
    assert plain.actions == record.actions
    assert [row.decisions for row in plain.seats] == [row.decisions for row in record.seats]
    assert plainly.of(own, Ask) == kept
    scenes = stored_match(record, table.key).scenes
    shown = {frame.number: frame.position for frame in server.of(own, Frame)}
    assert shown == {scene.number: position(table.game, scene, own) for scene in scenes}


def test_the_position_before_is_shown_again_and_asked_about_anew() -> None:
    server, *_ = table_of(TakesBack(), "yaniv", GAMES["yaniv"])
    told = [one.message for one in server.sent if isinstance(one, Envelope) and isinstance(one.message, Ask | Frame)]
    place = next(place for place, one in enumerate(told) if isinstance(one, Ask) and one.back)
    earlier, _, offered, frame, asked = told[place - 2 : place + 3]
    assert isinstance(offered, Ask) and isinstance(earlier, Ask) and isinstance(frame, Frame)
    assert asked == earlier and frame.number == offered.decision - 1 and not frame.events and frame.choosing == [0]


@pytest.mark.parametrize("game", ["yaniv", "naga"])
def test_nothing_is_taken_back_where_other_people_look_on(game: str) -> None:
    server, *_ = table_of(lambda seat, ask: [Back(seat=seat, decision=ask.decision), *first(seat, ask)], game, PEOPLE)
    assert not any(ask.back for ask in server.of(0, Ask)) and {one.why for one in server.of(0, Refused)} == {"back"}


@pytest.mark.parametrize("early", [0, 1])
def test_a_choice_that_people_make_at_the_same_time_can_be_changed_until_all_have_chosen(early: int) -> None:
    """In Naga, by two people. What is chosen last is played, and nobody hears of the first choice, which is withdrawn."""
    withdrawn = set[int]()

    def react(message: FromTable) -> Iterable[Reaction]:
        if not isinstance(message, Envelope) or not isinstance(message.message, Ask):
            return
        seat, ask = message.seat, message.message
        acts = [Act(seat=seat, decision=ask.decision, action=action) for action in ask.legal]
        back = Back(seat=seat, decision=ask.decision)
        if not ask.is_revocable:
            yield 0.0, acts[0]
        elif seat != early:
            yield 10.0, acts[0]
        elif ask.decision not in withdrawn:
            withdrawn.add(ask.decision)
            yield from ((1.0, acts[0]), (2.0, back))
        else:
            yield from ((1.0, acts[0]), (2.0, acts[-1]), (9.0, back))  # when both have chosen it is too late

    server = ScriptedServer(react)
    table, record = played(setup("naga", PEOPLE, seed=3), server)
    selected = {scene.number - 2: scene.played for scene in stored_match(record, table.key).scenes if len(scene.played) == 2}
    assert withdrawn == set(selected)
    for both in selected.values():
        own = both[early]
        assert own.action == table.game.legal_list(table.game.from_bytes(own.before))[-1]
    asked = [ask for ask in server.of(early, Ask) if ask.is_revocable]
    assert asked[::2] == asked[1::2] and server.of(1 - early, Ask) == without_taken_back(server.of(1 - early, Ask))
    late = [one.why for one in server.of(early, Refused)]  # the last one is not read any more
    assert late == ["back"] * (len(withdrawn) - 1) and not server.of(1 - early, Refused)
    numbers = [frame.number for frame in server.of(1 - early, Frame)]
    assert numbers == [scene.number for scene in stored_match(record, table.key).scenes]


@pytest.mark.parametrize(("game", "bots"), [("hisatsu", 2), ("nertz", 1)])
def test_nothing_is_taken_back_where_a_bot_is_asked_at_once_or_time_passes(game: str, bots: int) -> None:
    seats = [None, *[BOT] * bots]
    server, *_ = table_of(lambda seat, ask: [Back(seat=seat, decision=ask.decision), *first(seat, ask)], game, seats)
    asks, refused = server.of(0, Ask), [(one.decision, one.action, one.why) for one in server.of(0, Refused)]
    assert not any(ask.back for ask in asks) and refused == [(ask.decision, "", "back") for ask in asks]


def test_whatever_a_browser_says_takes_nothing_else_back() -> None:
    """Twice at once, for other decisions, after the next move, and where nothing is offered: each is refused."""
    person = TakesBack()

    def answers(seat: int, ask: Ask) -> list[ToTable]:
        wanted, late = person(seat, ask), Act(seat=seat, decision=ask.decision, action=ask.legal[0])
        others = [Back(seat=seat, decision=ask.decision + by) for by in (-1, 1, 1 << 40)]
        return [*others, *wanted, Back(seat=seat, decision=ask.decision), *([] if wanted == [late] else [late])]

    server, record, _ = table_of(answers, "yaniv", GAMES["yaniv"])
    quiet, plain, _ = table_of(TakesBack(), "yaniv", GAMES["yaniv"])
    assert record.actions == plain.actions and record.seats[0].decisions == plain.seats[0].decisions
    assert server.of(0, Ask) == quiet.of(0, Ask)
    assert {one.why for one in server.of(0, Refused)} == {"back", "late"}


@pytest.mark.parametrize("game", GAMES)
def test_what_can_be_taken_back_has_shown_its_seat_nothing_new(game: str) -> None:
    """In every world that fits what the seat knew before, its own action leads to what it sees now."""
    loaded, found = load(game), 0

    def leads_to(before: Decision, states: States, moment: Decision) -> bool:
        """Whether the action of a decision, played in these states, leads to what its seat sees at another decision of its."""
        after = copy(loaded, states)
        loaded.engine.advance(after, before.action)
        seen = [loaded.observed(one, before.seat).tobytes() for one in (after, moment.states)]
        return before.seat == moment.seat and seen[0] == seen[1]

    backs = {key for key in catalogue(game)[LANGUAGES[0]] if key.startswith("back_")}
    assert backs and all(backs <= set(catalogue(game)[language]) for language in LANGUAGES)
    for seed in range(3):
        table, before = make_table(loaded, seed), None
        for moment in decisions(table):
            told = task(view_of(loaded, moment.states, moment.seat, moment.codes))
            assert told is not None
            if told.key.replace("task_", "back_") in backs and before is not None and leads_to(before, before.states, moment):
                found += 1
                assert all(leads_to(before, world, moment) for world in worlds(loaded, before, before.seat))
            before = moment
    assert found
