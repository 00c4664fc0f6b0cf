"""Yaniv for two at the end of a round: the turns run out (O-Y10) while the stock is nearly used up, or somebody calls.

Behind the views are the hands, as far as they were not taken openly, and the next cards of the stock in their order: no stock
is reshuffled in the turns that are left. The reward of a round is the other's points less the own ones, so perfect play has
one value.
"""

import random
from functools import partial
from itertools import combinations, permutations
from math import comb, perm, prod

from arena.engine.game import Game, States
from arena.games.yaniv.memory import put
from arena.games.yaniv.rows import row_length
from arena.games.yaniv.state import CALL, DRAW, FRESH, PLAIN, START, STOCK, hand_row
from lab.exact.games import MOST_WORLDS, Worlds
from lab.exact.moments import Moment, turns_left
from lab.exact.tree import refuse_more

SEATS = 2
TURN_LIMIT = 22  # of each seat: the stock of 43 cards is then nearly used up
OPENLY = 0.1  # share of draws that are any, not from the stock
CLEARING = 0.5  # share of discards that are the largest possible


def moments(game: Game) -> list[Moment]:
    """The kinds of end games, by the turns that are left."""
    return [
        Moment(
            game, turns_left(left), "points' worth", SEATS, partial(position, game, left=left), partial(worlds, game),
            options={"turn_limit": TURN_LIMIT},
        )
        for left in (1, 2, 3)
    ]  # fmt: skip


def position(game: Game, deal: int, left: int) -> States | None:
    """The start of a turn, with `left` turns of both seats together to come, after random play without calls.

    None where the stock is too small for these turns. The round has a turn limit of its own, and begins the match.
    """
    states = game.deal(SEATS, game.resolve_options({"turn_limit": TURN_LIMIT}, SEATS), deal)
    chance = random.Random(deal)
    while states[0].turns < SEATS * TURN_LIMIT - left or states[0].phase != START:
        game.engine.step(states, _any_action(game, states, chance))
    return states if states[0].reshuffles == 0 and states[0].num_stock >= left else None


def worlds(game: Game, states: States, seat: int | None = None, most: int = MOST_WORLDS) -> Worlds:
    """What may be behind the view of `seat`; for None, behind what both see. At the start of a turn, before any reshuffle.

    Raises TooLargeError for more than `most`.
    """
    state = states[0]
    left = int(state.last_turn - state.turns)
    if state.reshuffles or state.phase != START or state.num_stock < left:
        raise ValueError("only at the start of a turn, with a stock that lasts and was not reshuffled")
    hidden = [other for other in range(SEATS) if other != seat]
    needed = [int(state.hand_size[other]) - row_length(int(state.known[other])) for other in hidden]
    unseen = sorted(_cards(states, hidden))
    ways = [comb(len(unseen) - sum(needed[:i]), needed[i]) for i in range(len(needed))]
    refuse_more(prod(ways) * perm(int(state.num_stock), left), most, "worlds")
    found: dict[bytes, float] = {}
    for dealt in _deals(list(range(len(unseen))), needed):
        rest = set(range(len(unseen))).difference(*dealt)
        for drawn in permutations(sorted(rest), left):
            stock = [unseen[place] for place in (*sorted(rest.difference(drawn)), *drawn)]
            hands = {other: [unseen[place] for place in places] for other, places in zip(hidden, dealt)}
            world = _world(game, states, hands, stock)
            found[world] = found.get(world, 0.0) + 1.0  # the jokers are alike
    return found


def _any_action(game: Game, states: States, chance: random.Random) -> int:
    codes = [code for code in game.legal_list(states) if states[0].phase != START or code != CALL]
    if states[0].phase == DRAW:
        return STOCK if codes[0] == STOCK and chance.random() >= OPENLY else chance.choice(codes)
    if chance.random() < CLEARING:
        return max(codes, key=lambda code: (code >> 6).bit_count())
    return chance.choice(codes)


def _cards(states: States, hidden: list[int]) -> list[int]:
    """The cards of the stock and, of the hands that are not seen, those that were not taken openly."""
    state = states[0]
    cards: list[int] = state.stock[: state.num_stock].tolist()
    for other in hidden:
        row, known = _row(hand_row(state, other)), _row(int(state.known[other]))
        for card in known:
            row.remove(card)
        cards += row
    return cards


def _row(row: int) -> list[int]:
    return [(row >> 6 * place & 63) - 1 for place in range(row_length(row))]


def _deals(places: list[int], needed: list[int]) -> list[list[tuple[int, ...]]]:
    """Every way to give the first hand so many of the places, the second one of the rest, and so on."""
    if not needed:
        return [[]]
    return [
        [first, *others]
        for first in combinations(places, needed[0])
        for others in _deals([place for place in places if place not in first], needed[1:])
    ]


def _world(game: Game, states: States, hands: dict[int, list[int]], stock: list[int]) -> bytes:
    world = game.from_bytes(states.tobytes())
    state = world[0]
    state.seed[:] = 0
    state.stock[: len(stock)] = stock
    for other, cards in hands.items():
        state.hand[other] = state.known[other]
        state.origin[other] = 0
        for card in cards:
            put(state, other, card, PLAIN[FRESH])
    return world.tobytes()
