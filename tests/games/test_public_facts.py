"""Two tables that differ in something that everybody saw, or that the seat itself knows, look different to a learning program.

Each change below makes another table of what a seat sees at a decision of a random match, and leaves all else as it was.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from arena.engine.game import Game
from arena.engine.random_tables import copy, decisions, make_table
from arena.games import encoding, load
from arena.games.hisatsu.knowledge import hidden_cards
from arena.games.nanatoridori.memory import known_blocks, remember
from arena.games.nanatoridori.state import MARKS
from arena.games.nertz.state import CARD, DECK, MOVE_BITS, MOVE_MASK, PILES, SHOWN
from arena.games.yaniv.rows import JOKER, RANK, ROW
from arena.games.yaniv.state import ROUND_OVER

Change = Callable[[Any, int, random.Random], bool]
"""Changes what a seat sees; gives whether there was something to change."""
MATCHES = 12
EACH = 40  # decisions of a match, at most


def others(s: Any, seat: int) -> list[int]:
    return [player for player in range(int(s.seats)) if player != seat]


def known_suit(s: Any, seat: int, rng: random.Random) -> bool:
    """Another card of its rank is known in a rival's hand."""
    rivals = [player for player in others(s, seat) if int(s.known[player]) & ROW]
    if not rivals or s.phase >= ROUND_OVER:
        return False
    player = rng.choice(rivals)
    card = int(s.known[player]) & 63
    if card == 1 + JOKER:
        return False
    fields = [field for field in range(1, 1 + JOKER) if field != card and RANK[field] == RANK[card]]
    s.known[player] = int(s.known[player]) & ~63 | rng.choice(fields)
    return True


def buried_card(s: Any, _seat: int, rng: random.Random) -> bool:
    """A card of the same rank and another suit is buried."""
    natural = (1 << 52) - 1
    buried = int(s.piles[0]) & natural
    found = [(c, d) for c in range(52) for d in range(c % 13, 52, 13) if buried >> c & 1 and not buried >> d & 1]
    if not found:
        return False
    gone, new = rng.choice(found)
    s.piles[0] = int(s.piles[0]) & ~(1 << gone) | 1 << new
    return True


def rival_unit(s: Any, seat: int, rng: random.Random) -> int:
    own, units = seat >> int(s.teams), int(s.seats) >> int(s.teams)
    return rng.choice([unit for unit in range(units) if unit != own])


def other_suits(pile: int) -> int:
    """A work pile with spades and clubs exchanged, and hearts and diamonds."""
    return sum(1 << (card ^ 3) for card in range(DECK) if pile >> card & 1)


def rival_works(s: Any, seat: int, rng: random.Random) -> bool:
    unit = rival_unit(s, seat, rng)
    before = [int(pile) for pile in s.work[unit]]
    for i in range(PILES):
        s.work[unit, i] = other_suits(before[i])
    return sum(before) != sum(other_suits(pile) for pile in before)


def covered_card(s: Any, seat: int, rng: random.Random) -> bool:
    """A rival's or the own card that lies under another one in a work pile is of the other suit of its colour."""
    unit = rng.choice([seat >> int(s.teams), rival_unit(s, seat, rng)])
    piles = [i for i in range(PILES) if int(s.work[unit, i]) & int(s.work[unit, i]) - 1]
    if not piles:
        return False
    pile = int(s.work[unit, piles[0]])
    covered = (pile & pile - 1) & -(pile & pile - 1)
    s.work[unit, piles[0]] = pile ^ covered ^ other_suits(covered)
    return True


def rival_nertz(s: Any, seat: int, rng: random.Random) -> bool:
    unit = rival_unit(s, seat, rng)
    count = int(s.num_nertz[unit])
    if count:
        s.nertz[unit, count - 1] = 1 + (int(s.nertz[unit, count - 1]) - 1 ^ 3)
    return count > 0


def rival_line(s: Any, seat: int, rng: random.Random, *, flips: int) -> bool:
    """The open card of a rival's waste is another one, or the card that all know to come next."""
    unit = rival_unit(s, seat, rng)
    place = min(int(s.num_waste[unit]) + flips * int(s.flip), int(s.num_line[unit])) - 1
    if place < flips * int(s.num_waste[unit]) or place < 0 or not int(s.line[unit, place]) & SHOWN:
        return False
    line = int(s.line[unit, place])
    s.line[unit, place] = line & ~CARD | 1 + ((line & CARD) - 1 ^ 3)
    return True


def laid_card(s: Any, seat: int, rng: random.Random) -> bool:
    """A rival has another card on the foundations."""
    unit = rival_unit(s, seat, rng)
    laid = int(s.laid[unit])
    if laid:
        s.laid[unit] = laid & laid - 1 | 1 << next(card for card in range(DECK) if not laid >> card & 1)
    return laid > 0


def last_move(s: Any, seat: int, rng: random.Random) -> bool:
    player = rng.choice(others(s, seat))
    moves = int(s.moves)
    kind = moves >> MOVE_BITS * player & MOVE_MASK
    s.moves = moves & ~(MOVE_MASK << MOVE_BITS * player) | (1 if kind != 1 else 2) << MOVE_BITS * player
    return True


def failed_request(s: Any, seat: int, _rng: random.Random) -> bool:
    """A seat has the same score in another way."""
    player = others(s, seat)[0]
    if s.num_failed[player] >= 5 or s.points[player] > 4:
        return False
    s.num_failed[player] += 1
    s.points[player] += 2
    return True


def hidden_card(s: Any, seat: int, _rng: random.Random) -> bool:
    """Two own hidden cards lie on each other's requests."""
    own = [
        (slot, i)
        for slot in range(int(s.seats) - 1)
        for i in range(hidden_cards(s, slot))
        if int(s.cards[slot, i]) >> 3 == seat
    ]
    slots = {slot for slot, _ in own}
    if len(slots) < 2:
        return False
    first = own[0]
    second = next(place for place in own if place[0] != first[0])
    s.cards[first], s.cards[second] = int(s.cards[second]), int(s.cards[first])
    return True


def open_card(s: Any, _seat: int, _rng: random.Random) -> bool:
    """An open card that has been taken over is another seat's."""
    for slot in range(int(s.seats) - 1):
        hidden, count = hidden_cards(s, slot), int(s.num_cards[slot])
        if count - hidden > 1:
            owner, value = divmod(int(s.cards[slot, hidden]), 8)
            s.cards[slot, hidden] = (owner + 1) % int(s.seats) * 8 + value
            return True
    return False


def played_cards(s: Any, _seat: int, _rng: random.Random) -> bool:
    """What the two seats played in the first contest is exchanged."""
    if s.num_shown < 6:
        return False
    s.shown[:6] = np.roll(s.shown[:6], 3)
    return True


def field_cards(s: Any, _seat: int, rng: random.Random) -> bool:
    """Two cards of the field lie in each other's places."""
    first, second = rng.choice([(0, 1), (0, 3), (2, 8), (4, 7), (5, 6)])
    s.field[first], s.field[second] = int(s.field[second]), int(s.field[first])
    return True


def block(s: Any, seat: int, _rng: random.Random) -> bool:
    """Two single cards that are known in a hand are one block."""
    for player in others(s, seat):
        for value in range(1, 8):
            if known_blocks(s, player, value, 1) >= 2:
                place = (player << MARKS) + value
                s.known[place] = 0
                remember(s, player, value, 2)
                return True
    return False


def discards(s: Any, _seat: int, _rng: random.Random) -> bool:
    """The last two cards of the discard pile were discarded the other way round."""
    count = int(s.num_discard)
    if count < 2 or s.discard[count - 1] == s.discard[count - 2]:
        return False
    s.discard[count - 2 : count] = s.discard[count - 2 : count][::-1].copy()
    return True


CHANGES: dict[str, dict[str, Change]] = {
    "yaniv": {
        "the suit of a known card": known_suit,
        "a buried card": buried_card,
    },
    "nertz": {
        "the work piles of a rival": rival_works,
        "a covered card": covered_card,
        "the Nertz card of a rival": rival_nertz,
        "the waste of a rival": lambda s, seat, rng: rival_line(s, seat, rng, flips=0),
        "the next waste card of a rival": lambda s, seat, rng: rival_line(s, seat, rng, flips=1),
        "the foundations": laid_card,
        "the last move": last_move,
    },
    "hisatsu": {"how a score came": failed_request, "an own hidden card": hidden_card, "an open card": open_card},
    "naga": {"who played what": played_cards, "the field": field_cards},
    "nanatoridori": {"a known block": block, "the discards": discards},
}


def moments(game: Game) -> Iterator[Any]:
    for seed in range(MATCHES):
        found = list(decisions(make_table(game, seed)))
        yield from found[:: max(1, len(found) // EACH)]


@pytest.mark.parametrize(("name", "what"), [(name, what) for name, found in CHANGES.items() for what in found])
def test_a_change_of_what_is_known_changes_the_features(name: str, what: str) -> None:
    game, rng, changed = load(name), random.Random(1), 0
    for moment in moments(game):
        for seat in {moment.seat, rng.randrange(int(moment.states[0].seats) if "seats" in moment.states.dtype.names else 2)}:
            seen = game.observed(moment.states, seat)
            other = copy(game, seen)
            if CHANGES[name][what](other[0], seat, rng):
                changed += 1
                found = [encoding(game).features(states, seat).tobytes() for states in (seen, other)]
                assert found[0] != found[1], f"{what}: seat {seat} does not see it"
    assert changed >= 3, f"only {changed} changes"


def test_a_seat_of_yaniv_sees_which_of_two_rivals_took_which_card() -> None:
    """The cards count the same: only who holds which of them is different, and neither is the next seat."""
    game, ten, jack, tables = load("yaniv"), 10, 11, 0
    for moment in moments(game):
        s = moment.states[0]
        rivals = [player for player in others(s, moment.seat) if s.hand_size[player] and not s.dropped[player]]
        if len(rivals) < 3 or s.phase >= ROUND_OVER:
            continue
        after = [player for player in rivals if player > moment.seat] + [player for player in rivals if player < moment.seat]
        found = []
        for cards in ((ten, jack), (jack, ten)):
            seen = game.observed(moment.states, moment.seat)
            seen[0].known[:] = 0
            for player, card in zip(after[1:3], cards):
                seen[0].known[player] = card
            found.append(encoding(game).features(seen, moment.seat).tobytes())
        tables += 1
        assert found[0] != found[1], f"{moment}: {after}"
    assert tables >= 3
