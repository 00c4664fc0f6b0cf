"""Two kinds of options that only Nertz has, and how its options depend on each other and on the seats (RULES.md 4.8)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from arena.engine.options import OptionValue
from arena.errors import ConfigError

SINGLE_SEATS = 6  # more play in teams of two
TEAM_SEATS = (6, 8, 10, 12)
MAX_SEATS = 12
KINDS = 5  # of moves, by delay: flip, call, to a foundation, Nertz or waste to a work pile, work pile to work pile
LONGEST_DELAY = 1000  # ticks
NONE, DECLARED, MEASURED = 0, 1, 2  # latency
LATENCIES = ("none", "declared", "measured")


@dataclass(frozen=True)
class Teams:
    """The option for teams: yes, no, or by the number of seats; coded as 1, 0, 2."""

    meaning: str
    default: OptionValue = "auto"
    name: str = ""
    accepts: ClassVar[str] = "true, false or auto"
    values: ClassVar[tuple[OptionValue, ...]] = (False, True, "auto")
    width: ClassVar[int] = 1

    def encode(self, value: OptionValue) -> list[int]:
        """Encode a value as its place in `values`."""
        if not isinstance(value, bool) and value != "auto":
            raise ValueError(self.accepts)
        return [self.values.index(value)]

    def decode(self, codes: list[int]) -> OptionValue:
        """The value that a code stands for."""
        return self.values[codes[0]]


@dataclass(frozen=True)
class Delays:
    """Ticks per seat and kind of move; coded as the number of seats that are named, then five numbers for each seat.

    A single number stands for all seats, or inside the list for all kinds of one seat. Where moves have delays, no list at
    all is a delay of one tick for every move.
    """

    meaning: str
    default: OptionValue = field(default_factory=list)
    name: str = ""
    accepts: ClassVar[str] = (
        f"a whole number from 0 to {LONGEST_DELAY}, or a list with such a number or {KINDS} of them for each seat"
    )
    examples: ClassVar[tuple[OptionValue, ...]] = ([], 0, 3, [0, [0, 0, 2, 1, 1]], [2, [1, 5, 0, 3, 4], 0])
    """Values for tests: most of them go with latency=declared only, some with a number of seats."""
    width: ClassVar[int] = 1 + KINDS * MAX_SEATS

    def encode(self, value: OptionValue) -> list[int]:
        """Rows, then the ticks row by row, filled up with zeros; a single number has a row for every possible seat."""
        given = value if isinstance(value, list) else [value] * MAX_SEATS
        if len(given) > MAX_SEATS:
            raise ValueError(self.accepts)
        codes = [len(given), *(ticks for row in given for ticks in self._row(row))]
        return codes + [0] * (self.width - len(codes))

    def decode(self, codes: list[int]) -> OptionValue:
        """A list of five numbers per row."""
        return [list(codes[1 + KINDS * row : 1 + KINDS * (row + 1)]) for row in range(codes[0])]

    def _row(self, row: OptionValue) -> list[int]:
        ticks = row if isinstance(row, list) else [row] * KINDS
        whole = [number for number in ticks if isinstance(number, int) and not isinstance(number, bool)]
        if len(ticks) != KINDS or len(whole) != KINDS or not all(0 <= number <= LONGEST_DELAY for number in whole):
            raise ValueError(self.accepts)
        return whole


def resolve(resolved: dict[str, OptionValue], seats: int, given: Mapping[str, OptionValue]) -> dict[str, OptionValue]:
    """`teams` follows the number of seats where it is not given, `delays` the latency. Raises ConfigError."""
    if resolved["teams"] == "auto":
        resolved["teams"] = seats > SINGLE_SEATS
    if resolved["teams"] and seats not in TEAM_SEATS:
        raise ConfigError(f"options.teams: teams of two are played by 6, 8, 10 or 12 seats, not {seats}")
    if not resolved["teams"] and seats > SINGLE_SEATS:
        raise ConfigError(f"options.teams: more than {SINGLE_SEATS} seats play in teams, {seats} cannot be single")
    rows = resolved["delays"]
    assert isinstance(rows, list)
    if resolved["latency"] != "declared":
        if rows:
            raise ConfigError(f"options.delays: only with latency=declared, not with latency={resolved['latency']}")
    elif not rows:
        resolved["delays"] = [[1] * KINDS for _ in range(seats)]
    elif isinstance(given["delays"], int):
        resolved["delays"] = rows[:seats]
    elif len(rows) != seats:
        raise ConfigError(f"options.delays: one entry for each of {seats} seats is needed, not {len(rows)}")
    return resolved


def units_of(seats: int, resolved: Mapping[str, OptionValue]) -> tuple[int, ...]:
    """The unit of each seat: partners sit side by side."""
    return tuple(seat // 2 if resolved["teams"] else seat for seat in range(seats))


def measured_tick(resolved: Mapping[str, OptionValue]) -> int | None:
    """CPU milliseconds of thinking that make a tick of delay; None where thinking costs no ticks."""
    ticks = resolved["ms_per_tick"]
    assert isinstance(ticks, int)
    return ticks if resolved["latency"] == "measured" else None
