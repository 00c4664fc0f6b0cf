"""Hisatsu's last turns: the other hands, the hidden cards, and the requests that may still come, all of them counted.

In the last round each seat has two cards left and plays one. Behind what one seat sees there are at most some hundred worlds,
times the requests that may come into the row: only where a seat that is still to move has a claim.
With three seats or more perfect play has no one value, except where backward induction settles the game
(`solve.backward_value`): always in the very last turn, mostly in the last but one.
"""

import random
from collections.abc import Iterator
from functools import partial
from itertools import permutations, product

from arena.engine.game import Game, States
from arena.games.hisatsu.knowledge import hidden_cards, unseen
from arena.games.hisatsu.rules import claim
from arena.games.hisatsu.state import TURNS, VALUES
from lab.exact.games import MOST_WORLDS, Worlds
from lab.exact.moments import Moment, turns_left
from lab.exact.tree import refuse_more

SEATS = 3


def moments(game: Game) -> list[Moment]:
    """The kinds of end games, by the turns that are left."""
    return [
        Moment(game, turns_left(left), "points", SEATS, partial(position, game, left=left), partial(worlds, game))
        for left in (1, 2, 3)
    ]


def position(game: Game, deal: int, left: int, seats: int = SEATS) -> States:
    """The position after random play with `left` turns of all seats together to come."""
    states = game.deal(seats, game.resolve_options({}, seats), deal)
    chance = random.Random(deal)
    for _ in range(seats * TURNS - left):
        game.engine.step(states, chance.choice(game.legal_list(states)))
    return states


def worlds(game: Game, states: States, seat: int | None = None, most: int = MOST_WORLDS) -> Worlds:
    """What may be behind the view of `seat`; for None, behind what all see. In the last round of turns only.

    Raises TooLargeError for more than `most`.
    """
    state = states[0]
    seats, left = int(state.seats), int(state.seats) * TURNS - int(state.turns)
    if left > seats or state.pass_discard:
        raise ValueError("only in the last round of turns, with open discards")
    movers = [(int(state.turn) + i) % seats for i in range(1, left)]
    refills = sum(claim(state, slot) in movers for slot in range(seats - 1))
    stock = sorted(state.stock[: state.num_stock].tolist())
    others = [other for other in range(seats) if other != seat]
    dealings = list(product(*(_arrangements(states, other) for other in others)))
    drawings = list(permutations(stock, min(refills, len(stock))))
    refuse_more(len(dealings) * len(drawings), most, "worlds")
    found: dict[bytes, float] = {}
    for drawn in drawings:
        for dealt in dealings:
            world = game.from_bytes(states.tobytes())
            world[0].seed[:] = 0
            world[0].stock[: len(stock)] = [request for request in stock if request not in drawn] + [*drawn]
            for other, (hand, hidden) in zip(others, dealt):
                world[0].hand[other] = hand
                for (slot, place), value in zip(_hidden_places(states, other), hidden):
                    world[0].cards[slot, place] = other * 8 + value
            found[world.tobytes()] = 1.0
    return found


def _arrangements(states: States, seat: int) -> list[tuple[int, tuple[int, ...]]]:
    """What a seat may hold, as a mask, with its hidden cards: never a 7."""
    cards = unseen(states[0], seat)
    values = [value for value in range(1, VALUES) if cards >> value & 1]
    count = len(list(_hidden_places(states, seat)))
    return [(cards - sum(1 << value for value in hidden), hidden) for hidden in permutations(values, count)]


def _hidden_places(states: States, seat: int) -> Iterator[tuple[int, int]]:
    """The slot and the place on it of every hidden card of a seat."""
    state = states[0]
    for slot in range(int(state.seats) - 1):
        for place in range(hidden_cards(state, slot)):
            if state.cards[slot, place] >> 3 == seat:
                yield slot, place
