"""What a house bot's searches looked at before a decision of a stored match, which is played again for it."""

import threading
from typing import Annotated

import msgspec

from arena import games
from arena.audit.capsule import pack, setup_of
from arena.audit.choices import Choices, TooLong, choices, house_files
from arena.match import HostTrouble
from arena.records import json_object
from arena.results.manifest import read_manifest, stored_clock, stored_limits
from arena.server.asked import Asked
from arena.server.problems import Problem
from arena.server.views.match import checked_id, located
from arena.tournament.workers.compiling import needs_at, warm_rooms

SECONDS = 20.0
"""For a bot to come to the decision again."""

_one_at_a_time = threading.Lock()


class ChoicesQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The decision."""

    seat: Annotated[int, msgspec.Meta(ge=0, le=63)]
    """The seat that decides."""
    decision: Annotated[int, msgspec.Meta(ge=0, le=10_000_000)]
    """The decision, by its number in `arena replay`."""


def match_choices(asked: Asked[ChoicesQuery]) -> Choices:
    """The data of `/api/m/ID/choices`. Raises Problem, also where the bot is none of this installation's."""
    match_id, query = checked_id(asked), asked.query
    folder, record, key = located(asked.library, match_id)
    if query.seat >= len(record.seats):
        raise Problem(404, "refusal_no_seat", last=len(record.seats) - 1, seat=query.seat)
    row = record.seats[query.seat]
    files = house_files(row.bot_sha256)
    if files is None:
        command = f"arena capsule {match_id} {query.seat} --decision {query.decision} --run"
        raise Problem(403, "refusal_no_house_bot", bot=row.bot, command=command)
    if not _one_at_a_time.acquire(blocking=False):
        raise Problem(429, "refusal_one_at_a_time")
    try:
        warm_rooms(needs_at(record.game, [(files, json_object(row.params))]), lambda _: None)
        with asked.submitting.computing.paid(asked.visitor.account):
            manifest = read_manifest(folder)
            setup, limits = setup_of(record, key, stored_clock(manifest, folder)), stored_limits(manifest, folder)
            game = games.load(record.game)
            capsule = pack(game, record, setup, manifest.name, query.seat, query.decision, limits=limits)
            return choices(game, capsule, files, SECONDS)
    except TooLong:
        raise Problem(503, "refusal_too_long", bot=row.bot, seconds=f"{SECONDS:g}") from None
    except HostTrouble as trouble:
        raise Problem(503, "refusal_machine_failed", trouble=trouble) from None
    finally:
        _one_at_a_time.release()
