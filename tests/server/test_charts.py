"""Plots of a bot's page: everything lies inside, and there is none where there is nothing to see."""

import itertools
import re

import pytest

from arena.reports.pages.words import Words
from arena.reports.plots import WIDTH, scale_of
from arena.server.blocks import career_plot, history_plot, versions_plot
from arena.server.views.bot import Appearance, RatingPoint, VersionCurve

WORD = Words("en")


def appearance(number: int, version: int, mu: float) -> Appearance:
    return Appearance(
        tournament=f"cup-{number}", started=f"2026-01-0{number + 1}", version=version, pool="naga", rank=1, rank_low=1,
        rank_high=2, bots=3, rating=mu - 3, mu=mu, low=mu - 2, high=mu + 2, matches=10,
    )  # fmt: skip


def texts(svg: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def is_inside(svg: str) -> bool:
    height = float(re.findall(r'viewBox="0 0 [\d.]+ ([\d.]+)"', svg)[0])
    xs = [float(text) for text in re.findall(r' (?:x1?|x2|cx)="(-?[\d.]+)"', svg)]
    ys = [float(text) for text in re.findall(r' (?:y1?|y2|cy)="(-?[\d.]+)"', svg)]
    pairs = [pair.split(",") for points in re.findall(r'points="([^"]+)"', svg) for pair in points.split()]
    xs += [float(x) for x, _ in pairs]
    ys += [float(y) for _, y in pairs]
    return bool(xs) and all(0 <= x <= WIDTH for x in xs) and all(0 <= y <= height for y in ys)


def test_a_history_runs_from_the_first_match_to_the_last() -> None:
    svg = history_plot([RatingPoint(10 * number, number, 25.0 + number, 8.0 / (number + 1)) for number in range(6)], WORD)
    assert is_inside(svg) and {"0", "20", "40"} <= set(texts(svg))


@pytest.mark.parametrize("points", [[], [RatingPoint(0, 0, 25.0, 8.0)], [RatingPoint(7, 3, 25.0, 8.0)] * 2])
def test_a_single_point_is_no_history(points: list[RatingPoint]) -> None:
    assert history_plot(points, WORD) == ""


def test_versions_are_marked_where_they_begin() -> None:
    found = [appearance(number, version, 20.0 + number) for number, version in enumerate((1, 1, 2, 3))]
    svg = career_plot(found, WORD)
    assert is_inside(svg)
    assert [text for text in texts(svg) if text.startswith("v")] == ["v1", "v2", "v3"]
    assert svg.count("stroke-dasharray") == 2 and "<title>cup-3, v3" in svg
    assert career_plot(found[:1], WORD) == ""


@pytest.mark.parametrize("begins", [(0, 0), (0, 50), (0, 0, 50), (0, 30, 31, 33)])
def test_every_version_has_a_line_and_its_name(begins: tuple[int, ...]) -> None:
    svg = versions_plot([
        VersionCurve(version=number + 1, points=tuple(RatingPoint(at, at, 25.0, 2.0) for at in (begin, 100)))
        for number, begin in enumerate(begins)
    ], WORD)  # fmt: skip
    assert is_inside(svg) and svg.count("<polyline") == len(begins)
    assert sorted(text for text in texts(svg) if text.startswith("v")) == [f"v{number + 1}" for number in range(len(begins))]
    heights = sorted(float(y) for y in re.findall(r'y="([\d.]+)"[^>]*>v\d<', svg))
    assert all(below - above >= 12 for above, below in itertools.pairwise(heights))


@pytest.mark.parametrize("mus", [[25.0], [0.0, 50.0], [-12.5, -12.4], [1000.0, -1000.0], []])
def test_a_scale_holds_all_intervals_and_has_few_marks(mus: list[float]) -> None:
    rows = [appearance(0, 1, mu) for mu in mus]
    scale = scale_of(rows)
    assert 2 <= len(scale.ticks) <= 30 and scale.low < scale.high
    assert all(scale.low <= row.low and row.high <= scale.high for row in rows)
