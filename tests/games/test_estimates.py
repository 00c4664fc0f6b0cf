"""What the priors of Yaniv and Hisatsu rest on: worked cases, counts of all deals, and play."""

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from arena.agent import Agent
from arena.agent.view import View
from arena.engine.game import Game, States
from arena.engine.rng import seed_words
from arena.games import load
from arena.games.hisatsu.estimates import hidden_sums, turns_left
from arena.games.hisatsu.state import MAX_CARDS, TURNS
from arena.games.yaniv.estimates import call_failure, hand_worth, open_worth
from arena.games.yaniv.rows import CARDS
from arena.games.yaniv.words import row_of
from arena.match.single_match import play_match
from helpers.paths import HOUSE_BOTS


class ByPrior(Agent):
    """Plays the action with the highest prior."""

    def act(self, view: View) -> str:
        return view.search(iterations=1, prior=1e9).best


class Brief(Agent):
    """A short search."""

    def act(self, view: View) -> str:
        return view.search(iterations=200).best


def share(game: str, seats: int, one: type[Agent], others: Path | type[Agent], deals: int, **options: object) -> float:
    """The share of the others whom `one` leaves behind, in all rotations; half for a shared place."""
    won = 0.0
    for deal in range(deals):
        for seat in range(seats):
            bots = [one if place == seat else others for place in range(seats)]
            places = [row.place for row in play_match(game, bots, seed=deal, options=options).seats]
            won += sum(0.5 + 0.5 * ((places[seat] < place) - (places[seat] > place)) for place in places) - 0.5
    return won / (deals * seats * (seats - 1))


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats", "options"), [("yaniv", 2, {"max_rounds": 3}), ("hisatsu", 3, {})])
def test_what_looks_best_beats_the_greedy_bot(game: str, seats: int, options: dict[str, object]) -> None:
    assert share(game, seats, ByPrior, HOUSE_BOTS / f"{game}_greedy.py", 8, **options) > 0.6


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "seats", "rule", "options"),
    [("yaniv", 2, "counter", {"max_rounds": 3}), ("hisatsu", 3, "reckoner", {})],
)
def test_a_short_search_beats_the_rule_bot(game: str, seats: int, rule: str, options: dict[str, object]) -> None:
    assert share(game, seats, Brief, HOUSE_BOTS / f"{game}_{rule}.py", 5, **options) > 0.55


def hand(*cards: str) -> int:
    return row_of(sorted(CARDS.parse(card, "hand") for card in cards))


def test_a_yaniv_hand_is_worth_what_it_can_shed() -> None:
    assert hand_worth(hand("S8", "H8", "D2")) > hand_worth(hand("S8", "H7", "D2"))  # a pair goes at once
    assert hand_worth(hand("S7", "S8", "S9", "D2")) > hand_worth(hand("S7", "S8", "H9", "D2"))  # and so does a run
    assert hand_worth(hand("S7", "S9", "*", "D2")) > hand_worth(hand("S7", "H9", "*", "D2"))  # also one with a joker
    assert hand_worth(hand("S2", "H3")) > hand_worth(hand("S2", "H4"))  # it may call
    for cards in (("S2", "H3"), ("SK", "H4", "D9"), ("S5", "H6", "D7", "C8")):
        assert open_worth(hand(*cards)) < hand_worth(hand(*cards))  # a card is still to come


def test_a_call_fails_as_often_as_in_all_deals() -> None:
    """Where all unseen cards are equally likely; the more the others shed, the oftener it fails."""
    game = load("yaniv")
    states = game.deal(2, game.resolve_options({}, 2), 1)
    s = states[0]
    seat = game.engine.current_seat(states)
    s.hand[seat] = hand("SA", "H3")
    s.hand_size[seat] = 2
    s.origin[seat] = 5
    s.hand_size[1 - seat] = 2
    unseen = [value for value in range(1, 10) for _ in range(4)] + [10] * 16 + [0] * 2
    gone = game.view(game, game.observed(states, seat), seat, codes=[], events=list, clock=None)
    for card in (*gone.hand, *gone.previous):
        unseen.remove(gone.value([card]))
    held = [sum(pair) for pair in combinations(unseen, 2)]
    exact = sum(value <= 4 for value in held) / len(held)
    assert call_failure(s, seat, 0.0) == pytest.approx(exact, rel=0.15)  # as if each card were put back before the next
    assert call_failure(s, seat, 0.4) > call_failure(s, seat, 0.0)
    s.turns = 20
    assert call_failure(s, seat, 0.4) > 2 * exact


def test_hidden_cards_of_hisatsu_have_the_sums_of_all_deals() -> None:
    game = load("hisatsu")
    states = game.deal(3, game.resolve_options({}, 3), 1)
    s = states[0]
    s.bang[s.request[0]] = 4
    s.num_cards[0] = 5
    s.cards[0, :MAX_CARDS] = [8 + 2, 16 + 1, 16 + 3, 0 + 6, 8 + 7] + [0] * (MAX_CARDS - 5)
    s.num_discards[2] = 1
    s.discards[2, 0] = 6
    sums = np.zeros(37)
    assert hidden_sums(s, 0, 0, 0.0, sums) == 6 + 7  # the own hidden card and the open one
    found = {total: chance for total, chance in enumerate(sums) if chance}
    every = [one + sum(two) for one in range(1, 7) for two in combinations(range(1, 6), 2)]  # the 6 of seat 2 lies open
    assert found == pytest.approx({total: every.count(total) / len(every) for total in sorted(set(every))})
    tilted = np.zeros(37)
    hidden_sums(s, 0, 0, 0.3, tilted)
    assert tilted @ np.arange(37) > sums @ np.arange(37) + 0.5


def test_turns_left_are_six_less_those_taken() -> None:
    game = load("hisatsu")
    states = game.deal(4, game.resolve_options({}, 4), 2)
    taken = [0] * 4
    while not game.engine.is_round_over(states):
        assert [turns_left(states[0], seat) for seat in range(4)] == [TURNS - count for count in taken]
        taken[game.engine.current_seat(states)] += 1
        game.engine.step(states, game.legal_list(states)[0])


@pytest.mark.parametrize(("game", "seats"), [("yaniv", 2), ("yaniv", 6), ("hisatsu", 3), ("hisatsu", 5)])
def test_beliefs_are_worlds_that_fit(game: str, seats: int) -> None:
    """What a seat sees of a believed world is what it sees; every card is somewhere once."""
    loaded = load(game)
    constants = loaded.constants
    names = [constant.name for constant in loaded.rollout.CONSTANTS]
    constants[names.index("belief" if game == "hisatsu" else "thrift")] = 0.5
    states = loaded.deal(seats, loaded.resolve_options({}, seats), 3)
    rng = seed_words(5)
    for number in range(40):
        if loaded.engine.is_round_over(states):
            break
        for seat in range(seats):
            _check_belief(loaded, states, seat, constants, rng)
        codes = loaded.legal_list(states)
        loaded.engine.step(states, codes[(7 * number + 3) % len(codes)])


def _check_belief(game: Game, states: States, seat: int, constants: object, rng: object) -> None:
    seen = game.observed(states, seat)
    world = game.from_bytes(seen.tobytes())
    game.engine.determinize(world, seat, rng)
    before = _all_cards(game, world)
    game.rollout.believe(world[0], seat, constants, rng)
    assert game.observed(world, seat).tobytes() == seen.tobytes()
    assert _all_cards(game, world) == before


def _all_cards(game: Game, states: States) -> list[str]:
    """Every card with its owner where it keeps one, wherever it lies."""
    document = game.text.to_position(states[0])
    if game.name == "yaniv":
        return sorted(card for key in ("stock", "hands", "buried", "previous", "laid") for card in _flat(document[key]))
    s = states[0]
    rows = []
    for owner in range(s.seats):
        cards = [value for value in range(1, 8) if int(s.hand[owner]) >> value & 1]
        cards += [
            int(card) & 7
            for slot in range(s.seats - 1)
            for card in s.cards[slot][: s.num_cards[slot]]
            if int(card) >> 3 == owner
        ]
        cards += [int(value) for value in s.discards[owner][: s.num_discards[owner]]]
        rows.append(f"{owner}: {sorted(cards)}")
    return rows


def _flat(cards: object) -> list[str]:
    return [card for part in cards for card in _flat(part)] if isinstance(cards, list) else [str(cards)]
