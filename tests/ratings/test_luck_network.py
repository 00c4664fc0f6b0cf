"""The network by which a game tells luck: where it is asked, what it may not depend on, and what it is called by."""

import numpy as np
import pytest

from arena import games
from arena.audit.laws.parts import CHANCE_LAWS
from arena.engine.chance import Luck
from arena.engine.contract import Numbers
from arena.engine.game import Game, States
from arena.engine.net import Net, Nets
from arena.engine.options import OptionValue
from arena.engine.random_tables import Table
from arena.engine.rng import seed_words
from arena.ratings import match_luck

YANIV, NAGA = games.load("yaniv"), games.load("naga")
BY_SEAT = ("hand", "known", "origin", "totals", "dropped", "hand_size")


@pytest.fixture(scope="module")
def luck() -> Luck:
    return games.ready_luck(YANIV)


@pytest.fixture(scope="module")
def naga_luck() -> Luck:
    return games.ready_luck(NAGA)


def positions(seats: int, seed: int, game: Game = YANIV, **options: object) -> list[States]:
    """Positions of a match between random players, those at the ends of rounds too."""
    stream, found = np.random.default_rng(seed), []
    states = game.deal(seats, game.resolve_options(options, seats), seed)  # type: ignore[arg-type]
    while not game.engine.is_terminal(states):
        found.append(states.copy())
        code = int(stream.choice(game.legal_list(states)))
        ended = states.copy()
        game.engine.step(ended, code)
        if game.engine.is_round_over(ended):
            found.append(ended)
        game.engine.advance(states, code)
    return found


def worth(luck: Luck, states: States, constants: Numbers | None = None, game: Game = YANIV) -> Numbers:
    out = np.zeros(int(states[0]["seats"]) if game is YANIV else 2)
    luck.value(states, games.luck_numbers(game) if constants is None else constants, out)
    return out


def seats_turned(states: States, seats: int) -> States:
    """The same position, everybody one seat further round the table."""
    turned = states.copy()
    for name in BY_SEAT:
        turned[0][name][:seats] = np.roll(states[0][name][:seats], 1)
    for name in ("turn", "starter"):
        turned[0][name] = (states[0][name] + 1) % seats
    return turned


def tells_well(name: str, seats: int, **options: OptionValue) -> bool:
    return games.tells_luck_well(name, seats, games.load(name).resolve_options(options, seats))


def test_which_tables_have_a_network_for_luck():
    assert tells_well("yaniv", 2) and tells_well("yaniv", 3) and tells_well("naga", 2, series="first_to:3")
    assert not tells_well("yaniv", 10) and not tells_well("yaniv", 3, mode="elim201") and not tells_well("hisatsu", 3)
    assert match_luck.estimate(YANIV).name == match_luck.estimate(NAGA).name == "network"
    assert match_luck.estimate(games.load("hisatsu")).name == "value"


@pytest.mark.parametrize("seats", [2, 3])
def test_what_it_says_are_shares_of_rivals(luck, seats):
    for states in positions(seats, 1):
        found = worth(luck, states)
        assert found.sum() == pytest.approx(seats / 2) and (found >= 0.0).all()


@pytest.mark.parametrize("seats", [2, 3])
def test_it_does_not_matter_who_sits_where(luck, seats):
    differing = 0
    for states in positions(seats, 2):
        found, turned = worth(luck, states), worth(luck, seats_turned(states, seats))
        if states[0]["phase"] < 3:  # at the end of a round the seat to choose is not told
            assert turned == pytest.approx(np.roll(found, 1), abs=1e-6)
            differing += abs(found[0] - found[1]) > 0.01
    assert differing > 10


def test_in_naga_it_does_not_matter_either(naga_luck):
    """Both hands, won places and games exchanged, and who is parent: the same position from the other side."""
    differing = 0
    for states in positions(2, 2, NAGA, series="first_to:2"):
        found, turned = worth(naga_luck, states, game=NAGA), states.copy()
        for name in ("hand", "games"):
            turned[0][name][:2] = states[0][name][1::-1]
        turned[0]["won"] = np.array([0, 2, 1, 3])[states[0]["won"]]
        turned[0]["parent"] = 1 - states[0]["parent"]
        assert worth(naga_luck, turned, game=NAGA) == pytest.approx(found[::-1], abs=1e-6)
        differing += abs(found[0] - found[1]) > 0.01
    assert differing > 10


def test_in_naga_it_looks_at_nothing_that_nobody_has_seen_and_knows_the_score(naga_luck):
    rng, led = seed_words(5), 0
    for states in positions(2, 3, NAGA, series="first_to:3"):
        world, ahead = states.copy(), states.copy()
        naga_luck.redraw(world, rng)
        assert (worth(naga_luck, world, game=NAGA) == worth(naga_luck, states, game=NAGA)).all()
        if states[0]["games"][0] == 0:
            ahead[0]["games"][0] += 1
            led += 1
            assert worth(naga_luck, ahead, game=NAGA)[0] > worth(naga_luck, states, game=NAGA)[0]
    assert led > 5


@pytest.mark.parametrize("seats", [2, 3])
def test_it_looks_at_nothing_that_nobody_has_seen(luck, seats):
    rng = seed_words(5)
    for states in positions(seats, 3):
        world = states.copy()
        luck.redraw(world, rng)
        assert (worth(luck, world) == worth(luck, states)).all()


@pytest.mark.parametrize("law", CHANCE_LAWS, ids=lambda law: law.__name__)
def test_the_laws_of_chance_hold_where_it_is_asked(law):
    law(Table(YANIV, 2, YANIV.resolve_options({"limit": 40, "slap_down": True}, 2), 7))
    law(Table(NAGA, 2, NAGA.resolve_options({"series": "first_to:2"}, 2), 7))


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
    told = match_luck.estimate(YANIV)
    other = Nets(
        {"value": Net(np.ones((3, 2), np.float32), np.zeros(2, np.float32), np.ones(2, np.float32), 0.5)}, frozenset({2})
    )
    monkeypatch.setattr(games, "luck_nets", lambda _: other)
    match_luck._estimate.cache_clear()
    assert match_luck.estimate(YANIV).sha256 != told.sha256
    match_luck._estimate.cache_clear()
