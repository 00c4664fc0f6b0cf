"""Nertz is fair: races go to no seat more than to another, nothing depends on how fast a seat answers, no seat is special."""

import itertools
import math
import random
from collections import Counter
from pathlib import Path

import pytest

from arena.agent import read_bot
from arena.engine.rng import SEED_BITS, seed_words
from arena.match import play
from arena.match.sandbox import LockedSeat
from arena.match.single_match import agree, bot_seat, named
from arena.records import Clock, Limits
from helpers.nertz_tables import GAME, copy, made, position, read, ticks
from helpers.paths import HOUSE_BOTS, TEST_BOTS

PATIENT = TEST_BOTS / "patient_nertz_bot.py"
GREEDY = HOUSE_BOTS / "nertz_greedy.py"
CLOCK = Clock(move=2.0, bank=10.0, start=10.0)
LIMITS = Limits(memory=192 << 20)
KINGS = [["SK"], ["CK"], ["SQ"], ["CQ"]]
SHORT = {"max_rounds": 1, "tick_limit": 24}


class Races:
    """Wins of contested slots by seat, against what an even chance for every claimant gives."""

    def __init__(self, seats: int) -> None:
        self.wins, self.expected, self.variance, self.slots = [0] * seats, [0.0] * seats, [0.0] * seats, 0

    def add(self, claimants: list[int], winners: list[int]) -> None:
        self.slots += 1
        chance = len(winners) / len(claimants)
        for seat in claimants:
            self.wins[seat] += seat in winners
            self.expected[seat] += chance
            self.variance[seat] += chance * (1 - chance)

    def deviations(self) -> list[float]:
        """By seat, in standard deviations."""
        return [(wins - mean) / math.sqrt(spread) for wins, mean, spread in zip(self.wins, self.expected, self.variance)]


def contests(claims: dict[int, str]) -> list[list[int]]:
    """Seats that claim the same card (aces apart: they always find a place)."""
    seats: dict[str, list[int]] = {}
    for seat, card in claims.items():
        if card[1] != "A":
            seats.setdefault(card, []).append(seat)
    return [group for group in seats.values() if len(group) > 1]


def claimed(document, actions):
    """By seat: the card that it wants to lay in the middle; single seats."""
    claims = {}
    for seat, action in enumerate(actions):
        layout, words = document["units"][seat], action.split()
        if words[-1] == "found":
            pile = layout[words[0]] if words[0] != "work" else layout["work"][int(words[1])]
            claims[seat] = pile[-1]
    return claims


def races_of(record, seats, deal_seed, options):
    """The contested slots of a match, from its log."""
    races, states, log = Races(seats), GAME.deal(seats, options, deal_seed), iter(record.actions)
    while not GAME.engine.is_terminal(states):
        if GAME.engine.is_round_over(states):
            GAME.rules.next_round(states[0])
        before, actions = position(states), []
        for _ in range(seats):
            actions.append(GAME.action_text(states, code := next(log)))
            GAME.engine.step(states, code)
        failed = int(states[0].failed)
        for claimants in contests(claimed(before, actions)):
            winners = [seat for seat in claimants if not failed >> seat & 1]
            if len(winners) < len(claimants):
                races.add(claimants, winners)
    return races


@pytest.mark.parametrize(("seats", "places"), [(2, 1), (3, 1), (4, 2), (6, 1), (6, 4)])
def test_every_seat_wins_its_share_of_contested_slots(seats, places):
    """20,000 ticks of all seats on `places` equal foundations, each with a deal seed of its own."""
    unit = {"nertz": ["S3"], "work": KINGS}
    first = made([unit] * seats, tuple(("S", [owner, owner]) for owner in range(places)))
    # Who laid the foundations has other cards than the rest: everybody's S3 lies open all the same.
    states, races, rng = read({**first, "rng": f"{1:032x}", "priority": None}), Races(seats), random.Random(seats)
    states[0].priority = 0  # as the seed says
    for _ in range(20_000):
        table = copy(states)
        table["seed"][0] = seed_words(rng.getrandbits(SEED_BITS))
        for _ in range(seats):
            GAME.engine.step(table, 3)
        failed = int(table["failed"][0])
        races.add(list(range(seats)), [seat for seat in range(seats) if not failed >> seat & 1])
    assert sum(races.wins) == places * 20_000
    assert max(abs(deviation) for deviation in races.deviations()) < 4


@pytest.mark.slow
def test_every_seat_wins_its_share_in_whole_matches():
    """The races of whole matches with bots at the table, whoever claims what."""
    seats, total = 6, Races(6)
    options = GAME.resolve_options({"max_rounds": 2}, seats)
    for seed in range(8):
        setup = agree("nertz", ["greedy"] * seats, seed=seed, options=options)
        table = [bot_seat(named(GREEDY, Path()), bot_seed) for bot_seed in setup.bot_seeds]
        record = play(GAME, setup, table)
        for seat in table:
            seat.close()
        races = races_of(record, seats, setup.deal_seed, setup.options)
        total.slots += races.slots
        for seat in range(seats):
            total.wins[seat] += races.wins[seat]
            total.expected[seat] += races.expected[seat]
            total.variance[seat] += races.variance[seat]
    assert total.slots > 150
    assert max(abs(deviation) for deviation in total.deviations()) < 3.5


class Watched:
    """A locked seat that notes when it is asked and when its answer is awaited."""

    def __init__(self, seat, number, log):
        self.seat, self.number, self.log = seat, number, log

    def __getattr__(self, name):
        return getattr(self.seat, name)

    def ask(self, view):
        self.log.append(("ask", self.number))
        self.seat.ask(view)

    def answer(self):
        self.log.append(("answer", self.number))
        return self.seat.answer()


def locked_match(supervisor, pauses, seed=4):
    setup = agree("nertz", ["patient"] * len(pauses), seed=seed, options=SHORT, clock=CLOCK)
    log, bot = [], read_bot(PATIENT)
    seats = [
        Watched(LockedSeat(supervisor, bot, seed=bot_seed, params={"pause": pause}, limits=LIMITS), number, log)
        for number, (bot_seed, pause) in enumerate(zip(setup.bot_seeds, pauses, strict=True))
    ]
    try:
        return play(GAME, setup, seats), log, setup
    finally:
        for seat in seats:
            seat.close()


def test_a_slow_seat_loses_no_race_through_the_whole_path(supervisor):
    """Locked seats, one of them 50 ms late in every tick: the same matches, move for move, race for race."""
    prompt, _, setup = locked_match(supervisor, [0.0] * 4)
    races = races_of(prompt, 4, setup.deal_seed, setup.options)
    assert races.slots > 0, "the deal must have contested slots"
    for slow in (0, 3):
        late, _, _ = locked_match(supervisor, [0.05 * (seat == slow) for seat in range(4)])
        assert late.actions == prompt.actions
        assert [(row.place, row.score, row.ending) for row in late.seats] == [
            (row.place, row.score, row.ending) for row in prompt.seats
        ]


def test_all_seats_are_asked_before_the_first_answer_is_awaited(supervisor):
    """So a slow bot costs its own time in a tick, not the sum of all."""
    _, log, _ = locked_match(supervisor, [0.0] * 4)
    turns = [list(group) for _, group in itertools.groupby(log, key=lambda entry: entry[0])]
    assert all([number for _, number in group] == [0, 1, 2, 3] for group in turns)
    assert len(turns) == 2 * 24


def relabelled(document, seats_to, units_to):
    """A position in which seat s has become seats_to[s], and unit u units_to[u]."""

    def moved(values, to):
        result = [None] * len(values)
        for at, value in enumerate(values):
            result[to[at]] = value
        return result

    changed = {**document, "rng": None}
    for key, to in (("units", units_to), ("totals", units_to), ("pending", seats_to), ("due", seats_to)):
        if document[key]:
            changed[key] = moved(document[key], to)
    if document["priority"]:
        changed["priority"] = [seats_to[seat] for seat in document["priority"]]
    changed["failed"] = sorted(seats_to[seat] for seat in document["failed"])
    changed["foundations"] = [
        {"suit": pile["suit"], "units": [units_to[owner] for owner in pile["units"]]} for pile in document["foundations"]
    ]
    if document["caller"] is not None:
        changed["caller"] = seats_to[document["caller"]]
    options = document["options"]
    changed["options"] = {**options, "delays": moved(options["delays"], seats_to) if options["delays"] else []}
    memory = dict(document["memory"] or {})
    for key, value in memory.items():
        memory[key] = moved(value, units_to if key == "seen" else seats_to)
    changed["memory"] = memory or None
    return changed


@pytest.mark.parametrize(
    ("seats", "options"),
    [(2, {}), (4, {}), (6, {"teams": True}), (8, {}), (3, {"latency": "declared", "delays": [0, [1, 1, 2, 0, 1], 3]})],
)
def test_relabelling_seats_with_their_priorities_changes_nothing(seats, options):
    """4.6: tick by tick through whole rounds, and at the end of the match."""
    rng = random.Random(seats)
    for tick in ticks(seats, seats, max_rounds=2, tick_limit=60, **options):
        document = tick.before
        units, per_unit = len(document["units"]), seats // len(document["units"])
        units_to = rng.sample(range(units), units)
        mates = [rng.sample(range(per_unit), per_unit) for _ in range(units)]
        seats_to = [units_to[seat // per_unit] * per_unit + mates[seat // per_unit][seat % per_unit] for seat in range(seats)]
        states = read(relabelled(document, seats_to, units_to))
        choices = {seats_to[seat]: action for seat, action in enumerate(tick.actions)}
        for seat in range(seats):
            GAME.engine.step(states, GAME.text.parse_action(states[0], choices[seat]))
        assert GAME.engine.is_round_over(states) == GAME.engine.is_round_over(tick.states)
        if not GAME.engine.is_round_over(states):
            expected = relabelled(position(tick.states), seats_to, units_to)
            got = position(states)
            chance = ("rng", "priority")
            assert {k: v for k, v in got.items() if k not in chance} == {k: v for k, v in expected.items() if k not in chance}
        elif GAME.engine.is_terminal(states):
            own, other = GAME.final(states, seats), GAME.final(tick.states, seats)
            assert [(own[0][seats_to[seat]], own[1][seats_to[seat]]) for seat in range(seats)] == list(zip(*other))


def test_a_seed_gives_the_same_log():
    logs = []
    for _ in range(2):
        setup = agree("nertz", ["greedy"] * 3, seed=11, options={"max_rounds": 2})
        table = [bot_seat(named(GREEDY, Path()), bot_seed) for bot_seed in setup.bot_seeds]
        logs.append(play(GAME, setup, table).actions)
        for seat in table:
            seat.close()
    assert logs[0] == logs[1]
    assert Counter(logs[0])[1] > 10
