"""The network by which a room tells luck: where it is asked, what it may not depend on, and what it is called by."""

import numpy as np
import pytest

from arena import games
from arena.conformance.chance_laws import CHANCE_LAWS
from arena.conformance.tables import Table
from arena.engine.chance import Luck
from arena.engine.contract import Numbers
from arena.engine.net import Net, Nets
from arena.engine.rng import seed_words
from arena.engine.room import States
from arena.luck import values

YANIV = games.load("yaniv")
BY_SEAT = ("hand", "known", "origin", "totals", "dropped", "hand_size")


@pytest.fixture(scope="module")
def luck() -> Luck:
    return games.ready_luck(YANIV)


def positions(seats: int, seed: int, **options: object) -> list[States]:
    """Positions of a match between random players, those at the ends of rounds too."""
    dice, found = np.random.default_rng(seed), []
    states = YANIV.deal(seats, YANIV.resolve_options(options, seats), seed)  # type: ignore[arg-type]
    while not YANIV.engine.is_terminal(states):
        found.append(states.copy())
        code = int(dice.choice(YANIV.legal_list(states)))
        ended = states.copy()
        YANIV.engine.step(ended, code)
        if YANIV.engine.is_round_over(ended):
            found.append(ended)
        YANIV.engine.advance(states, code)
    return found


def worth(luck: Luck, states: States, constants: Numbers | None = None) -> Numbers:
    out = np.zeros(int(states[0]["seats"]))
    luck.value(states, games.luck_numbers(YANIV) if constants is None else constants, out)
    return out


def seats_turned(states: States, seats: int) -> States:
    """The same position, everybody one seat further round the table."""
    turned = states.copy()
    for name in BY_SEAT:
        turned[0][name][:seats] = np.roll(states[0][name][:seats], 1)
    for name in ("turn", "starter"):
        turned[0][name] = (states[0][name] + 1) % seats
    return turned


def test_yaniv_has_a_network_for_luck():
    assert 2 in games.luck_nets(YANIV).seats and games.tells_luck_well("yaniv", 2)
    assert not games.tells_luck_well("yaniv", 10) and not games.tells_luck_well("hisatsu", 3)
    assert values.estimate(YANIV).name == "network" and values.estimate(games.load("naga")).name == "value"


def test_what_it_says_are_shares_of_rivals(luck):
    for states in positions(2, 1):
        found = worth(luck, states)
        assert found.sum() == pytest.approx(1.0) and (found >= 0.0).all()


def test_it_does_not_matter_who_sits_where(luck):
    differing = 0
    for states in positions(2, 2):
        found, turned = worth(luck, states), worth(luck, seats_turned(states, 2))
        if states[0]["phase"] < 3:  # at the end of a round the seat to choose is not told
            assert turned == pytest.approx(found[::-1], abs=1e-6)
            differing += abs(found[0] - found[1]) > 0.01
    assert differing > 10


def test_it_looks_at_nothing_that_nobody_has_seen(luck):
    rng = seed_words(5)
    for states in positions(2, 3):
        world = states.copy()
        luck.redraw(world, rng)
        assert (worth(luck, world) == worth(luck, states)).all()


@pytest.mark.parametrize("law", CHANCE_LAWS, ids=lambda law: law.__name__)
def test_the_laws_of_chance_hold_where_it_is_asked(law):
    law(Table(YANIV, 2, YANIV.resolve_options({"limit": 40, "slap_down": True}, 2), 7))


@pytest.mark.parametrize(("seats", "options"), [(10, {}), (2, {"mode": "elim201"})])
def test_elsewhere_the_room_says_what_it_said_before(luck, seats, options):
    for states in positions(seats, 4, max_rounds=3, **options)[:60]:
        assert (worth(luck, states) == worth(luck, states, YANIV.constants)).all()


def test_its_numbers_reach_compiled_code_as_they_are():
    nets, numbers = games.luck_nets(YANIV), games.luck_numbers(YANIV)
    places = len(YANIV.constants)
    assert (numbers[:places] == YANIV.constants).all()
    assert (numbers[places:].view(np.float32)[: len(nets.numbers)] == nets.numbers).all()


def test_another_network_is_another_estimate(monkeypatch):
    told = values.estimate(YANIV)
    other = Nets(
        {"value": Net(np.ones((3, 2), np.float32), np.zeros(2, np.float32), np.ones(2, np.float32), 0.5)}, frozenset({2})
    )
    monkeypatch.setattr(games, "luck_nets", lambda _: other)
    values._estimate.cache_clear()
    assert values.estimate(YANIV).sha256 != told.sha256
    values._estimate.cache_clear()
