"""What a ladder has to remember between its runs, besides its rows: a value in the journal, written before it is acted on."""

from collections.abc import Mapping

import msgspec

from arena.errors import StoreError
from arena.formats.ladder.format import Ladder, Leg
from arena.formats.plan import Contestant, Plan
from arena.formats.stages import Stage
from arena.seeds import CHAIN_KEYS, newest_key
from arena.store.journal import Journal

_NAME = "ladder"


class LadderBook(msgspec.Struct, frozen=True, kw_only=True):
    """A ladder between two runs; implements course.Book."""

    contestants: tuple[Contestant, ...]
    """All contestants that the ladder ever had, in the order of their arrival."""
    legs: tuple[Leg, ...]
    stages: tuple[Stage, ...]
    last_key: bytes
    """The key of the last possible leg, from which the keys of all legs follow (seeds.newest_key)."""
    has_ended: bool = False
    """Whether the newest leg is over."""

    def values(self) -> Mapping[str, bytes]:
        """The book as the journal stores it."""
        return {_NAME: msgspec.json.encode(self)}

    def after(self, plan: Plan, *, has_ended: bool = False) -> "LadderBook":
        """The book with what the plan has now. `has_ended`: whether this run is over."""
        assert isinstance(plan.format, Ladder)
        return msgspec.structs.replace(
            self, contestants=plan.contestants, legs=plan.format.legs, stages=plan.format.stages, has_ended=has_ended
        )


def read_book(journal: Journal) -> LadderBook | None:
    """The book of the ladder in a journal; None before its first run."""
    value = journal.meta(_NAME)
    try:
        return None if value is None else msgspec.json.decode(value, type=LadderBook)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise StoreError(f"{journal.path}: the row of {_NAME!r} is not ours: {error}") from None


def go_on(plan: Plan, book: LadderBook | None, journal: Journal) -> tuple[Plan, LadderBook]:
    """The ladder's plan with all that was before, and a leg for this run if the newest one cannot go on.

    `plan`: by the config alone, its key being that of the last possible leg. A bot whose file or parameters have changed is
    a new version. Raises StoreError after too many legs.
    """
    assert isinstance(plan.format, Ladder)
    (wanted,) = plan.format.legs
    if book is None:
        book = LadderBook(contestants=(), legs=(), stages=(), last_key=plan.key)
    contestants = list(book.contestants)
    field = tuple(_enter(contestant, contestants) for contestant in plan.contestants)
    wanted = msgspec.structs.replace(wanted, first_stage=len(book.stages), field=field)
    legs, newest = book.legs, book.legs[-1] if book.legs else None
    if newest is None or book.has_ended or _terms(newest) != _terms(wanted):
        if len(legs) == CHAIN_KEYS:
            raise StoreError(f"{journal.path}: a ladder has at most {CHAIN_KEYS:,} runs that add something; start another one")
        legs = (*legs, msgspec.structs.replace(wanted, skipped=_unplayed(plan, book, journal)))
    continued = msgspec.structs.replace(
        plan, contestants=tuple(contestants), format=Ladder(legs, book.stages), key=newest_key(book.last_key, len(legs))
    )
    return continued, book.after(continued)


def _enter(contestant: Contestant, known: list[Contestant]) -> int:
    """The contestant's place among all that there ever were; a new one is added."""
    for place, other in enumerate(known):
        if (other.identity, other.games) == (contestant.identity, contestant.games):
            known[place] = msgspec.structs.replace(other, trusted=contestant.trusted)
            return place
    earlier = [other.version for other in known if other.name == contestant.name]
    version = max([contestant.version, *(version + 1 for version in earlier)])
    known.append(msgspec.structs.replace(contestant, version=version))
    return len(known) - 1


def _terms(leg: Leg) -> tuple[object, ...]:
    return leg.field, leg.sigma, leg.separable, leg.matches


def _unplayed(plan: Plan, book: LadderBook, journal: Journal) -> tuple[int, ...]:
    """The matches that the newest leg has left open: only of its last stage."""
    if not book.stages:
        return ()
    stage = book.stages[-1]
    size = sum(plan.matches_at(place) for place, _ in stage.tables)
    played = {index for index in journal.indices() if index >= stage.first_index}
    return tuple(index for index in range(stage.first_index, stage.first_index + size) if index not in played)
