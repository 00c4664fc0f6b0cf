"""The end of a match in the terminal: the last choices, the places, where it was won, the luck of the deal."""

import itertools
from collections.abc import Sequence
from pathlib import Path

from arena.cli.shared.printing import note
from arena.cli.table.screen import heading, tell
from arena.records import MatchRecord
from arena.reports.pages.frames import stored_match
from arena.reports.pages.scenes import events
from arena.reports.replay import RULE, replay_lines
from arena.server.people.levels import ratings, suited
from arena.server.table_process.arranging import Arranged, BotSeats
from arena.server.table_process.broadcaster import match_over, same_deals
from arena.server.table_process.messages import SameDeal

_LEAST_STEP = 1e-6  # of the evaluation, that is worth a line
_NOWHERE = (0.0, 0)


def show_end(table: Arranged, record: MatchRecord, seat: int, names: Sequence[str]) -> None:
    """Print the last choices as they were revealed, and the result."""
    lines = list(replay_lines(table.game, record, table.setup.options, table.setup.deal_seed, seat))
    last = len(lines) - 1 - lines[::-1].index(RULE)
    opening = len(lines[:last]) - 1 - lines[:last][::-1].index(RULE)
    heading("how it ended")
    for line in [*lines[opening + 2 : last], *lines[last + 1 :]]:
        if not line.startswith("place "):
            tell(line)
    tell()
    for place, row in sorted(enumerate(record.seats), key=lambda item: item[1].place):
        fault = f"  {row.ending.value}" if row.ending.blame == "bot" else ""
        tell(f"place {row.place}  seat {place} {names[place]}  score {row.score:g}{fault}")
    tell()


def show_turning_points(table: Arranged, record: MatchRecord, seat: int) -> None:
    """Print where the match was won and where it was lost: the largest steps of the game's evaluation, which sees all cards."""
    curve = match_over(table, record).curve
    if curve is None:
        return
    scenes = stored_match(record, table.key).scenes
    own = [values[seat] for values in curve.values]
    steps = [(after - before, place) for place, (before, after) in enumerate(itertools.pairwise(own))]
    for word, (size, place) in (("gained", max(steps, default=_NOWHERE)), ("lost", min(steps, default=_NOWHERE))):
        if (size > 0) == (word == "gained") and abs(size) > _LEAST_STEP:
            played = scenes[place + 1].played
            what = "; ".join(
                f"{'you' if who == seat else table.plans[who].name} {text}"
                for one in played
                for who, text in events(table.game, one, seat)
            )
            where = f"decision {played[0].number}, {what}" if played else "a new deal"
            change = f"{own[place]:.2g} to {own[place + 1]:.2g}"
            tell(f"you {word} most at {where} (the game's evaluation by all cards: {change})")


def show_same_deal(table: Arranged, record: MatchRecord, seats: BotSeats, results: Path) -> None:
    """Print what the champion makes of the same cards. Ctrl-C skips it: the match is stored by now.

    Not against a language model: it would be asked for several matches more, and each answer costs.
    """
    if table.asks_models:
        return
    note("the champion plays your cards again ... (Ctrl-C skips this)")
    try:
        found = same_deals(table, record, seats, results)
    except KeyboardInterrupt:
        note("skipped")
        return
    for one in found:
        tell(_luck(one, record))


def show_rating(results: Path, game: str, name: str) -> None:
    """Print the person's rating after the match, and whom to play next."""
    for place, one in enumerate(found := ratings(results).get(game, []), 1):
        if one.name == name:
            matches = "1 match" if one.matches == 1 else f"{one.matches} matches"
            tell(
                f"rating of {name}: {one.rating:.1f}, place {place} of {len(found)} people "
                f"(mu {one.mu:.1f}, sigma {one.sigma:.1f}, {matches}); about as good as you: "
                f"{suited(results, game, name).name}"
            )


def _luck(one: SameDeal, record: MatchRecord) -> str:
    spread = "" if one.low == one.high else f" on average, from {one.low:g} to {one.high:g}"
    times = "once more" if one.matches == 1 else f"{one.matches} more times"
    return (
        f"luck of the deal: the same cards were dealt {times}, with a champion bot in your place: it scored "
        f"{one.champion:g}{spread}. You scored {one.own:g}"
        f"{'; fewer is better' if _is_fewer_better(record) else ''}"
    )


def _is_fewer_better(record: MatchRecord) -> bool:
    """Return whether the score of the first place is below that of the last one."""
    first, *_, last = sorted(record.seats, key=lambda row: row.place)
    return first.score < last.score
