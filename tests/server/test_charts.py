"""Charts of a bot's page: everything lies inside, and there is none where there is nothing to see."""

import re

import pytest

from arena.server.charts import Chart, career, history, versions
from arena.server.scale import scale_of
from arena.server.views.bot import Appearance, RatingPoint, VersionCurve


def appearance(number: int, version: int, mu: float) -> Appearance:
    return Appearance(
        tournament=f"cup-{number}", started=f"2026-01-0{number + 1}", version=version, pool="naga", rank=1, rank_low=1,
        rank_high=2, bots=3, rating=mu - 3, mu=mu, low=mu - 2, high=mu + 2, matches=10,
    )  # fmt: skip


def places(chart: Chart) -> list[float]:
    points = [float(number) / 10 for number in re.findall(r"-?[\d.]+", f"{chart.line} {chart.band}")]
    dots = [float(text.rstrip("%")) for dot in chart.dots for text in (dot.x, dot.y, dot.low, dot.high)]
    return points + dots + [float(mark.place.rstrip("%")) for mark in (*chart.xs, *chart.ys)]


def test_a_history_runs_from_the_first_match_to_the_last() -> None:
    points = [RatingPoint(10 * number, number, 25.0 + number, 8.0 / (number + 1)) for number in range(6)]
    chart = history(points)
    assert chart is not None and all(0 <= place <= 100 for place in places(chart))
    assert chart.line.startswith("0.0,") and chart.line.split()[-1].startswith("1000.0,")
    assert [mark.text for mark in chart.xs] == ["0", "25", "50"]


@pytest.mark.parametrize("points", [[], [RatingPoint(0, 0, 25.0, 8.0)], [RatingPoint(7, 3, 25.0, 8.0)] * 2])
def test_a_single_point_is_no_history(points: list[RatingPoint]) -> None:
    assert history(points) is None


def test_versions_are_marked_where_they_begin() -> None:
    found = [appearance(number, version, 20.0 + number) for number, version in enumerate((1, 1, 2, 3))]
    chart = career(found)
    assert chart is not None and all(0 <= place <= 100 for place in places(chart))
    assert [mark.text for mark in chart.xs] == ["v1", "v2", "v3"]
    assert chart.borders == ["50.00%", "75.00%"]
    assert "cup-3, v3" in chart.dots[-1].text
    assert career(found[:1]) is None


@pytest.mark.parametrize(
    ("begins", "texts"),
    [((0, 0), ["v1, v2"]), ((0, 50), ["v1", "v2"]), ((0, 0, 50), ["v1, v2", "v3"]), ((0, 30, 31, 33), ["v1", "v2, v3, v4"])],
)
def test_no_version_loses_its_text_to_one_that_begins_beside_it(begins: tuple[int, ...], texts: list[str]) -> None:
    chart = versions([
        VersionCurve(version=number + 1, points=tuple(RatingPoint(at, at, 25.0, 2.0) for at in (begin, 100)))
        for number, begin in enumerate(begins)
    ])  # fmt: skip
    assert chart is not None and [mark.text for mark in chart.xs] == texts
    assert len(chart.borders) == len(begins) - 1


@pytest.mark.parametrize("mus", [[25.0], [0.0, 50.0], [-12.5, -12.4], [1000.0, -1000.0], []])
def test_a_scale_holds_all_intervals_and_has_few_marks(mus: list[float]) -> None:
    rows = [appearance(0, 1, mu) for mu in mus]
    scale = scale_of(rows)
    assert 2 <= len(scale.ticks) <= 30 and scale.low < scale.high
    assert all(scale.low <= row.low and row.high <= scale.high for row in rows)
