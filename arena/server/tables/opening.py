"""From the fields of a form to a table that somebody wants."""

from collections.abc import Mapping, Sequence

from arena import games
from arena.engine.options import OptionValue, parse_options
from arena.errors import ConfigError
from arena.reports.pages.lessons import offer
from arena.server.problems import Problem
from arena.server.tables.plan import ME, PACES, PERSON, Opening, shuffled

OPTION = "option."
"""How the names of the fields begin that set rule options."""
ANY_SEAT = "any"
PACE = 250
"""Milliseconds of a tick, unless another pace is chosen."""


def opening_of(game: str, fields: Mapping[str, str], suited: str) -> Opening:
    """The table that a form asks for. `suited`: the wish for an opponent who is as good as the person. Raises Problem."""
    try:
        found, room = offer(game), games.load(game)
        variant = next((one for one in found.variants if one.key == fields.get("variant")), found.variants[0])
        options = variant.options | parse_options(
            f"{name.removeprefix(OPTION)}={value.strip()}"
            for name, value in fields.items()
            if name.startswith(OPTION) and value.strip()
        )
    except ConfigError as error:
        raise Problem(400, "refusal_said", text=error) from None
    seats = _number(fields.get("seats"), room.seats[0], "seats")
    seats = max(1, min(seats, max(room.seats)))  # the room says which numbers in between are right
    wishes = [suited if wish == "suited" else wish for wish in _wishes(fields, seats)]
    tick_ms = _number(fields.get("pace"), PACE, "pace") if found.real_time is not None else None
    if tick_ms is not None and tick_ms not in PACES:
        raise Problem(400, "refusal_pace", paces=", ".join(map(str, PACES)))
    tick_ms, options = in_real_time(game, options, wishes, hands=fields.get("hands", ""), tick_ms=tick_ms or PACE)
    return Opening(game=game, seats=wishes, options=options, tick_ms=tick_ms)


def in_real_time(
    game: str, options: Mapping[str, OptionValue], wishes: Sequence[str], *, hands: str = "", tick_ms: int = PACE
) -> tuple[int | None, dict[str, OptionValue]]:
    """The milliseconds of a tick and the options of a table; None and the options alone for a game that waits for its people.

    `hands`: how fast the bots' hands are; the usual ones without. Raises ConfigError for an unknown game.
    """
    real_time = offer(game).real_time
    if real_time is None:
        return None, dict(options)
    people = [wish in (ME, PERSON) for wish in wishes]
    return tick_ms, {**real_time.options_for(hands, tick_ms, people), **options}


def _wishes(fields: Mapping[str, str], seats: int) -> list[str]:
    """The wish for each seat. People come first among the others; seats that are chosen one by one stay as they are."""
    usual = fields.get("opponent") or "suited"
    others = [fields.get(f"rival.{number}") or usual for number in range(1, seats)]
    free = [number for number, _ in enumerate(others) if not fields.get(f"rival.{number + 1}")]
    for number in free[: max(0, _number(fields.get("people"), 0, "people"))]:
        others[number] = PERSON
    own = fields.get("seat", ANY_SEAT) or ANY_SEAT
    if own == ANY_SEAT:
        return shuffled([ME, *others])
    place = _number(own, 0, "seat")
    if not 0 <= place < seats:
        raise Problem(400, "refusal_own_seat", last=seats - 1)
    return [*others[:place], ME, *others[place:]]


def _number(text: str | None, usual: int, field: str) -> int:
    if not text:
        return usual
    if len(text) > 6 or not text.isascii() or not text.isdigit():
        raise Problem(400, "refusal_number", field=field)
    return int(text)
