"""The luck of the deal: the same cards played again by bots, from the seat of each person."""

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from msgspec.structs import replace

from arena.match import play
from arena.match.seeds import match_seeds
from arena.match.single_match import Named
from arena.records import MatchRecord
from arena.server.table_process.arranging import Arranged, BotSeats, champion
from arena.server.table_process.messages import SameDeal

CPU_SECONDS = 10.0
"""About what the matches may cost, for all people together."""
MOST_MATCHES = 8
"""The most matches for a person; one is played in any case."""
_WANTED = 4  # matches for a person: to have time for so many, the champion thinks faster in a long game
_SEEDS = 1 << 31  # of a search
_LONGEST, _SHORTEST = 0.03, 0.001  # CPU seconds of a champion's decision


def same_deals(table: Arranged, record: MatchRecord, seats: BotSeats, results: Path) -> list[SameDeal]:
    """What the champion makes of the cards of each person."""
    people = table.people
    share = CPU_SECONDS / len(people)
    decisions = sum(record.seats[seat].decisions for seat in people)
    strongest = _thinking(champion(table.game.name, results), share / _WANTED / max(1, decisions))
    return [
        SameDeal(
            seat=seat, own=record.seats[seat].score, champion=round(mean(scores), 2), low=min(scores), high=max(scores),
            matches=len(scores),
        )
        for seat in people
        for scores in [list(_scores(table, seats, strongest, seat, share))]
    ]  # fmt: skip


def _scores(table: Arranged, seats: BotSeats, strongest: Named, seat: int, cpu_seconds: float) -> Iterator[float]:
    """The scores of the champion on a person's seat, each with other seeds of the bots.

    It also plays for the other people; the table's own bots play on their seats.
    """
    spent = dearest = 0.0
    for number in range(MOST_MATCHES):
        if number and spent + dearest > cpu_seconds:
            return
        began = time.process_time()
        setup = table.setup
        name = f"{setup.match_id} again {seat} {number}"
        seeds = match_seeds(table.key, name, setup.game, len(table.plans), "", setup.deal)
        again = replace(setup, bot_seeds=seeds.bots, fallback_seeds=seeds.fallbacks)
        seats.close()
        players = [
            seats.open(place, seed, _seeded(strongest, seed) if plan.person else None)
            for place, (plan, seed) in enumerate(zip(table.plans, seeds.bots))
        ]
        record = play(table.game, again, players)
        in_other_processes = sum(row.cpu_ms_total for row in record.seats if row.isolation != "none") / 1000
        cost = time.process_time() - began + in_other_processes
        spent, dearest = spent + cost, max(dearest, cost)
        yield record.seats[seat].score


def _seeded(bot: Named, seed: int) -> Named:
    """A bot that searches, with other imagined deals than in other matches."""
    return bot._replace(params={**bot.params, "seed": seed % _SEEDS}) if "iterations" in bot.params else bot


def _thinking(bot: Named, seconds: float) -> Named:
    """A bot that searches, with so much CPU time for each decision at most."""
    if "iterations" not in bot.params:
        return bot
    return bot._replace(params={**bot.params, "time": min(_LONGEST, max(_SHORTEST, seconds))})
