"""The table that somebody wants, read from the fields of a form: seats with people, levels and bots, and rule options."""

import secrets
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec

from arena import games
from arena.engine.options import OptionValue, parse_options
from arena.errors import BotError, ConfigError
from arena.reports.pages.lessons import offer
from arena.results.people import folded_name
from arena.server.people.levels import MODEL, Opponent, opponents, own_model
from arena.server.problems import Problem
from arena.server.table_process.messages import SeatPlan

ME, PERSON = "me", "person"
"""The two choices for a seat that are no opponent: who opens the table, and anybody with the link."""
TAKING_OVER = "club"
"""The level that plays for who is away or does not come."""
PACES = (150, 250, 400, 600)
"""Milliseconds of a tick that can be chosen in real time."""
MOST_SEATS_IN_REAL_TIME = 6

_Wish = Annotated[str, msgspec.Meta(max_length=80)]


class Opening(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table that somebody wants to open."""

    game: Annotated[str, msgspec.Meta(max_length=80)]
    seats: Annotated[list[_Wish], msgspec.Meta(min_length=1, max_length=20)]
    """The choice for each seat: `me` once, `person` for anybody with the link, else an opponent as `/play/GAME` lists them:
    `level:club`, `house:naga_greedy`, `submitted:alice`."""
    options: dict[str, Any] = {}
    """Rule options that differ from the defaults."""
    tick_ms: int | None = None
    """Milliseconds of a tick, for a game in real time: one of 150, 250, 400, 600."""
    name: Annotated[str, msgspec.Meta(max_length=500)] | None = None
    """The name to play under; who is known already needs none."""


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """A table that the command line wants, for the first person who comes with its code."""

    opening: Opening
    usual_name: str
    """The name of a person who has none yet, if the opening names none and nobody else has it."""
    seed: int | None = None
    """What fixes the cards."""


class TablePlan(msgspec.Struct, frozen=True, kw_only=True):
    """A table that can be opened."""

    opening: Opening
    """What was wanted, for a rematch."""
    game: str
    options: dict[str, Any]
    seats: list[SeatPlan]
    is_for_people: list[bool]
    """Whether a person sits, or may sit, at each seat."""
    host_seat: int
    results: str
    tick_ms: int | None
    seed: int | None = None
    """What fixes the cards; None: cards that nobody can foretell. Nobody can ask for it over the network."""

    @property
    def has_lobby(self) -> bool:
        """Whether others may join before the match starts."""
        return sum(self.is_for_people) > 1


def planned(opening: Opening, results: Path, host: str, *, models: Collection[str] = ()) -> TablePlan:
    """The table that somebody wants. `host`: the name of who opens it; `models`: the language models that may sit there.

    Raises Problem that says what is wrong.
    """
    choices = opening.seats
    if choices.count(ME) != 1:
        raise Problem(400, "refusal_one_me")
    try:
        game = games.load(opening.game)
        game.check_seats(len(choices))
        game.resolve_options(opening.options, len(choices))
        known = {choice_for(one): one for one in opponents(opening.game, results)}
        known |= {choice: own_model(choice) for choice in choices if choice.startswith(MODEL) and choice in models}
    except (ConfigError, BotError) as error:
        raise Problem(400, "refusal_said", text=error) from None
    if opening.tick_ms is not None:
        if opening.tick_ms not in PACES:
            raise Problem(400, "refusal_pace", paces=", ".join(map(str, PACES)))
        if offer(opening.game).real_time is None:
            raise Problem(400, "refusal_no_real_time", game=opening.game)
        if len(choices) > MOST_SEATS_IN_REAL_TIME:
            raise Problem(400, "refusal_seats_in_real_time", most=MOST_SEATS_IN_REAL_TIME)
    is_for_people = [choice in (ME, PERSON) for choice in choices]
    chosen = [known.get(f"level:{TAKING_OVER}" if choice in (ME, PERSON) else choice) for choice in choices]
    for choice, one in zip(choices, chosen):
        if one is None:
            raise Problem(400, "refusal_no_opponent", choice=choice, known=", ".join(known))
    seats = _seats([one for one in chosen if one is not None], is_for_people, host)
    return TablePlan(
        opening=opening, game=opening.game, options=dict(opening.options), seats=seats, is_for_people=is_for_people,
        host_seat=choices.index(ME), results=str(results), tick_ms=opening.tick_ms,
    )  # fmt: skip


def choice_for(opponent: Opponent) -> str:
    """Return how an opponent is asked for."""
    return f"level:{opponent.name}" if opponent.kind == "level" else opponent.bot


def shuffled(choices: Sequence[str]) -> list[str]:
    """The seats by lot."""
    found = list(choices)
    secrets.SystemRandom().shuffle(found)
    return found


def free_name(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it if it is taken. `taken`: folded names."""
    found, number = name, 1
    while folded_name(found) in taken:
        number += 1
        found = f"{name}-{number}"
    return found


def _seats(chosen: Sequence[Opponent], is_for_people: Sequence[bool], host: str) -> list[SeatPlan]:
    """The seats, each under a name that nobody else at the table has; bots that only take over are named last."""
    names: dict[int, str] = {}
    taken = {folded_name(host)}
    for seat in sorted(range(len(chosen)), key=lambda one: is_for_people[one]):
        names[seat] = free_name(chosen[seat].name, taken)
        taken.add(folded_name(names[seat]))
    return [
        SeatPlan(name=names[seat], bot=one.bot, params=one.params, level=one.name if one.kind == "level" else None)
        for seat, one in enumerate(chosen)
    ]


OPTION = "option."
"""How the names of the fields begin that set rule options."""
ANY_SEAT = "any"
PACE = 250
"""Milliseconds of a tick, unless another pace is chosen."""


def opening_of(game: str, fields: Mapping[str, str], suited: str) -> Opening:
    """The table that a form asks for. `suited`: the choice for an opponent who is as good as the person. Raises Problem."""
    try:
        found, loaded = offer(game), games.load(game)
        variant = next((one for one in found.variants if one.key == fields.get("variant")), found.variants[0])
        options = variant.options | parse_options(
            f"{name.removeprefix(OPTION)}={value.strip()}"
            for name, value in fields.items()
            if name.startswith(OPTION) and value.strip()
        )
    except ConfigError as error:
        raise Problem(400, "refusal_said", text=error) from None
    seats = _number(fields.get("seats"), loaded.seats[0], "seats")
    seats = max(1, min(seats, max(loaded.seats)))  # the game says which numbers in between are right
    choices = [suited if choice == "suited" else choice for choice in _choices(fields, seats)]
    tick_ms = _number(fields.get("pace"), PACE, "pace") if found.real_time is not None else None
    if tick_ms is not None and tick_ms not in PACES:
        raise Problem(400, "refusal_pace", paces=", ".join(map(str, PACES)))
    tick_ms, options = in_real_time(game, options, choices, hands=fields.get("hands", ""), tick_ms=tick_ms or PACE)
    return Opening(game=game, seats=choices, options=options, tick_ms=tick_ms)


def in_real_time(
    game: str, options: Mapping[str, OptionValue], choices: Sequence[str], *, hands: str = "", tick_ms: int = PACE
) -> tuple[int | None, dict[str, OptionValue]]:
    """The milliseconds of a tick and the options of a table; None and the options alone for a game that waits for its people.

    `hands`: how fast the bots' hands are; the usual ones without. Raises ConfigError for an unknown game.
    """
    real_time = offer(game).real_time
    if real_time is None:
        return None, dict(options)
    people = [choice in (ME, PERSON) for choice in choices]
    return tick_ms, {**real_time.options_for(hands, tick_ms, people), **options}


def _choices(fields: Mapping[str, str], seats: int) -> list[str]:
    """The choice for each seat. People come first among the others; seats that are chosen one by one stay as they are."""
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
