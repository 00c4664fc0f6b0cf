"""Match records and ratings with plain defaults, to be changed field by field, and some hundred random ones of one field."""

import hashlib
import random
from typing import Any

from msgspec.structs import replace

from arena.ratings.rows import Collector, PoolRows
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings
from arena.records import Ending, MatchRecord, Rating, SeatRecord
from arena.results.hashing import ResultsHash


def make_seat(bot: str = "alice", place: int = 1, **changes: Any) -> SeatRecord:
    values: dict[str, Any] = {
        "bot": bot, "bot_version": 1, "bot_sha256": hashlib.sha256(bot.encode()).hexdigest(), "params": "{}",
        "unit": place - 1, "place": place, "score": 12.5, "ending": Ending.PLAYED, "fault_decision": None, "decisions": 3,
        "isolation": "none", "reproducible": True, "cpu_ms_total": 1.5, "cpu_ms_p50": 0.5, "cpu_ms_max": 0.75,
        "wall_ms_total": 2.0,
    }  # fmt: skip
    return SeatRecord(**values | changes)


def make_record(index: int = 0, seats: tuple[SeatRecord, ...] | None = None, **changes: Any) -> MatchRecord:
    values: dict[str, Any] = {
        "index": index, "match_id": hashlib.sha256(str(index).encode()).hexdigest()[:24], "game": "naga", "pool": "naga",
        "options": '{"series":"first_to:3"}', "rules_version": 2, "deal": index // 2, "rotation": index % 2,
        "seats": (make_seat("alice", 1), make_seat("bob", 2)) if seats is None else seats,
        "actions": (5, 0, 1 << 40, 7, 3, 2),
    }  # fmt: skip
    return MatchRecord(**values | changes)


def make_void(index: int = 0) -> MatchRecord:
    """A match that the host could not finish."""
    seats = tuple(
        make_seat(bot, 0, unit=unit, score=0.0, ending=Ending.HOST, decisions=0) for unit, bot in enumerate(["alice", "bob"])
    )
    return make_record(index, seats, actions=(), attempts=3)


VARIED = [
    make_record(),
    make_record(delays=(3, 1, 4, 1, 5, 9)),
    make_record(seats=(make_seat(place=2, ending=Ending.CRASH, fault_decision=-1), make_seat("bob", 1))),
    make_void(),
]
"""One of each kind: played, with delays, with a fault, void."""


def numbered(records: list[MatchRecord]) -> list[MatchRecord]:
    """The same records as matches 0, 1, 2 ... of one tournament."""
    return [replace(record, index=index, match_id=f"{index:024x}") for index, record in enumerate(records)]


def make_rating(pool: str = "naga", rank: int | None = 1) -> Rating:
    return Rating(
        model="trueskill", pool=pool, bot="alice", bot_version=1, mu=25.1, sigma=1.2, rating=21.5, low=22.7, high=27.4,
        rank=rank, rank_low=rank, rank_high=rank, matches=7, wins=3, mean_place=1.5, faults=1,
    )  # fmt: skip


def played(*seats: tuple[str, int, int]) -> MatchRecord:
    """A match of these seats: bot, place, team."""
    return make_record(0, tuple(make_seat(bot, place, unit=unit) for bot, place, unit in seats))


def plain_record(index: int) -> MatchRecord:
    """A match of one seat that nothing happened in: for tests of what carries records about."""
    seat = SeatRecord(
        bot="b", bot_version=1, bot_sha256="0" * 64, params="{}", unit=0, place=1, score=0.0, ending=Ending.PLAYED,
        fault_decision=None, decisions=0, isolation="none", reproducible=True, cpu_ms_total=0, cpu_ms_p50=0, cpu_ms_max=0,
        wall_ms_total=0,
    )  # fmt: skip
    return MatchRecord(
        index=index, match_id=f"{index:024x}", game="g", pool="g", options="{}", rules_version=1, deal=0, rotation=0,
        seats=(seat,), actions=(),
    )  # fmt: skip


def sha256(*records: MatchRecord) -> str:
    """The results hash of these matches."""
    results = ResultsHash()
    for record in records:
        results.add(record)
    return results.results_sha256


BOTS = [("alice", 1), ("bob", 1), ("bob", 3), ("carol", 2)]
FIELD = {"yaniv": [("carol", 2), ("alice", 1)], "naga": [("idle", 1), ("bob", 1)], "empty": [("alice", 1)]}


def random_records(count: int = 300) -> list[MatchRecord]:
    """Two to four seats, teams, ties, faults, void matches, two pools, and a pool of two entries."""
    source = random.Random(8)
    records = []
    for index in range(count):
        if index % 17 == 3:
            records.append(make_void())
            continue
        bots = source.sample(BOTS, source.randint(2, 4))
        teams = len(bots) == 4 and index % 2 == 0
        units = [seat % 2 if teams else seat for seat in range(len(bots))]
        scores = {unit: source.randint(1, 4) for unit in units}
        seats = tuple(
            make_seat(
                bot, 1 + sum(scores[other] > scores[unit] for other in units), unit=unit, bot_version=version,
                score=float(scores[unit]), ending=source.choices(list(Ending)[:-1], [20] + [1] * 8)[0],
            )
            for (bot, version), unit in zip(bots, units)
        )  # fmt: skip
        options = source.choice(['{"a":1}', '{"a":2}'])
        pool = source.choice(["naga", "yaniv"])
        records.append(make_record(0, seats, pool=pool, deal=source.randint(0, 9), options=options))
    return numbered(records)


RECORDS = random_records()


def rated(records: int = len(RECORDS)) -> Standings:
    """The standings after the first `records` of RECORDS."""
    standings = Standings(RatingSettings(), {"naga": BOTS, "yaniv": BOTS, "empty": [("idle", 1)]})
    for record in RECORDS[:records]:
        standings.add(record)
    return standings


def collected(*records: MatchRecord) -> PoolRows:
    """These matches as the rows of one pool."""
    collector = Collector()
    for record in records:
        collector.add(record)
    return collector.rows()
