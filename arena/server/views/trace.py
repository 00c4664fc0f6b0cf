"""A match of people as a trace: JSON Lines that other programs read and `arena verify` checks."""

import msgspec

from arena import games
from arena.audit.laws.traces import logged_lines
from arena.audit.stored_log import check_log, checked_options
from arena.match.seeds import deal_seed
from arena.server.asked import Asked
from arena.server.problems import Problem
from arena.server.views.match import checked_id, located, stored
from arena.tournament.archive.finding import is_of_people


class TraceQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A trace takes no parameters."""


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """A match as a trace."""

    match_id: str
    text: str
    """JSON Lines, as `arena replay ID --trace` prints them: all cards open. The page's address gives them as a file."""


def match_trace(asked: Asked[TraceQuery]) -> Trace:
    """The data of `/m/ID/trace`. Raises Problem 404 for a match of a tournament, whose deals others may still have to play."""
    match_id = checked_id(asked)
    stored(asked.library, match_id)  # it is refused where the page of the match is; and the rules are compiled then
    _, record, key = located(asked.library, match_id)
    if not is_of_people(record):
        raise Problem(404, "refusal_no_trace")
    game, seats = games.load(record.game), len(record.seats)
    options, seed = checked_options(game, record), deal_seed(key, record.game, seats, record.options, record.deal)
    if not check_log(game, record, options, seed):
        raise Problem(404, "refusal_no_trace")
    lines = logged_lines(game, seats, options, seed, record.actions, record.delays)
    return Trace(match_id=match_id, text="".join(f"{line}\n" for line in lines))
