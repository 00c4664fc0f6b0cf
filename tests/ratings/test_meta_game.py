"""The game of choosing a bot: maximal lottery, Nash averaging and alpha-rank, by hand and beside OpenSpiel's."""

import json
import math
import subprocess
import sys
from functools import partialmethod
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from arena.cli.main import main
from arena.ratings.meta_game import ALPHA, POPULATION, alpha_rank, copies_of, equilibrium, meta_game_of
from arena.ratings.models import MODELS
from arena.ratings.pairs import HeadToHead
from arena.ratings.second_opinions import ELO_PER_LOGIT
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings
from arena.records import MatchRecord
from arena.results import parquet
from arena.results.manifest import write_manifest
from helpers.records import make_record, make_seat, numbered
from helpers.results import make_manifest

ROCK_PAPER_SCISSORS = np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]])
CYCLE = ((("bot0", 1), ("bot1", 1), ("bot2", 1)),)


def games(size: int, seed: int, *, copies: int = 0) -> np.ndarray:
    """An antisymmetric game; the last choices are copies of the first one."""
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.uniform(-1.0, 1.0, (size, size)), 1)
    chosen = [*range(size), *[0] * copies]
    return (upper - upper.T)[np.ix_(chosen, chosen)]


def head_to_head(shares: np.ndarray, meetings: int) -> HeadToHead:
    """How often each bot of a pool won, as its share says."""
    met = np.full(shares.shape, meetings)
    np.fill_diagonal(met, 0)
    return HeadToHead(tuple((f"bot{number}", 1) for number in range(len(shares))), met, shares * met)


def test_rock_paper_and_scissors_are_drawn_alike() -> None:
    assert equilibrium(ROCK_PAPER_SCISSORS) == pytest.approx(np.full(3, 1 / 3))
    assert alpha_rank(ROCK_PAPER_SCISSORS) == pytest.approx(np.full(3, 1 / 3))


def test_who_beats_all_others_is_all_of_every_solution() -> None:
    game = np.array([[0.0, 0.2, 0.1, 0.5], [-0.2, 0.0, 0.9, -0.9], [-0.1, -0.9, 0.0, 0.9], [-0.5, 0.9, -0.9, 0.0]])
    assert equilibrium(game) == pytest.approx([1.0, 0.0, 0.0, 0.0])
    assert alpha_rank(game) == pytest.approx([1.0, 0.0, 0.0, 0.0], abs=1e-9)


def test_a_game_without_winners_is_drawn_evenly() -> None:
    assert equilibrium(np.zeros((4, 4))) == pytest.approx(np.full(4, 0.25))


def test_copies_share_what_one_of_them_had() -> None:
    for seed in range(5):
        for copies in (1, 3):
            one, many = equilibrium(games(5, seed)), equilibrium(games(5, seed, copies=copies))
            assert many[1:5] == pytest.approx(one[1:], abs=1e-7)
            assert many[[0, *range(5, 5 + copies)]] == pytest.approx(np.full(copies + 1, one[0] / (copies + 1)), abs=1e-7)
    crowded = ROCK_PAPER_SCISSORS[np.ix_([0, 0, 0, 1, 2], [0, 0, 0, 1, 2])]
    assert equilibrium(crowded) == pytest.approx([1 / 9, 1 / 9, 1 / 9, 1 / 3, 1 / 3])


def test_nobody_gains_against_a_solution() -> None:
    for seed in range(10):
        game = games(12, seed, copies=seed % 4)
        found = equilibrium(game)
        assert found.sum() == pytest.approx(1.0) and (found >= 0.0).all() and (game @ found).max() < 1e-7


def test_of_two_bots_one_stays_in_use_as_the_takeovers_say() -> None:
    gain = ALPHA * 0.04
    there, back = (math.expm1(-one) / math.expm1(-POPULATION * one) for one in (gain, -gain))
    assert alpha_rank(np.array([[0.0, 0.04], [-0.04, 0.0]])) == pytest.approx(np.array([there, back]) / (there + back))


def test_bots_that_results_do_not_tell_apart_are_copies() -> None:
    shares = np.array([[0.5, 0.5, 0.7, 0.2], [0.5, 0.5, 0.72, 0.22], [0.3, 0.28, 0.5, 0.9], [0.8, 0.78, 0.1, 0.5]])

    def found(shares: np.ndarray, meetings: int) -> list[tuple[int, int]]:
        pairs = head_to_head(shares, meetings)
        return copies_of(pairs.meetings.astype(np.float64), pairs.better)

    assert found(shares, 200) == [(0, 1)]
    assert found(shares, 20) == []  # a difference of 20 points might be overlooked
    assert found(shares, 100_000) == []  # two points are seen
    beats = shares.copy()
    beats[0, 1], beats[1, 0] = 0.7, 0.3
    assert found(beats, 200) == []  # alike against others, but not against each other


def test_a_cycle_among_bots_that_all_others_lose_to() -> None:
    shares = np.full((5, 5), 0.5)
    shares[:3, :3] += 0.2 * ROCK_PAPER_SCISSORS
    shares[:3, 3:], shares[3:, :3], shares[3, 4], shares[4, 3] = 0.9, 0.1, 0.8, 0.2
    found = meta_game_of(head_to_head(shares, 100), CYCLE)
    assert found is not None and found.cycles == CYCLE and found.copies == ()
    for choice in found.choices:
        part = 1 / 3 if choice.bot in ("bot0", "bot1", "bot2") else 0.0
        assert (choice.lottery, choice.nash, choice.alpha_rank) == pytest.approx((part, part, part), abs=1e-6)
        points = 0.0 if part else -ELO_PER_LOGIT * math.log(90.5 / 10.5)
        assert choice.nash_points == pytest.approx(points, abs=1e-4)


def test_a_pool_that_one_order_tells_has_no_such_game() -> None:
    shares = np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.7], [0.1, 0.3, 0.5]])
    found = meta_game_of(head_to_head(shares, 200), ())
    assert found is not None and found.choices == () and found.copies == ()
    gaps = head_to_head(shares, 200)
    gaps.meetings[0, 2] = gaps.meetings[2, 0] = 0
    assert meta_game_of(gaps, CYCLE) is None and meta_game_of(head_to_head(shares[:2, :2], 9), ()) is None


def test_the_oracle_of_nash_averaging() -> None:
    pytest.importorskip("cvxpy", reason="OpenSpiel solves Nash averaging with cvxpy")
    pyspiel = pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.nash_averaging import nash_averaging

    for seed in range(6):
        game = games(6, seed, copies=seed % 3)
        expected, scores = nash_averaging(pyspiel.create_matrix_game(game, -game), eps=0.0)
        found = equilibrium(game)
        assert found == pytest.approx(expected[:, 0], abs=2e-4), "its solver stops there"
        assert game @ found == pytest.approx(scores[:, 0], abs=2e-4)


def test_the_oracle_of_maximal_lotteries(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("cvxpy", reason="OpenSpiel solves maximal lotteries with cvxpy")
    pytest.importorskip("pyspiel")
    from open_spiel.python.algorithms.lp_solver import LinearProgram
    from open_spiel.python.voting.base import PreferenceProfile, WeightedVote
    from open_spiel.python.voting.maximal_lotteries import MaximalLotteriesVoting

    brought = partialmethod(LinearProgram.solve, solver="CLARABEL", solver_kwargs={})  # it asks for one that cvxpy lacks now
    monkeypatch.setattr(LinearProgram, "solve", brought)
    rng = np.random.default_rng(3)
    for _ in range(4):
        votes = [WeightedVote(int(rng.integers(1, 50)), [int(place) for place in rng.permutation(5)]) for _ in range(7)]
        profile = PreferenceProfile(votes=votes, alternatives=list(range(5)))
        outcome: Any = MaximalLotteriesVoting(iterative=False).run_election(profile)
        expected = dict(zip(outcome.ranking, outcome.scores))
        margins = np.asarray(profile.margin_matrix(), np.float64)
        assert equilibrium(margins) == pytest.approx([expected[place] for place in range(5)], abs=1e-5)


def test_the_oracle_of_alpha_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspiel")
    drawing = "open_spiel.python.egt.alpharank_visualizer"  # wants matplotlib
    monkeypatch.setitem(sys.modules, drawing, ModuleType(drawing))
    from open_spiel.python.egt import alpharank

    for seed in range(5):
        margins = games(6, seed, copies=seed % 3) / 10.0  # its eigenvector loses rates below 1e-16
        expected = alpharank.compute([(1.0 + margins) / 2.0], m=POPULATION, alpha=ALPHA)[2]
        assert alpha_rank(margins) == pytest.approx(expected, abs=1e-9)


def board(results: Path, shares: np.ndarray, deals: int) -> None:
    """A stored tournament "cup" in which the bots bot0, bot1 ... win as often as `shares` says."""
    rng, records = np.random.default_rng(1), list[MatchRecord]()
    for deal in range(deals):
        for one, other in zip(*np.triu_indices(len(shares), 1)):
            place = 1 if rng.random() < shares[one, other] else 2
            seats = (make_seat(f"bot{one}", place), make_seat(f"bot{other}", 3 - place))
            records.append(make_record(0, seats, deal=deal))
    standings = Standings(RatingSettings())
    records = numbered(records)
    for record in records:
        standings.add(record)
    folder = results / "cup"
    folder.mkdir()
    write_manifest(folder, make_manifest(name="cup", pools=("naga",), config={}, endings={}))
    parquet.write_matches(folder, records)
    parquet.write_ratings(folder, standings.ratings(MODELS))


def test_a_board_with_a_cycle_says_whom_to_choose(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shares = np.full((4, 4), 0.5)
    shares[:3, :3] += 0.4 * ROCK_PAPER_SCISSORS
    shares[:3, 3], shares[3, :3] = 0.9, 0.1
    board(tmp_path, shares, 60)
    words = ["leaderboard", "cup", "--explain", "bot3", "--out", str(tmp_path)]
    assert main([*words, "--format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert len(found["meta_game"]["choices"]) == 4 and found["meta_game"]["cycles"] == found["fit"]["cycles"] != []
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "naga, whom to choose where bots beat each other in turn" in text and "alpha-rank: time in use" in text
    assert found["meta_game"]["choices"][3]["nash_points"] < -100 and all(len(line) <= 120 for line in text.splitlines())


def test_a_board_that_one_order_tells_says_so_in_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board(tmp_path, np.array([[0.5, 0.7, 0.9], [0.3, 0.5, 0.7], [0.1, 0.3, 0.5]]), 40)
    assert main(["leaderboard", "cup", "--explain", "bot0", "--out", str(tmp_path)]) == 0
    assert "naga: neither cycles nor copies, so one order of the bots tells whom to choose" in capsys.readouterr().out


def test_a_board_without_closer_looks_imports_no_scipy(tmp_path: Path) -> None:
    board(tmp_path, np.array([[0.5, 0.7], [0.3, 0.5]]), 3)
    words = ["leaderboard", "cup", "--out", str(tmp_path)]
    program = f"import sys; from arena.cli.main import main; main({words!r}); sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=False).returncode == 0
