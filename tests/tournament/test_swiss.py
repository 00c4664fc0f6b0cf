"""Swiss: those meet who have done equally well, nobody twice where that can be avoided, and all sit equally often."""

import itertools
import random
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from arena.audit.results_audit import audit_results
from arena.errors import ArenaError
from arena.records import Ending
from arena.results.manifest import read_manifest, write_manifest
from arena.results.status import read_status
from arena.tournament.config import check_config
from arena.tournament.forecast import forecast
from arena.tournament.formats.plan import ALL, Plan
from arena.tournament.formats.swiss import Pair, Swiss, SwissSchedule, pair
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Interrupted, Observer, Results, Settings
from helpers.paths import BAD_BOTS, HOUSE_BOTS
from helpers.plans import plan
from helpers.records import make_record, make_seat
from helpers.tournaments import GOOD_BOTS, Stops, write_config

BOTS = [HOUSE_BOTS / "random_bot.py", HOUSE_BOTS / "naga_greedy.py", *GOOD_BOTS]
SWISS = {"format": "swiss", "swiss": {"rounds": 3}, "deals": 2}
THREE = {"game": "yaniv", "seats": 3, "options": {"max_rounds": 1}}


def swiss(bots: int, seats: int, rounds: int, deals: int = 1, rotations: str = "cyclic") -> Plan:
    whole = plan(bots, entries=[(seats, deals)], rotations=rotations)
    return msgspec.structs.replace(whole, format=Swiss(rounds))


def played(whole: Plan, *, crashing: Collection[str] = (), void: Collection[int] = ()) -> SwissSchedule:
    """The schedule of a tournament in which the bot with the smaller number always finishes before the other."""
    assert isinstance(whole.format, Swiss)
    schedule = SwissSchedule(whole, whole.format.rounds)
    for first, last in schedule.segments():
        for index in range(first, last):
            setup = schedule.plan.setup(index)
            names = [player.bot for player in setup.players]
            order = sorted(names, key=lambda name: (name in crashing, int(name.removeprefix("bot"))))
            seats = tuple(
                make_seat(
                    name, order.index(name) + 1, unit=seat,
                    ending=Ending.HOST if index in void else Ending.CRASH if name in crashing else Ending.PLAYED,
                )
                for seat, name in enumerate(names)
            )  # fmt: skip
            schedule.add(make_record(index, seats, pool=setup.pool, match_id=setup.match_id))
        schedule.pass_checkpoint()
    return schedule


def rounds_of(schedule: SwissSchedule) -> list[list[tuple[int, ...]]]:
    return [[table for _, table in stage.tables] for stage in schedule.plan.format.stages]


def partitions(bots: Sequence[int], seats: int) -> Iterator[list[tuple[int, ...]]]:
    """All ways to seat the bots at tables."""
    if not bots:
        yield []
        return
    for others in itertools.combinations(bots[1:], seats - 1):
        table = (bots[0], *others)
        for rest in partitions([bot for bot in bots if bot not in table], seats):
            yield [table, *rest]


def rematches(tables: Sequence[Sequence[int]], met: Counter[Pair]) -> int:
    return sum(met[frozenset(two)] for table in tables for two in itertools.combinations(table, 2))


@pytest.mark.parametrize(("bots", "seats"), [(4, 2), (6, 2), (8, 2), (5, 2), (7, 2), (6, 3), (9, 3), (7, 3), (8, 4), (9, 4)])
def test_no_pairing_has_fewer_rematches(bots: int, seats: int) -> None:
    stream = random.Random(bots * 10 + seats)
    for _ in range(15):
        ranked = stream.sample(range(bots), bots)
        pairs = list(itertools.combinations(range(bots), 2))
        met = Counter({frozenset(two): 1 for two in stream.sample(pairs, stream.randrange(len(pairs)))})
        sat = Counter({bot: stream.randrange(2) for bot in range(bots)})
        tables = pair(ranked, seats, sat, met)
        out = set(ranked) - {bot for table in tables for bot in table}
        assert len(out) == bots % seats and all(len(table) == seats for table in tables)
        allowed = [
            set(rest)
            for rest in itertools.combinations(ranked, bots % seats)
            if sum(sat[bot] for bot in rest) == sum(sorted(sat[bot] for bot in range(bots))[bots - bots % seats :])
        ]
        assert out in allowed
        least = min(
            rematches(tables, met)
            for rest in allowed
            for tables in partitions([bot for bot in ranked if bot not in rest], seats)
        )
        assert rematches(tables, met) == least


def test_without_rematches_neighbours_by_score_meet() -> None:
    assert pair([3, 1, 4, 0, 2, 5], 2, Counter(), Counter()) == [[3, 1], [4, 0], [2, 5]]
    assert pair([3, 1, 4, 0, 2, 5], 3, Counter(), Counter()) == [[3, 1, 4], [0, 2, 5]]
    old = Counter({frozenset((3, 1)): 1, frozenset((4, 0)): 1})
    assert pair([3, 1, 4, 0, 2, 5], 2, Counter(), old) == [[3, 4], [1, 0], [2, 5]]
    assert pair([3, 1, 4], 2, Counter({3: 1, 1: 1}), Counter()) == [[3, 4]]  # of those who sat most the lower one rests
    assert pair([3, 1], 3, Counter(), Counter()) == []


def test_the_best_meet_each_other_in_later_rounds() -> None:
    schedule = played(swiss(8, 2, 3))
    first, *_, last = rounds_of(schedule)
    assert schedule.plan.format.stages[0].tables == played(swiss(8, 2, 3)).plan.format.stages[0].tables  # lots are no luck
    winners = {min(table) for table in first}
    assert all(len(set(table) & winners) in (0, 2) for table in rounds_of(schedule)[1])
    earlier = [table for tables in rounds_of(schedule)[:2] for table in tables]
    unbeaten = [bot for bot in range(8) if all(min(table) == bot for table in earlier if bot in table)]
    assert len(unbeaten) == 2 and tuple(sorted(unbeaten)) in {tuple(sorted(table)) for table in last}


@pytest.mark.parametrize(("bots", "seats"), [(8, 2), (7, 2), (9, 2), (10, 3), (11, 3), (13, 4), (15, 4), (5, 4), (4, 3)])
def test_every_bot_sits_equally_often_and_nobody_rests_twice_before_all_have(bots: int, seats: int) -> None:
    schedule = played(swiss(bots, seats, 7))
    sat: Counter[int] = Counter(dict.fromkeys(range(bots), 0))
    for tables in rounds_of(schedule):
        members = [bot for table in tables for bot in table]
        assert len(members) == len(set(members)) == bots // seats * seats
        sat.update(members)
        assert max(sat.values()) - min(sat.values()) <= 1


@pytest.mark.parametrize(("bots", "rounds"), [(8, 5), (10, 5), (16, 6), (9, 5), (40, 8)])
def test_nobody_meets_the_same_bot_twice(bots: int, rounds: int) -> None:
    met = Counter(frozenset(table) for tables in rounds_of(played(swiss(bots, 2, rounds))) for table in tables)
    assert set(met.values()) == {1}


@pytest.mark.parametrize(("seats", "rotations", "orders"), [(2, "cyclic", 2), (3, "cyclic", 3), (4, "cyclic", 4), (3, ALL, 6)])
def test_a_round_plays_its_own_deals_in_all_rotations(seats: int, rotations: str, orders: int) -> None:
    whole = swiss(8, seats, 3, deals=2, rotations=rotations)
    schedule = played(whole)
    tables = 8 // seats
    assert len(schedule.plan) == whole.format.most_matches(whole) == schedule.total() == 3 * tables * 2 * orders
    assert whole.format.entry_size(whole, 0).matches == len(schedule.plan)
    setups = [schedule.plan.setup(index) for index in range(len(schedule.plan))]
    assert len({setup.match_id for setup in setups}) == len(setups)
    for stage in schedule.plan.format.stages:
        of_round = setups[stage.first_index : stage.first_index + tables * 2 * orders]
        assert {setup.deal for setup in of_round} == {2 * stage.number, 2 * stage.number + 1}
        seen = Counter((setup.deal, seat, player.bot) for setup in of_round for seat, player in enumerate(setup.players))
        assert set(seen.values()) == {orders // seats}  # every bot in every seat


def test_several_games_are_paired_each_on_its_own() -> None:
    whole = msgspec.structs.replace(plan(7, entries=[(2, 1), (3, 2)]), format=Swiss(4))
    for stage in played(whole).plan.format.stages:
        assert Counter(place for place, _ in stage.tables) == {0: 3, 1: 2}


def test_retired_bots_are_not_paired_any_more() -> None:
    whole = swiss(7, 2, 5, deals=8)
    schedule = played(whole, crashing=["bot6"])
    where = [any(6 in table for table in tables) for tables in rounds_of(schedule)]
    assert schedule.retired == {6} and where.count(True) == 1 and not any(where[where.index(True) + 1 :])
    assert schedule.outcome is None and len(rounds_of(schedule)) == 5 and schedule.total() == len(schedule.plan)
    alone = played(swiss(2, 2, 3, deals=8), crashing=["bot1"])
    assert len(rounds_of(alone)) == 1 and alone.outcome == "too few bots are left for round 2 of 3"


def test_void_matches_say_nothing() -> None:
    calm = played(swiss(6, 2, 3, deals=2))
    assert rounds_of(played(swiss(6, 2, 3, deals=2), void=[0, 2])) == rounds_of(calm)  # the rest of the table says the same
    news = SwissSchedule(swiss(6, 2, 3), 3)
    next(news.segments())
    assert news.pass_checkpoint() == ["p0: round 1 of 3 is over; in front: bot0 0.50, bot1 0.50, bot2 0.50"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"swiss": {"rounds": 0}}, "swiss.rounds: at least 1, not 0"),
        ({"swiss": {"round": 3}}, 'swiss.round: no such key; did you mean "rounds"?'),
        ({"swiss": {"rounds": "many"}}, "swiss.rounds: Expected `int`, got `str`"),
        ({"sample": 1}, "sample: a setting of format: round_robin, not of swiss"),
        ({"format": "round_robin"}, "swiss: a setting of format: swiss, not of round_robin"),
        ({"siwss": {}}, 'siwss: no such key; did you mean "swiss"?'),
    ],
)
def test_bad_settings_are_refused(changes: dict[str, Any], expected: str) -> None:
    document = {"name": "x", "games": [{"game": "naga", "seats": 2}], "bots": [str(BOTS[0])], **SWISS, **changes}
    with pytest.raises(ArenaError) as caught:
        check_config(document, Path())
    assert expected in str(caught.value)


class News(Observer):
    """Keeps the lines of news."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def say(self, text: str) -> None:
        self.lines.append(text)


def play(folder: Path, bots: Sequence[Path] = BOTS, workers: int = 1, listener: Any = None, **changes: Any) -> Results:
    folder.mkdir(exist_ok=True)
    config = write_config(folder, bots=bots, **{**SWISS, **changes})
    return run_tournament(config, Settings(out=folder / "out", backend=LOCAL, workers=workers), listener)


def problems(results: Results) -> list[str]:
    return audit_results(results.folder, 1, lambda _: None).problems


def test_workers_and_resumes_change_no_round(tmp_path: Path) -> None:
    changes: dict[str, Any] = {"games": [{"game": "naga", "seats": 2}, THREE]}
    news = News()
    calm = play(tmp_path / "calm", listener=news, **changes)
    assert problems(calm) == [] and calm.manifest.finished and calm.manifest.outcome is None
    assert calm.manifest.played == calm.manifest.matches == 3 * (2 * 2 * 2 + 1 * 2 * 3)
    assert "3 rounds, 42 matches" in news.lines[0]
    assert sum("round 2 of 3 is over; in front: " in line for line in news.lines) == 2  # one of each game
    assert play(tmp_path / "three", workers=3, **changes).manifest.results_sha256 == calm.manifest.results_sha256
    for after in (1, 9, 4):
        with pytest.raises(Interrupted):
            play(tmp_path / "stopped", listener=Stops(after), **changes)
    resumed = play(tmp_path / "stopped", **changes)
    assert resumed.manifest.results_sha256 == calm.manifest.results_sha256 and resumed.ratings == calm.ratings
    assert resumed.manifest.plan_sha256 == calm.manifest.plan_sha256 and problems(resumed) == []
    status = read_status(resumed.folder)
    assert status.is_finished and status.done == status.total == 42


def test_a_round_that_the_rows_do_not_ask_for_is_found(tmp_path: Path) -> None:
    results = play(tmp_path)
    manifest = read_manifest(results.folder)
    stages = [list(stage) for stage in manifest.config["format"]["stages"]]
    (place, table), *others = stages[1][2]
    stages[1][2] = [[place, table[::-1]], *others]
    config = {**manifest.config, "format": {**manifest.config["format"], "stages": stages}}
    write_manifest(results.folder, msgspec.structs.replace(manifest, config=config))
    assert any("stage 1 of the swiss is not what the rows before it ask for" in problem for problem in problems(results))


def test_a_bot_that_fails_is_paired_once_and_the_field_goes_on(tmp_path: Path) -> None:
    results = play(tmp_path, [*BOTS, BAD_BOTS / "raises.py"], deals=8)
    rounds = {record.deal // 8 for record in results.records() if "raises" in {seat.bot for seat in record.seats}}
    assert rounds == {0} and problems(results) == [] and results.manifest.played == results.manifest.matches


def test_too_few_bots_are_named_before_anything_is_played(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match=r"games\[0\]: yaniv with 3 seats needs as many bots that play it, there are 2"):
        play(tmp_path, BOTS[2:4], games=[THREE])


def test_the_size_is_told_before_a_match_is_played(tmp_path: Path) -> None:
    config = write_config(tmp_path, bots=BOTS, **SWISS)
    found = forecast(config, Settings(out=tmp_path / "out", workers=1), lambda _: None)
    (entry,) = found.entries
    assert (entry.tables, entry.deals, entry.rotations, entry.matches) == (2, 6, 2, 24)
    assert found.matches == 24 and not found.is_upper_bound and found.format == "swiss"
    assert entry.balance.startswith(
        "3 rounds of 2 tables on 2 deals each; 1 of 5 bots sits out each round, all equally often within one;"
    )
