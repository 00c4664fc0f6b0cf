"""Small charts of the bot's page as places in percent, which the template draws as SVG: no style, no script, no library."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.server.scale import Scale, scale_of
from arena.server.views.bot import Appearance, RatingPoint, VersionCurve

SPREAD = 1.96  # sigmas of a 95 % interval
CROWDED = 8.0  # percent of the width; nearer to each other, two texts would overlap
_SIZE = 1000.0  # units of the drawing's own coordinates, which are stretched to the chart


@dataclass(frozen=True)
class Mark:
    """A place on the chart with its text."""

    place: str
    """A percentage of the width or the height."""
    text: str


@dataclass(frozen=True)
class Dot:
    """A rating with its interval, in percent of width and height."""

    x: str
    y: str
    low: str
    high: str
    text: str
    """What it is, for who cannot see it."""


@dataclass(frozen=True)
class Chart:
    """What is drawn."""

    line: str = ""
    """The points of the curve, in units of a thousandth."""
    band: str = ""
    """The outline of its interval."""
    dots: Sequence[Dot] = ()
    ys: Sequence[Mark] = ()
    """Values of the rating."""
    xs: Sequence[Mark] = ()
    """What stands below."""
    borders: Sequence[str] = ()
    """The places where a new version begins, in percent of the width."""
    earlier: Sequence[tuple[str, str]] = ()
    """The lines and the bands of earlier versions, as `line` and `band`."""


@dataclass(frozen=True)
class _Range:
    low: float
    high: float


def history(points: Sequence[RatingPoint]) -> Chart | None:
    """How mu and its interval developed over the matches of a tournament; None for fewer than two points."""
    if len(points) < 2 or points[-1].pool_matches == points[0].pool_matches:
        return None
    ranges = [_Range(point.mu - SPREAD * point.sigma, point.mu + SPREAD * point.sigma) for point in points]
    scale, last = scale_of(ranges), points[-1].pool_matches
    xs = [_SIZE * point.pool_matches / last for point in points]
    upper = [(x, _y(scale, one.high)) for x, one in zip(xs, ranges)]
    lower = [(x, _y(scale, one.low)) for x, one in zip(xs, ranges)]
    line = [(x, _y(scale, point.mu)) for x, point in zip(xs, points)]
    marks = [Mark(f"{100 * share:g}%", f"{last * share:,.0f}") for share in (0.0, 0.5, 1.0)]
    return Chart(line=_path(line), band=_path([*upper, *reversed(lower)]), ys=_ticks(scale), xs=marks)


def versions(curves: Sequence[VersionCurve]) -> Chart | None:
    """How the ratings of all versions developed over the matches of a pool, the newest in front; None for fewer than two."""
    curves = [curve for curve in curves if len(curve.points) > 1]
    if len(curves) < 2:
        return None
    points = [point for curve in curves for point in curve.points]
    ranges = [_Range(point.mu - SPREAD * point.sigma, point.mu + SPREAD * point.sigma) for point in points]
    scale = scale_of([_Range(min(one.low for one in ranges), max(one.high for one in ranges))])
    first, last = min(point.pool_matches for point in points), max(point.pool_matches for point in points)
    shapes = [_shape(curve.points, scale, first, last) for curve in curves]
    begins = [100 * (curve.points[0].pool_matches - first) / max(1, last - first) for curve in curves]
    return Chart(
        line=shapes[-1][0], band=shapes[-1][1], earlier=shapes[:-1], ys=_ticks(scale),
        xs=_beginnings([curve.version for curve in curves], begins), borders=[f"{place:.2f}%" for place in begins[1:]],
    )  # fmt: skip


def _beginnings(versions: Sequence[int], places: Sequence[float]) -> list[Mark]:
    """The versions by the places where they begin, in percent; those that are too near to each other share one text."""
    groups: list[tuple[float, list[int]]] = []
    for version, place in sorted(zip(versions, places), key=lambda one: one[1]):
        if groups and place - groups[-1][0] <= CROWDED:
            groups[-1][1].append(version)
        else:
            groups.append((place, [version]))
    texts = [", ".join(f"v{version}" for version in sorted(group)) for _, group in groups]
    return [Mark(f"{place:.2f}%", text) for (place, _), text in zip(groups, texts)]


def _shape(points: Sequence[RatingPoint], scale: Scale, first: int, last: int) -> tuple[str, str]:
    """The line and the band of one version."""
    xs = [_SIZE * (point.pool_matches - first) / max(1, last - first) for point in points]
    upper = [(x, _y(scale, point.mu + SPREAD * point.sigma)) for x, point in zip(xs, points)]
    lower = [(x, _y(scale, point.mu - SPREAD * point.sigma)) for x, point in zip(xs, points)]
    line = [(x, _y(scale, point.mu)) for x, point in zip(xs, points)]
    return _path(line), _path([*upper, *reversed(lower)])


def career(appearances: Sequence[Appearance]) -> Chart | None:
    """The ratings of a bot from tournament to tournament, oldest first; None for fewer than two."""
    if len(appearances) < 2:
        return None
    scale, width = scale_of(appearances), len(appearances)
    places = [100 * (number + 0.5) / width for number in range(width)]
    dots = [
        Dot(f"{x:.2f}%", _percent(scale, one.mu), _percent(scale, one.low), _percent(scale, one.high), _words(one))
        for x, one in zip(places, appearances)
    ]
    news = [number for number in range(1, width) if appearances[number].version != appearances[number - 1].version]
    marks = [
        Mark(f"{places[number]:.2f}%", f"v{one.version}")
        for number, one in enumerate(appearances)
        if number == 0 or number in news
    ]
    return Chart(
        line=_path([(10 * x, _y(scale, one.mu)) for x, one in zip(places, appearances)]), dots=dots, ys=_ticks(scale), xs=marks,
        borders=[f"{100 * number / width:.2f}%" for number in news],
    )  # fmt: skip


def _words(one: Appearance) -> str:
    return f"{one.tournament}, v{one.version}: mu {one.mu:.1f} ({one.low:.1f}–{one.high:.1f})"


def _y(scale: Scale, value: float) -> float:
    """The distance from the top, in thousandths of the height."""
    return _SIZE * (1 - (value - scale.low) / (scale.high - scale.low))


def _percent(scale: Scale, value: float) -> str:
    return f"{_y(scale, value) / 10:.2f}%"


def _ticks(scale: Scale) -> list[Mark]:
    return [Mark(_percent(scale, tick), str(tick)) for tick in scale.ticks]


def _path(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
