"""Plots as SVG for pages: the only module that draws them. Colours are the page's, so that they follow light and dark; nothing
needs an inline style, a script or an identifier. A plot of a page is small, and the server draws it for every reader: so it is
written here, in the page's own terms, and not by a library that would first have to be undone.
"""

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from markupsafe import escape

from arena.errors import one_line

WIDTH = 400.0  # units; texts of 11 units stay readable when a phone shrinks the plot by a sixth
HEIGHT = 230.0
SERIES = 8  # colours of lines that stand out; the page has as many
NAME_LETTERS = 26  # of a bot's name in a plot; the tables have all
END_LETTERS = 18  # of a name at the end of a line
_SIZE = 11.0
_LINE = 13.0  # from one text to the next one
_ROW = 19.0


class Interval(NamedTuple):
    """A value and its error interval."""

    name: str
    low: float
    value: float
    high: float


@dataclass(frozen=True)
class Line:
    """A curve, with a band around it where `lows` and `highs` are given."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]
    lows: Sequence[float] = ()
    highs: Sequence[float] = ()


class Point(NamedTuple):
    """A bot in a plane, with a vertical error interval."""

    name: str
    x: float
    y: float
    low: float
    high: float
    hint: str = ""
    """What it is, for whoever points at it or cannot see it."""


def intervals(rows: Sequence[Interval], label: str, description: str, *, middle: float | None = None) -> str:
    """Draw intervals below each other, the first on top. `label`: of the axis; `middle`: a value to compare with."""
    names = [_cut(row.name, NAME_LETTERS) for row in rows]
    ends = [value for row in rows for value in (row.low, row.high)] + ([] if middle is None else [middle])
    left = max(map(_width, names), default=0.0) + 10.0
    drawing = _Drawing(42.0 + _ROW * max(2, len(rows)), left=left, right=10.0, top=4.0, bottom=38.0)
    x = _scale(min(ends, default=0.0), max(ends, default=1.0), drawing.left, drawing.right, margin=0.04)
    drawing.x_axis(x.ticks(5), x, label)
    if middle is not None:
        drawing.line(x(middle), drawing.top, x(middle), drawing.bottom, "--muted", dash="4 3")
    for number, (row, name) in enumerate(zip(rows, names)):
        height = drawing.top + _ROW * (number + 0.5)
        drawing.text(drawing.left - 8.0, height + 4.0, name, "end", "--ink")
        drawing.line(x(row.low), height, x(row.high), height, "--accent", width=2.2, opacity=0.55)
        drawing.dot(x(row.value), height)
    return drawing.svg(description)


def curves(lines: Sequence[Line], x_label: str, y_label: str, description: str) -> str:
    """Draw curves: the first few in colours and named at their ends, the others faint."""
    named = [line for line in lines[:SERIES] if line.xs]
    right = max((_width(_cut(line.name, END_LETTERS)) for line in named), default=0.0) + 10.0
    drawing = _Drawing(HEIGHT, left=40.0, right=right, top=20.0, bottom=38.0)
    xs = [value for line in lines for value in line.xs] or [0.0, 1.0]
    ys = [value for line in lines for value in (*line.ys, *line.lows, *line.highs)] or [0.0, 1.0]
    x = _scale(min(xs), max(xs), drawing.left, drawing.right)
    y = _scale(min(ys), max(ys), drawing.bottom, drawing.top, margin=0.04)
    drawing.x_axis(x.ticks(4, whole=True), x, x_label)
    drawing.y_axis(y.ticks(5), y, y_label)
    for line in lines[SERIES:]:
        drawing.curve(zip(map(x, line.xs), map(y, line.ys)), "--muted", width=0.9, opacity=0.45)
    for number, line in enumerate(named):
        if line.lows:
            upper = list(zip(map(x, line.xs), map(y, line.highs)))
            lower = list(zip(map(x, line.xs), map(y, line.lows)))
            drawing.area([*upper, *reversed(lower)], f"--series-{number}")
    for number, line in enumerate(named):
        drawing.curve(zip(map(x, line.xs), map(y, line.ys)), f"--series-{number}", width=1.8)
    ends = [(y(line.ys[-1]), number) for number, line in enumerate(named) if line.name]
    for height, number in _apart(ends, drawing.top, drawing.bottom):
        name = _cut(named[number].name, END_LETTERS)
        drawing.text(drawing.right + 6.0, height + 4.0, name, "start", f"--series-{number}")
    return drawing.svg(description)


def plane(points: Sequence[Point], x_label: str, y_label: str, description: str, named: Sequence[bool]) -> str:
    """Draw points over a logarithmic axis. `named`: which points have their names beside them, if there is room."""
    drawing = _Drawing(HEIGHT, left=40.0, right=10.0, top=20.0, bottom=38.0)
    logs = [math.log10(point.x) for point in points]
    x = _scale(min(logs) - 0.5, max(logs) + 1.1, drawing.left, drawing.right)  # room for a name
    ys = [value for point in points for value in (point.low, point.high)]
    y = _scale(min(ys), max(ys), drawing.bottom, drawing.top, margin=0.06)
    whole = range(math.ceil(x.low), math.floor(x.high) + 1)
    drawing.x_axis([(float(power), f"{10.0**power:g}") for power in whole], x, x_label)
    drawing.y_axis(y.ticks(5), y, y_label)
    places = [(x(log), y(point.y)) for log, point in zip(logs, points)]
    for (at, height), point in zip(places, points):
        drawing.line(at, y(point.low), at, y(point.high), "--accent", width=1.5, opacity=0.4)
        drawing.dot(at, height)
    taken = [_Box(at - 3.0, height - 3.0, at + 3.0, height + 3.0) for at, height in places]
    order = sorted((number for number, is_named in enumerate(named) if is_named), key=lambda number: -points[number].y)
    for number in order:
        _name_point(drawing, _cut(points[number].name, NAME_LETTERS), places[number], taken)
    return drawing.svg(description)


def career(points: Sequence[Point], borders: Sequence[int], y_label: str, description: str) -> str:
    """Draw values with intervals from left to right, each over its name. `borders`: points before which something begins."""
    drawing = _Drawing(HEIGHT, left=40.0, right=10.0, top=20.0, bottom=24.0)
    ys = [value for point in points for value in (point.low, point.high)]
    y = _scale(min(ys), max(ys), drawing.bottom, drawing.top, margin=0.04)
    drawing.y_axis(y.ticks(5), y, y_label)
    step = (drawing.right - drawing.left) / len(points)
    places = [drawing.left + step * (number + 0.5) for number in range(len(points))]
    for number in borders:
        at = drawing.left + step * number
        drawing.line(at, drawing.top, at, drawing.bottom, "--muted", dash="4 3")
    drawing.curve(zip(places, (y(point.y) for point in points)), "--accent", width=1.0, opacity=0.45)
    last = -math.inf
    for at, point in zip(places, points):
        drawing.line(at, y(point.low), at, y(point.high), "--accent", width=4.0, opacity=0.5)
        drawing.dot(at, y(point.y), point.hint)
        width = _width(point.name)
        if point.name and at - width / 2 > last + 4.0:  # a name that would touch the one before it is left out
            drawing.text(min(max(at, width / 2), WIDTH - width / 2), drawing.bottom + 16.0, point.name, "middle", "--muted")
            last = at + width / 2
    return drawing.svg(description)


Tick = tuple[float, str]


@dataclass(frozen=True)
class _Scale:
    """A straight line from values to places."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        return self.first + (value - self.low) / (self.high - self.low) * (self.last - self.first)

    def ticks(self, most: int, *, whole: bool = False) -> list[Tick]:
        """Round numbers, with their texts."""
        least = (self.high - self.low) / most
        power = 10.0 ** math.floor(math.log10(least))
        step = next(size * power for size in (1.0, 2.0, 2.5, 5.0, 10.0) if size * power >= least * 0.999)
        step = max(1.0, math.ceil(step)) if whole else step
        digits = max(0, -math.floor(math.log10(step) + 1e-9) + (1 if f"{step:.6e}".startswith("2.5") else 0))
        numbers = range(math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9) + 1)
        return [(number * step, f"{number * step:,.{digits}f}".replace("-", "−")) for number in numbers]


def _scale(low: float, high: float, first: float, last: float, margin: float = 0.0) -> _Scale:
    room = margin * (high - low) if high > low else 0.5
    return _Scale(low - room, high + room, first, last)


class _Box(NamedTuple):
    """A part of the drawing that is taken."""

    left: float
    top: float
    right: float
    bottom: float

    def touches(self, other: "_Box") -> bool:
        return self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom


@dataclass
class _Drawing:
    """Lines and texts, and the edges of the field between the axes; constructed with the game around that field."""

    height: float
    left: float
    right: float
    top: float
    bottom: float
    parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.right, self.bottom = WIDTH - self.right, self.height - self.bottom

    def line(
        self, x1: float, y1: float, x2: float, y2: float, colour: str, *, width: float = 0.8, opacity: float = 1, dash: str = ""
    ) -> None:  # fmt: skip
        style = f' stroke-opacity="{opacity:g}"' if opacity < 1 else ""
        style += f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="var({colour})" stroke-width="{width:g}"'
            f"{style}/>"
        )

    def curve(self, places: Iterable[tuple[float, float]], colour: str, *, width: float, opacity: float = 1.0) -> None:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        style = f' stroke-opacity="{opacity:g}"' if opacity < 1 else ""
        self.parts.append(f'<polyline points="{points}" fill="none" stroke="var({colour})" stroke-width="{width:g}"{style}/>')

    def area(self, places: Iterable[tuple[float, float]], colour: str) -> None:
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        self.parts.append(f'<polygon points="{points}" fill="var({colour})" fill-opacity="0.14"/>')

    def dot(self, x: float, y: float, hint: str = "") -> None:
        inside = f"<title>{escape(one_line(hint))}</title>" if hint else ""
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="var(--accent)">{inside}</circle>')

    def text(self, x: float, y: float, text: str, anchor: str, colour: str) -> None:
        said = escape(one_line(text))
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{_SIZE:g}" text-anchor="{anchor}" fill="var({colour})">{said}</text>'
        )

    def x_axis(self, ticks: Sequence[Tick], scale: Callable[[float], float], label: str) -> None:
        for value, text in ticks:
            self.line(scale(value), self.top, scale(value), self.bottom, "--grid")
            at = min(max(scale(value), _width(text) / 2), WIDTH - _width(text) / 2)
            self.text(at, self.bottom + _LINE, text, "middle", "--muted")
        middle = (self.left + self.right) / 2
        half = _width(label) / 2
        at = min(max(middle, half), WIDTH - half) if 2 * half < WIDTH else WIDTH / 2
        self.text(at, self.bottom + 2.3 * _LINE, label, "middle", "--muted")

    def y_axis(self, ticks: Sequence[Tick], scale: Callable[[float], float], label: str) -> None:
        for value, text in ticks:
            self.line(self.left, scale(value), self.right, scale(value), "--grid")
            self.text(self.left - 6.0, scale(value) + 4.0, text, "end", "--muted")
        self.text(0.0, _SIZE, label, "start", "--muted")

    def svg(self, description: str) -> str:
        return (
            f'<svg class="plot" role="img" aria-label="{escape(one_line(description))}" '
            f'viewBox="0 0 {WIDTH:g} {self.height:g}">{"".join(self.parts)}</svg>'
        )


_SIDES = (
    ("start", 7, 4), ("end", -7, 4), ("start", 7, -8), ("end", -7, -8), ("start", 7, 16), ("end", -7, 16), ("middle", 0, -9),
    ("middle", 0, 18), ("start", 7, -20), ("end", -7, -20), ("start", 7, 28), ("end", -7, 28),
)  # fmt: skip
"""Possible places of a point's name, the best one first: its alignment and its distance."""


def _name_point(drawing: _Drawing, name: str, place: tuple[float, float], taken: list[_Box]) -> None:
    """A name beside its point; where it finds no room, it is left out."""
    width = _width(name)
    for anchor, along, down in _SIDES:
        x, y = place[0] + along, place[1] + down
        left = x if anchor == "start" else x - width if anchor == "end" else x - width / 2
        box = _Box(left, y - 9.0, left + width, y + 2.0)
        inside = (
            drawing.left <= box.left
            and box.right <= drawing.right
            and drawing.top - 6 <= box.top
            and box.bottom <= drawing.bottom
        )
        if inside and not any(box.touches(other) for other in taken):
            taken.append(box)
            drawing.text(x, y, name, anchor, "--ink")
            return


def _apart(ends: Sequence[tuple[float, int]], top: float, bottom: float) -> list[tuple[float, int]]:
    """Heights of texts, pushed apart where they would overlap."""
    found = sorted(ends)
    places = [height for height, _ in found]
    for _ in range(3):  # down, and up again from the bottom
        for number in range(1, len(places)):
            places[number] = max(places[number], places[number - 1] + _LINE)
        over = max(0.0, places[-1] - bottom) if places else 0.0
        places = [place - over for place in places]
        for number in range(len(places) - 2, -1, -1):
            places[number] = min(places[number], places[number + 1] - _LINE)
        under = max(0.0, top - places[0]) if places else 0.0
        places = [place + under for place in places]
    return [(place, number) for place, (_, number) in zip(places, found)]


def _width(text: str) -> float:
    """About the width of a text: fonts differ."""
    return _SIZE * sum(1.0 if unicodedata.east_asian_width(letter) in "WF" else 0.57 for letter in text)


def _cut(name: str, letters: int) -> str:
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


STEPS = (1, 2, 5, 10, 20, 50, 100)
MOST_TICKS = 6


class HasInterval(Protocol):
    """A row with an interval of mu."""

    @property
    def low(self) -> float:
        """The lower end."""

    @property
    def high(self) -> float:
        """The upper end."""


@dataclass(frozen=True)
class Scale:
    """A straight line from ratings to places on a drawing."""

    low: float
    high: float
    ticks: tuple[int, ...]
    """Round numbers to mark."""

    def percent(self, value: float) -> str:
        """The place of a value, in percent of the width.

        >>> Scale(10, 30, (10, 20, 30)).percent(15)
        '25.00%'
        """
        return f"{100 * (value - self.low) / (self.high - self.low):.2f}%"


def scale_of(rows: Sequence[HasInterval]) -> Scale:
    """The scale on which all rows have room.

    >>> from collections import namedtuple
    >>> row = namedtuple("row", "low high")
    >>> scale_of([row(12.5, 31.0), row(18.0, 22.0)]).ticks
    (10, 15, 20, 25, 30, 35)
    """
    low = min((row.low for row in rows), default=0.0)
    high = max((row.high for row in rows), default=1.0)
    step = next((step for step in STEPS if (high - low) / step < MOST_TICKS - 1), STEPS[-1])
    first, last = math.floor(low / step), max(math.ceil(high / step), math.floor(low / step) + 1)
    return Scale(first * step, last * step, tuple(number * step for number in range(first, last + 1)))
