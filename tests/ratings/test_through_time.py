"""TrueSkill through time over versions: against the package of its authors, and against draws of all skills."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr

from arena.cli.main import main
from arena.ratings import trueskill_batch
from arena.ratings.models import THROUGH_TIME
from arena.ratings.rows import Bot, PoolRows
from arena.ratings.settings import Anchor, RatingSettings
from arena.ratings.standings import rated_pool
from arena.ratings.through_time import DRIFT, Better, better_than, earlier_versions, prior_precision, rate
from arena.records import MatchRecord
from helpers.records import make_record, make_seat, numbered
from helpers.results import write_results

SETTINGS = RatingSettings(draw_probability=0.1)
Seat = tuple[str, int, int]
"""Bot, version and place."""


def rows_of(*matches: tuple[Seat, ...], bots: tuple[Bot, ...] = ()) -> PoolRows:
    seats = [seat for match in matches for seat in match]
    known = tuple(dict.fromkeys([*bots, *((bot, version) for bot, version, _ in seats)]))
    return PoolRows(
        known, np.cumsum([0, *map(len, matches)]), np.arange(len(matches), dtype=np.int32),
        np.array([known.index((bot, version)) for bot, version, _ in seats], np.int32),
        np.concatenate([np.arange(len(match)) for match in matches]).astype(np.int8),
        np.array([place for *_, place in seats], np.int8), np.zeros(len(seats), np.float32), np.zeros(len(seats), np.bool_),
    )  # fmt: skip


def better(rows: PoolRows, bot: Bot, settings: RatingSettings = SETTINGS) -> tuple[Better, ...]:
    return better_than(rated_pool(THROUGH_TIME, "pool", rows, settings), bot, earlier_versions(rows, bot))


def test_its_numbers_are_those_of_the_package() -> None:
    """Versions 1, 2 and 4 of one bot at times 1, 2 and 4, against two that do not change.

    Teams are given best first: version 1.1.0 of the package mixes three up that come in another order.
    """
    package = pytest.importorskip("trueskillthroughtime")
    stream, matches = np.random.default_rng(1), []
    for version in (1, 2, 4):
        for _ in range(8):
            table = ["x", *stream.permutation(["y", "z"])[: stream.integers(1, 3)].tolist()]
            order = stream.permutation(table).tolist()
            tied = len(table) == 2 and stream.random() < 0.3
            matches.append(tuple((bot, version if bot == "x" else 1, 1 if tied else 1 + at) for at, bot in enumerate(order)))
    players = {
        bot: package.Player(package.Gaussian(25.0, 25 / 3), 25 / 6, DRIFT * 25 / 6 if bot == "x" else 0.0) for bot in "xyz"
    }
    history = package.History(
        [[[bot] for bot, *_ in match] for match in matches], [[-float(place) for *_, place in match] for match in matches],
        [max(version for _, version, _ in match) for match in matches], players, p_draw=0.1,
    )  # fmt: skip
    history.convergence(epsilon=1e-9, iterations=3000, verbose=False)
    curves = {bot: dict(curve) for bot, curve in history.learning_curves().items()}
    expected = [curves["x"][1], curves["x"][2], curves["x"][4], curves["y"][4], curves["z"][4]]
    found = rate(rows_of(*matches, bots=(("x", 1), ("x", 2), ("x", 4), ("y", 1), ("z", 1))), SETTINGS)
    mus = np.array([one.mu for one in expected])
    assert found.mu - found.mu.mean() == pytest.approx(mus - mus.mean(), abs=1e-4)
    assert found.sigma == pytest.approx([one.sigma for one in expected], abs=1e-4)


def test_without_versions_it_is_trueskill_of_all_matches_at_once() -> None:
    rows = rows_of((("b", 1, 1), ("a", 1, 2)), (("c", 3, 1), ("b", 1, 2), ("a", 1, 2)), (("a", 1, 1), ("c", 3, 2)))
    tied = rows_of((("b", 1, 1), ("a", 1, 1)), (("c", 3, 1), ("b", 1, 2), ("a", 1, 2)), (("a", 1, 1), ("c", 3, 2)))
    for given, settings in ((rows, SETTINGS), (rows, RatingSettings()), (tied, RatingSettings())):
        ours, theirs = rate(given, settings), trueskill_batch.rate(given, settings)
        assert ours.mu == pytest.approx(theirs.mu, abs=1e-7) and ours.sigma == pytest.approx(theirs.sigma, abs=1e-7)
        assert ours.margin == pytest.approx(theirs.margin)
    ours = rate(rows, SETTINGS)
    held = rate(rows, RatingSettings(headline="through-time", draw_probability=0.1, anchor=Anchor("c", 10.0)))
    assert held.mu[2] == 10.0 and held.mu - held.mu[0] == pytest.approx(ours.mu - ours.mu[0])


def test_a_version_that_hardly_played_is_believed_near_the_one_before() -> None:
    rows = rows_of(*[(("fox", 1, 1), ("owl", 1, 2))] * 30, (("fox", 2, 1), ("owl", 1, 2)), bots=(("fox", 3),))
    found = dict(zip(rows.bots_by_number, rate(rows, SETTINGS).mu))
    assert 0.0 < found["fox", 2] - found["fox", 1] < 1.0 and found["fox", 3] == pytest.approx(found["fox", 2], abs=1e-6)
    assert found["fox", 3] - found["owl", 1] > 5.0
    assert better(rows, ("fox", 3)) == () == better(rows, ("fox", 1))


def test_which_version_is_better_is_as_likely_as_among_skills_drawn() -> None:
    """Skills of the prior, each with the likelihood of the matches: two versions that never met, and one that both met."""
    wins = {1: (20, 24), 3: (26, 20)}  # and losses
    matches = [(("fox", 1, 1), ("owl", 1, 2))] * 20 + [(("owl", 1, 1), ("fox", 1, 2))] * 24
    matches += [(("fox", 3, 1), ("owl", 1, 2))] * 26 + [(("owl", 1, 1), ("fox", 3, 2))] * 20
    rows = rows_of(*matches)
    stream = np.random.default_rng(4)
    bots = tuple(sorted(rows.bots_by_number))
    root = np.linalg.cholesky(np.linalg.inv(prior_precision(bots, SETTINGS)))
    skills = stream.standard_normal((400_000, 3)) @ root.T
    margin = SETTINGS.margin * 2**0.5
    first, third, owl = skills.T
    noise = SETTINGS.beta * 2**0.5
    weights = np.ones(len(owl))
    for fox, (won, lost) in ((first, wins[1]), (third, wins[3])):
        weights *= ndtr((fox - owl - margin) / noise) ** won * ndtr((owl - fox - margin) / noise) ** lost
    expected = float(weights @ (third > first)) / float(weights.sum())
    (found,) = better(rows, ("fox", 3))
    assert (found.version, found.than) == (3, 1) and found.chance == pytest.approx(expected, abs=0.02)
    assert 0.75 < found.chance < 0.95


def test_versions_of_a_bot_may_sit_at_one_table() -> None:
    rows = rows_of(*[(("fox", 2, 1), ("fox", 1, 2), ("owl", 1, 3))] * 20)
    found = rate(rows, SETTINGS)
    assert found.mu[0] > found.mu[1] > found.mu[2] and np.isfinite(found.sigma).all()
    (found_better,) = better(rows, ("fox", 2))
    assert found_better.chance > 0.99


def test_a_bot_explained_says_whether_its_versions_are_better(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def match(deal: int, version: int, has_won: bool) -> MatchRecord:
        fox = make_seat("fox", 1 if has_won else 2, bot_version=version, unit=0)
        return make_record(0, (fox, make_seat("owl", 2 if has_won else 1, unit=1)), deal=deal)

    played = [match(deal, 1, deal % 3 == 0) for deal in range(9)] + [match(deal, 3, deal % 4 > 0) for deal in range(9, 21)]
    records = numbered(played)
    write_results(tmp_path, records, "fox", "owl")
    (expected,) = better(rows_of(*[_seats(record) for record in records]), ("fox", 3), RatingSettings())
    words = ["leaderboard", "cup", "--explain", "fox", "--out", str(tmp_path)]
    assert main(words) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert f"v3 is better than v1 with {expected.chance:.0%}, by TrueSkill through time" in said
    assert main([*words, "--format", "json"]) == 0
    told = {one["bot_version"]: one["versions"] for one in json.loads(capsys.readouterr().out)}
    assert told == {1: [], 3: [{"version": 3, "than": 1, "chance": pytest.approx(expected.chance, abs=1e-6)}]}


def _seats(record: MatchRecord) -> tuple[Seat, ...]:
    return tuple((seat.bot, seat.bot_version, seat.place) for seat in record.seats)
