"""A few hundred random matches of one field, and what rating them gives."""

import random

from arena.ratings.rows import Collector, PoolRows
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings
from arena.records import Ending, MatchRecord
from helpers.records import make_record, make_seat, make_void, numbered

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
