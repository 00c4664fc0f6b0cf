"""`arena bench match` at small sizes: what its figures are made of."""

from pathlib import Path

import msgspec
import pytest

from arena.cli.bench import match as bench
from arena.cli.bench.match import (
    COMMAND,
    FORFEITED,
    GREEDY,
    LOCKED,
    LOOKING,
    NULL,
    TABLES,
    TRUSTED,
    MatchCost,
    match_costs,
    search_fixed,
)
from arena.cli.measuring import backends
from arena.cli.measuring.backends import backend_costs
from arena.cli.measuring.scale import job_of
from arena.games import load, names
from arena.tournament.session import LOCAL


def test_every_game_is_measured_and_long_matches_differ_from_short_ones() -> None:
    assert set(TABLES) == set(names())
    for name, table in TABLES.items():
        assert table.seats in load(name).seats
        assert table.long or any(other.long and other.seats == table.seats for other in TABLES.values())
        assert table.short != table.long


@pytest.mark.usefixtures("one_zygote")
def test_kinds_of_bots_are_measured_in_short_and_long_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "OPEN_SPIEL_MATCHES", 1)
    costs = [cost for cost in match_costs(["naga"], turns=1, deals=1) if cost.game == "naga"]
    assert [(cost.held, cost.bot) for cost in costs] == [
        *((TRUSTED, bot) for bot in (NULL, LOOKING, GREEDY, FORFEITED)),
        *((LOCKED, bot) for bot in (NULL, LOOKING, GREEDY)),
        (COMMAND, NULL),
    ]
    for cost in costs:
        assert cost.decision_us is not None and cost.fixed_us is not None and not cost.is_fixed_borrowed
        assert cost.fixed_us + cost.decisions * cost.decision_us == pytest.approx(cost.match_us)


def test_the_fixed_part_is_borrowed_where_all_matches_have_one_length() -> None:
    known = MatchCost(
        game="yaniv", seats=3, held=TRUSTED, bot=NULL, decisions=9.0, match_us=130.0, decision_us=10.0, fixed_us=40.0
    )
    open_cost = msgspec.structs.replace(known, game="hisatsu", decisions=20.0, match_us=100.0, decision_us=None, fixed_us=None)
    found = bench._with_borrowed(open_cost, [known, open_cost])
    assert (found.decision_us, found.fixed_us, found.is_fixed_borrowed) == (3.0, 40.0, True)
    other = msgspec.structs.replace(open_cost, held=LOCKED)
    assert bench._with_borrowed(known, [known, open_cost]) == known
    assert bench._with_borrowed(other, [msgspec.structs.replace(known, held=LOCKED), other]) == other


def test_the_fixed_part_of_a_search_follows_from_two_numbers_of_iterations() -> None:
    (found,) = search_fixed(["naga"], turns=1)
    assert found.fixed_us == pytest.approx(found.ten_us - (found.hundred_us - found.ten_us) / 9)


@pytest.mark.usefixtures("one_zygote")
def test_worker_and_driver_are_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backends, "alone", lambda cost, *words: cost(*words))
    trusted, locked = backend_costs(0.0, [LOCAL])
    assert trusted.is_trusted and not locked.is_trusted
    assert all(cost.worker_us > 0 and cost.driver_us > 0 and cost.matches == 20 for cost in (trusted, locked))


def test_a_job_is_that_of_the_tournament(tmp_path: Path) -> None:
    (tmp_path / "null.py").write_text("from arena.agent import Agent\nclass Null(Agent): pass\n")
    bots = [{"path": "null.py", "name": f"null{number}", "trusted": True} for number in range(2)]
    config = {"name": "match", "seed": 1, "games": [{"game": "naga", "seats": 2}], "bots": bots, "deals": 3}
    (tmp_path / "match.yaml").write_bytes(msgspec.json.encode(config))
    job = job_of(tmp_path / "match.yaml")
    assert len(job.plan) == 6 and len(job.bots) == 1
