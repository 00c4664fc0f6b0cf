"""Plots as SVG for a page of HTML: the only module that draws. Colours are the page's, so that they follow light and dark.

matplotlib is told to leave texts as texts, and draws in marked colours that are then replaced by the page's CSS variables.
What it writes for files of their own is taken out: identifiers that would clash, style sheets, sizes, name spaces.
Its inline styles become attributes, because the content policies of the pages forbid inline styles.
"""

import io
import itertools
import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import matplotlib
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

WIDTH = 400.0  # units; texts of 11 units stay readable when a phone shrinks the plot by a sixth
SERIES = 8  # colours of lines that stand out; the page has as many
NAME_LETTERS = 26  # of a bot's name in a plot; the tables have all
_POINT = 1 / 72  # inches, matplotlib's unit of figures; its SVG has 72 units an inch
_INK, _MUTED, _GRID, _ACCENT = "#010101", "#010102", "#010103", "#010104"
_SERIES = tuple(f"#0102{number:02x}" for number in range(SERIES))
_VARIABLES = {_INK: "--ink", _MUTED: "--muted", _GRID: "--grid", _ACCENT: "--accent"} | {
    colour: f"--series-{number}" for number, colour in enumerate(_SERIES)
}
_SETTINGS: dict[Any, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "arena", "text.parse_math": False, "font.size": 11.0, "font.family": "DejaVu Sans",
    "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": _GRID, "axes.labelcolor": _MUTED,
    "axes.grid": True, "grid.color": _GRID, "grid.linewidth": 0.8, "axes.axisbelow": True, "text.color": _INK,
    "xtick.color": _MUTED, "ytick.color": _MUTED, "xtick.major.size": 0.0, "ytick.major.size": 0.0, "xtick.minor.size": 0.0,
    "figure.facecolor": "none", "axes.facecolor": "none", "axes.unicode_minus": True,
}  # fmt: skip


@dataclass(frozen=True)
class Interval:
    """A value and its error interval."""

    name: str
    low: float
    value: float
    high: float


@dataclass(frozen=True)
class Line:
    """The curve of one bot."""

    name: str
    xs: Sequence[float]
    ys: Sequence[float]


@dataclass(frozen=True)
class Point:
    """A bot in a plane, with a vertical error interval."""

    name: str
    x: float
    y: float
    low: float
    high: float


class Plotter:
    """Draws the plots of one page; each gets identifiers of its own."""

    def __init__(self) -> None:
        self._numbers = itertools.count()

    def intervals(self, rows: Sequence[Interval], label: str, description: str, *, middle: float | None = None) -> str:
        """Draw intervals below each other, the first on top. `label`: of the axis; `middle`: a value to compare with."""
        with matplotlib.rc_context(_SETTINGS):
            figure, axes = _figure(44.0 + 19.0 * max(2, len(rows)))
            heights = range(len(rows))
            if middle is not None:
                axes.axvline(middle, color=_MUTED, linewidth=1.0, linestyle=(0, (4, 3)))
            axes.hlines(
                heights, [row.low for row in rows], [row.high for row in rows], color=_ACCENT, linewidth=2.2, alpha=0.55
            )
            axes.plot([row.value for row in rows], heights, "o", color=_ACCENT, markersize=6.0)
            axes.set_yticks(heights, [_cut(row.name) for row in rows], color=_INK)
            axes.set_ylim(len(rows) - 0.5, -0.5)
            axes.grid(visible=False, axis="y")
            axes.set_xlabel(label)
            axes.xaxis.set_major_locator(ticker.MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
            return self._svg(figure, description)

    def lines(self, lines: Sequence[Line], x_label: str, y_label: str, description: str) -> str:
        """Draw curves: the first few in colours and named at their ends, the others faint."""
        with matplotlib.rc_context(_SETTINGS):
            figure, axes = _figure(250.0)
            for line in lines[SERIES:]:
                axes.plot(line.xs, line.ys, color=_MUTED, linewidth=0.9, alpha=0.45)
            for line, colour in zip(lines, _SERIES):
                axes.plot(line.xs, line.ys, color=colour, linewidth=1.8)
            axes.margins(x=0.0)
            axes.xaxis.set_major_locator(ticker.MaxNLocator(5, integer=True, steps=[1, 2, 5, 10]))
            axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:,.0f}"))
            axes.set_xlabel(x_label)
            axes.set_ylabel(y_label)
            _name_ends(axes, lines[:SERIES])
            return self._svg(figure, description)

    def plane(self, points: Sequence[Point], x_label: str, y_label: str, description: str, named: Sequence[bool]) -> str:
        """Draw points over a logarithmic axis. `named`: which points have their names beside them, if there is room."""
        with matplotlib.rc_context(_SETTINGS):
            figure, axes = _figure(250.0)
            axes.set_xscale("log")
            xs = [point.x for point in points]
            axes.vlines(xs, [point.low for point in points], [point.high for point in points], color=_ACCENT, alpha=0.4)
            axes.plot(xs, [point.y for point in points], "o", color=_ACCENT, markersize=6.0)
            axes.set_xlim(min(xs) / 4.0, max(xs) * 25.0)  # room for a name
            axes.grid(visible=False, axis="x", which="minor")
            axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
            axes.xaxis.set_minor_formatter(ticker.NullFormatter())
            axes.set_xlabel(x_label)
            axes.set_ylabel(y_label)
            figure.draw_without_rendering()  # the layout that the names need
            _name_points(axes, points, named)
            return self._svg(figure, description)

    def _svg(self, figure: Figure, description: str) -> str:
        target = io.BytesIO()
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Glyph", UserWarning)  # the reader's fonts count, not those of this machine
            figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
        return _for_page(target.getvalue().decode(), f"plot{next(self._numbers)}-", description)


def _figure(height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(WIDTH * _POINT, height * _POINT), layout="constrained")
    FigureCanvasSVG(figure)
    return figure, figure.subplots()


_SIDES = [
    ("left", 7, 4), ("right", -7, 4), ("left", 7, -12), ("right", -7, -12), ("center", 0, 9), ("center", 0, -18),
    ("left", 7, 16), ("right", -7, 16), ("left", 7, -24), ("right", -7, -24),
]  # fmt: skip
"""Possible places of a point's name, the best one first: its alignment and its distance in points of the page."""


def _name_points(axes: Axes, points: Sequence[Point], named: Sequence[bool]) -> None:
    """Names beside their points, the strongest first; where one finds no room, it is left out."""
    dots = axes.transData.transform([(point.x, point.y) for point in points])
    reach = 3.0 * axes.figure.dpi / 72.0
    taken = [Bbox([[x - reach, y - reach], [x + reach, y + reach]]) for x, y in dots]
    for point in sorted((point for point, is_named in zip(points, named) if is_named), key=lambda point: -point.y):
        for side, along, up in _SIDES:
            text = axes.annotate(
                _cut(point.name),
                (point.x, point.y),
                (along, up),
                textcoords="offset points",
                ha=side,
                color=_INK,
                fontsize=10.0,
            )
            box = text.get_window_extent()
            is_inside = axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1
            if is_inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                break
            text.remove()


def _name_ends(axes: Axes, lines: Sequence[Line]) -> None:
    """Names right of the last points, pushed apart where they would overlap."""
    low, high = axes.get_ylim()
    gap = (high - low) * 0.062
    ends = sorted((line.ys[-1], line.xs[-1], number) for number, line in enumerate(lines) if len(line.ys))
    places = [height for height, _, _ in ends]
    for _ in range(3):  # up, and down again from the top
        for number in range(1, len(places)):
            places[number] = max(places[number], places[number - 1] + gap)
        over = max(0.0, places[-1] - high) if places else 0.0
        places = [place - over for place in places]
        for number in range(len(places) - 2, -1, -1):
            places[number] = min(places[number], places[number + 1] - gap)
    for (_, _, number), place in zip(ends, places):
        axes.annotate(
            _cut(lines[number].name, 18), (1.0, place), (6, 0), xycoords=("axes fraction", "data"),
            textcoords="offset points", va="center", color=_SERIES[number], fontsize=10.0, annotation_clip=False,
        )  # fmt: skip


def _cut(name: str, letters: int = NAME_LETTERS) -> str:
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def _for_page(text: str, prefix: str, description: str) -> str:
    """The <svg> element alone, with the page's colours and fonts, and `prefix` before identifiers."""
    root = ElementTree.fromstring(text[text.index("<svg") :])
    for parent in list(root.iter()):
        for child in list(parent):
            if _local(child.tag) in ("metadata", "style"):
                parent.remove(child)
    used = set(re.findall(r"#([\w-]+)", " ".join(value for node in root.iter() for value in node.attrib.values())))
    for node in root.iter():
        node.tag = _local(node.tag)
        attributes = {_local(key): value for key, value in node.attrib.items()}
        if attributes.get("id") not in used:
            attributes.pop("id", None)
        node.attrib.clear()
        attributes |= _declarations(attributes.pop("style", ""))
        node.attrib.update({key: _on_page(key, value, prefix) for key, value in attributes.items()})
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.attrib.update({"class": "plot", "role": "img", "aria-label": description})
    return ElementTree.tostring(root, encoding="unicode")


def _on_page(key: str, value: str, prefix: str) -> str:
    if key == "id":
        return prefix + value
    if key == "href" or value.startswith("url(#"):
        return value.replace("#", f"#{prefix}")
    return re.sub(r"#0[0-9a-f]{5}\b", lambda found: f"var({_VARIABLES.get(found[0], '--ink')})", value)


def _declarations(style: str) -> dict[str, str]:
    """An inline style as attributes of the same meaning; without the font's name, which is the page's."""
    found = {}
    for part in filter(None, map(str.strip, style.split(";"))):
        key, _, value = part.partition(":")
        if key == "font":  # "11px 'DejaVu Sans'", with "italic" or a weight before it
            key, value = "font-size", next(word for word in value.split() if word.endswith("px"))
        if key != "font-family":
            found[key] = value.strip()
    return found


def _local(name: str) -> str:
    return name.rpartition("}")[2]
