"""Naga's last two contests with what is hidden: both seats choose at once, three of five cards that the other cannot see.

An onlooker does not know where twelve cards are: five in each hand, and the two of the stock, of which each seat gets one
before Eltam. The tree holds the selections of the sixth contest. Eltam is settled on the way, as nothing follows it: whatever
the other selects there, nothing is better than one's strongest cards. Behind what one seat sees there are 42 worlds.
"""

import random
from functools import partial
from itertools import combinations, permutations
from math import factorial

from arena.engine.game import Game, States
from arena.games.naga.knowledge import selected
from arena.games.naga.rules import contest_strength
from arena.games.naga.state import CARDS, CONTESTS, ELTAM, SELECT
from lab.exact.games import MOST_WORLDS, Settle, Worlds, played
from lab.exact.moments import Moment
from lab.exact.tree import refuse_more

SEATS = 2
HAND = 5


def moments(game: Game) -> list[Moment]:
    """The one kind of end games."""
    worlds_of, settle = partial(worlds, game), settle_eltam(game)
    return [Moment(game, "last two contests", "games won", SEATS, partial(position, game), worlds_of, settle)]


def position(game: Game, deal: int, contest: int = CONTESTS - 1) -> States | None:
    """The selections of a contest, after random play; None where the game was decided before."""
    states = game.deal(SEATS, game.resolve_options({}, SEATS), deal)
    chance = random.Random(deal)
    while not game.engine.is_round_over(states):
        if states[0].contest == contest and states[0].phase == SELECT:
            return states
        game.engine.step(states, chance.choice(game.legal_list(states)))
    return None


def worlds(game: Game, states: States, seat: int | None = None, most: int = MOST_WORLDS, hidden: int = HAND) -> Worlds:
    """What may be behind the view of `seat`; for None, behind what both see: then each seat knows no hand but its own.

    `hidden`: as if of each hand that is not seen only the last so many cards were hidden and the others lay open, for smaller
    games: with both hands hidden (2 hidden + 2)! / hidden!^2 worlds, 33,264 for whole hands. Raises TooLargeError for more
    than `most`.
    """
    state = states[0]
    hands = [_cards(int(hand)) for hand in state.hand]
    seen = [hand if other == seat else hand[: HAND - hidden] for other, hand in enumerate(hands)]
    taken = {*seen[0], *seen[1], *state.field.tolist(), *state.shown[: state.num_shown].tolist()}
    unseen = [card for card in range(len(CARDS)) if card not in taken]
    needed = [HAND - len(hand) for hand in seen]
    refuse_more(factorial(len(unseen)) // factorial(needed[0]) // factorial(needed[1]), most, "worlds")
    found: dict[bytes, float] = {}
    for first in combinations(unseen, needed[0]):
        rest = [card for card in unseen if card not in first]
        for second in combinations(rest, needed[1]):
            for stock in permutations(card for card in rest if card not in second):
                found[_world(game, states, ([*seen[0], *first], [*seen[1], *second]), stock)] = 1.0
    return found


def settle_eltam(game: Game) -> Settle:
    """Let both seats select their strongest cards for Eltam, so that only the earlier decisions are left to solve."""
    strongest: dict[tuple[bytes, int], int] = {}

    def settled(states: States) -> States | None:
        state = states[0]
        if state.contest < CONTESTS:
            return None
        codes = []
        for hand in state.hand.tolist():
            key = (state.field.tobytes(), hand)
            if key not in strongest:
                rank = {code: contest_strength(state, selected(hand, code), ELTAM) for code in game.legal_list(states)}
                strongest[key] = max(rank, key=rank.__getitem__)
            codes.append(strongest[key])
        return played(game, states, *codes)

    return settled


def _world(game: Game, states: States, hands: tuple[list[int], list[int]], stock: tuple[int, ...]) -> bytes:
    world = game.from_bytes(states.tobytes())
    state = world[0]
    for seat in range(SEATS):
        state.hand[seat] = sum(1 << card for card in hands[seat])
        state.pending[seat] = 0
    state.turn = 0
    state.seed[:] = 0
    state.stock[: len(stock)] = stock
    return world.tobytes()


def _cards(mask: int) -> list[int]:
    return [card for card in range(len(CARDS)) if mask >> card & 1]
