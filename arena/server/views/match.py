"""A match for the replay player, a page of frames at a time for one pair of eyes; as a trace; and what searches saw.

The trace of a match of people is JSON Lines that other programs read and `arena verify` checks. What a house bot's searches
looked at before a decision is found by playing the stored match again.
"""

import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from arena import games
from arena.audit.capsule import pack, setup_of
from arena.audit.choices import Choices, TooLong, choices, house_files
from arena.audit.laws.traces import logged_lines
from arena.engine.readiness import CHANCE
from arena.errors import StoreError, without_trace
from arena.match import HostTrouble
from arena.match.log import check_log, checked_options
from arena.match.seeds import deal_seed
from arena.names import MATCH_ID_DIGITS
from arena.records import MatchRecord, json_object
from arena.reports.pages.frames import Frames, LuckCurve, Opinion, StoredMatch, frames, luck_curve, opinion, stored_match
from arena.reports.table import shown
from arena.results.manifest import read_manifest, stored_clock, stored_limits
from arena.results.parquet import find_luck
from arena.server.asked import Asked
from arena.server.library import Library
from arena.server.people.levels import level_at
from arena.server.problems import Problem
from arena.server.rights import heard_seats
from arena.server.views.ladders import leg_is_over
from arena.server.views.matches import MatchCard, card_of
from arena.server.views.state import progress_of
from arena.tournament.archive.finding import is_of_people, locate_match, with_faults
from arena.tournament.archive.folder import ARCHIVE, ENTRIES
from arena.tournament.workers.compiling import needs_at, warm_games


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
        warm_games(needs_at(record.game, [(files, json_object(row.params))]), lambda _: None)
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


_Seat = Annotated[int, msgspec.Meta(ge=0, le=63)]
_Page = Annotated[int, msgspec.Meta(ge=0, le=1 << 20)]
_HEX = set("0123456789abcdef")


class MatchQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The eyes, and the part of the match."""

    seat: _Seat | None = None
    """The seat that looks; without it all cards are open."""
    page: _Page = 0
    """Which page of frames, from 0."""
    lost: _Seat | None = None
    """Begin where this seat lost: before its decision after which the game's evaluation fell most."""


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """A match and a page of its frames."""

    card: MatchCard
    tournament: str
    """The tournament, for its address; of a match of people the name of their folder, which has no page."""
    of_people: bool
    """Whether the match was played outside any tournament: by people, because somebody asked for it, or by a remote bot."""
    levels: tuple[str | None, ...]
    """The level of strength on each seat of such a match; None: somebody else sat there."""
    seat: int | None
    """The seat that looks; None: all cards are open."""
    frames: Frames
    start: int | None
    """The frame to begin with, if `lost` was asked for and the seat has such a decision: an opinion, not a result."""
    heard: tuple[int, ...]
    """The seats whose bots' notes and output the visitor may read, at `/m/ID/notes` and `/m/ID/output`."""
    commands: tuple[str, ...]
    """Commands that show the match in a terminal."""
    luck: tuple[float, ...] | None = None
    """How many places the cards were worth to each seat; None where that was not worked out, or not all cards are open."""


def match(asked: Asked[MatchQuery]) -> Match:
    """The data of `/m/ID`. Raises Problem 404 for an unknown match, seat or page."""
    match_id, query = checked_id(asked), asked.query
    tournament, found = stored(asked.library, match_id)
    record = found.record
    if query.seat is not None and query.seat >= len(record.seats):
        raise Problem(404, "refusal_no_seat", last=len(record.seats) - 1, seat=query.seat)
    page = frames(found, query.seat, query.page)
    if query.page and not page.frames:
        raise Problem(404, "refusal_no_frames", page=query.page)
    eyes = "" if query.seat is None else f" --seat {query.seat}"
    heard, of_people = heard_seats(asked, record), is_of_people(record)
    levels = tuple(level_at(record.game, row) if of_people else None for row in record.seats)
    return Match(
        card=card_of(record), tournament=tournament, of_people=of_people, levels=levels, seat=query.seat,
        frames=_with_levels(_without_traces(page, heard), levels), start=_start(found, query), heard=heard,
        commands=(f"arena replay {record.match_id}{eyes}",), luck=None if query.seat is not None else _luck(asked, record),
    )  # fmt: skip


def _luck(asked: Asked[Any], record: MatchRecord) -> tuple[float, ...] | None:
    """Return how many places the cards were worth to each seat, if that is stored beside the match."""
    folder, _, _ = located(asked.library, record.match_id)
    try:
        found = find_luck(folder, record.match_id)
    except StoreError:  # it is only an addition: the match is shown all the same
        return None
    if found is None or not found.events or len(found.seats) != len(record.seats):
        return None
    rivals = [sum(other.unit != seat.unit for other in record.seats) for seat in record.seats]
    return tuple(round(count * seat.luck, 2) for count, seat in zip(rivals, found.seats))


class OpinionQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The opinion takes no parameters."""


def match_opinion(asked: Asked[OpinionQuery]) -> Opinion:
    """The data of `/api/m/ID/opinion`: looks at all cards."""
    return opinion(stored(asked.library, checked_id(asked))[1])


class LuckQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The luck takes no parameters."""


def match_luck(asked: Asked[LuckQuery]) -> LuckCurve:
    """The data of `/api/m/ID/luck`: looks at all cards. Raises Problem 404 where nothing is known of the game's chance."""
    match_id, library = checked_id(asked), asked.library
    _, found = stored(library, match_id)
    if not games.has_luck(found.game.name):
        raise Problem(404, "refusal_no_luck", game=found.game.name)

    def curve() -> LuckCurve:
        warm_games({found.game.name: (CHANCE,)}, lambda _: None)
        return luck_curve(found)

    return library.kept(("luck", match_id), library.out, curve, ())


def embedded_luck(asked: Asked[LuckQuery]) -> LuckCurve:
    """The luck of an embedded match. Raises Problem as `embedded_match`."""
    _check_ended(asked)
    return match_luck(asked)


def embedded_match(asked: Asked[MatchQuery]) -> Match:
    """The data of `/embed/m/ID`, for whoever knows the id. Raises Problem as `match`, and 403 for a tournament that goes on."""
    _check_ended(asked)
    return match(asked)


def embedded_opinion(asked: Asked[OpinionQuery]) -> Opinion:
    """The opinion about an embedded match. Raises Problem as `embedded_match`."""
    _check_ended(asked)
    return match_opinion(asked)


def checked_id(asked: Asked[Any]) -> str:
    """The id in the address. Raises Problem 404 for what is no whole id, and 403 for a guest who has not played the match.

    The beginning of an id must not find a match that was not meant.
    """
    match_id = checked_id_of(asked.place["id"])
    if asked.visitor.is_guest and not asked.tables.has_played(asked.visitor.person, match_id):
        raise Problem(403, "refusal_not_your_match")
    return match_id


def checked_id_of(text: str) -> str:
    """A whole id of a match. Raises Problem 404 for anything else."""
    if len(text) != MATCH_ID_DIGITS or set(text) - _HEX:
        raise Problem(404, "refusal_no_match_id", digits=MATCH_ID_DIGITS)
    return text


def located(library: Library, match_id: str) -> tuple[Path, MatchRecord, bytes]:
    """The folder of a match, its record and the key of its deals. Raises Problem 404 for an unknown match, and StoreError."""
    try:
        return locate_match(library.out, match_id)
    except StoreError as error:
        if "not found in" in str(error):
            raise Problem(404, "refusal_no_match", id=match_id) from None
        raise


def _without_traces(page: Frames, heard: Collection[int]) -> Frames:
    """The frames without what shows the source of a bot whose author does not look. A note begins with its seat."""
    if page.header is None:
        return page
    notes = [note if _seat_of(note) in heard else _without_trace(note) for note in page.header.notes]
    return msgspec.structs.replace(page, header=msgspec.structs.replace(page.header, notes=notes))


def _with_levels(page: Frames, levels: Sequence[str | None]) -> Frames:
    """The frames with the levels that sat at the table, whose names every language has."""
    if page.header is None:
        return page
    players = [msgspec.structs.replace(one, level=level) for one, level in zip(page.header.players, levels)]
    return msgspec.structs.replace(page, header=msgspec.structs.replace(page.header, players=players))


def _seat_of(note: str) -> int | None:
    number = note.removeprefix("seat ").partition(" ")[0]
    return int(number) if number.isdecimal() else None


def _without_trace(note: str) -> str:
    what, colon, reason = note.partition(": ")
    return f"{what}: {found}" if colon and (found := without_trace(reason)) else what


def _check_ended(asked: Asked[Any]) -> None:
    """Raise Problem 403 while deals of the match's tournament are still to be played: the others would know their cards.

    A ladder never ends, but its legs do: what is embedded of one that is over stays.
    """
    library = asked.library
    name, found = stored(library, checked_id(asked))
    if name == ARCHIVE or is_of_people(found.record):  # it is stored when it has ended, and nobody else gets its cards
        return
    folder = library.folder(name)
    if progress_of(library, name, folder).state != "finished" and not leg_is_over(folder, found.record.index):
        raise Problem(403, "refusal_not_ended", name=shown(name))


def stored(library: Library, match_id: str) -> tuple[str, StoredMatch]:
    """The name of the tournament that has a match, and the match. Raises as `located`."""

    def find() -> tuple[str, StoredMatch]:
        folder, record, key = located(library, match_id)
        warm_games({record.game: ()}, lambda _: None)
        name = ARCHIVE if folder.parent.name == ENTRIES else folder.relative_to(library.out).as_posix()
        return name, stored_match(with_faults(record, folder), key)

    return library.kept(("match", match_id), library.out, find, ())


def _start(found: StoredMatch, query: MatchQuery) -> int | None:
    if query.lost is None or query.seat is not None or query.lost >= len(found.record.seats):
        return None
    return opinion(found).lost[query.lost]
