"""Reading a position of Nana Toridori: every mistake is refused with an error that names the key (docs/notation.md)."""

from collections.abc import Sequence
from typing import Any

from arena.cards import Deck
from arena.engine.game import Document, States
from arena.engine.position import PositionReader, require_whole_deck
from arena.errors import PositionError
from arena.games import load
from arena.games.nanatoridori.memory import remember
from arena.games.nanatoridori.state import (
    ADVANCED,
    BASIC,
    COPIES,
    DECK,
    DRAWN,
    DUEL,
    DUEL_HAND,
    FIRST_POINTS,
    FRONTS,
    MATCH_OVER,
    MIDDLE_POINTS,
    PENGUINS,
    ROW,
    TAKE,
    TURN,
    VALUES,
    WINNING_POINTS,
)

PHASES = {"turn": TURN, "take": TAKE, "drawn": DRAWN, "over": MATCH_OVER}

_KEYS = (
    "hands", "stock", "discard", "table", "drawn", "beaten", "passes", "out", "penguins", "points", "fronts", "unused",
    "memory",
)  # fmt: skip
_CARDS = Deck("1234567")  # card id = value - 1
_UNUSED = DECK - 2 * (DUEL_HAND + FRONTS)


def from_position(document: Document) -> States:
    """The state of a position; raises PositionError that names the key."""
    reader, states = load("nanatoridori").open(document, _KEYS)
    s = states[0]
    s.phase = PHASES[reader.word("phase", PHASES)]
    hands = [_digits(hand, f"hands[{seat}]") for seat, hand in enumerate(reader.listing("hands", int(s.seats)))]
    _read_out(reader, s, hands)
    _read_table(reader, s)
    _read_turn(reader, s, hands)
    _read_cards(reader, document, s, hands)
    _read_round(reader, s)
    _read_memory(reader, s, hands)
    return states


def _digits(value: object, key: str) -> list[int]:
    """Card values from a text of digits."""
    if value is None:
        return []
    if not isinstance(value, str):
        raise PositionError(f"{key}: a text of digits from 1 to {VALUES} is needed, not {value!r}")
    return [_CARDS.parse(digit, f"{key}[{place}]") + 1 for place, digit in enumerate(value)]


def _read_out(reader: PositionReader, s: Any, hands: Sequence[list[int]]) -> None:
    """Read the seats that are out: they hold no cards and all others do, but a seat that won by elimination may hold some."""
    seats, is_over = len(hands), s.phase == MATCH_OVER
    out = [reader.as_whole(seat, f"out[{at}]", 0, seats - 1) for at, seat in enumerate(reader.listing("out"))]
    if len(set(out)) < len(out):
        raise PositionError(f"out: a seat is named twice in {out}")
    if len(out) != seats - 1 if is_over else len(out) > seats - 2:
        needed = f"{seats - 1} seats are" if is_over else f"at most {seats - 2} seats can be"
        raise PositionError(f"out: {needed} out in this phase, not {len(out)}")
    for seat, hand in enumerate(hands):
        if not hand and seat not in out:
            raise PositionError(f"hands[{seat}]: seat {seat} holds no cards and is not out")
        if hand and seat in out and not (is_over and s.variant == DUEL):
            raise PositionError(f"hands[{seat}]: seat {seat} is out and holds cards")
    s.num_out = len(out)
    s.out[: len(out)] = out


def _read_table(reader: PositionReader, s: Any) -> None:
    """The cards on the table, the beaten ones, the drawn one."""
    s.table_value, s.table_count, s.table_owner = 0, 0, 0
    if not reader.is_empty("table"):
        s.table_value, s.table_count, s.table_owner = _numbers(
            reader, "table", {"value": (1, VALUES), "count": (1, COPIES), "owner": (0, int(s.seats) - 1)}
        )
    elif s.phase != TURN:
        raise PositionError("table: it can be empty only in the phase turn")
    if s.phase == TAKE:
        s.beaten_value, s.beaten_count = _numbers(reader, "beaten", {"value": (1, VALUES), "count": (1, COPIES)})
        if (s.beaten_count, s.beaten_value) >= (s.table_count, s.table_value):
            raise PositionError("beaten: these cards are not weaker than those on the table")
    else:
        reader.refuse(("beaten",), "outside the phase take")
    if s.phase == DRAWN:
        s.drawn = reader.card("drawn", _CARDS) + 1
    else:
        reader.refuse(("drawn",), "outside the phase drawn")


def _numbers(reader: PositionReader, key: str, ranges: dict[str, tuple[int, int]]) -> list[int]:
    """The whole numbers of an object with exactly these keys."""
    found = reader.mapping(key)
    if set(found) != set(ranges):
        raise PositionError(f"{key}: an object of {', '.join(ranges)} is needed, not {dict(found)!r}")
    return [reader.as_whole(found[name], f"{key}.{name}", *bounds) for name, bounds in ranges.items()]


def _read_turn(reader: PositionReader, s: Any, hands: Sequence[list[int]]) -> None:
    """Read the turn, which follows from the seat that played last and the number of passes since."""
    seats, phase, owner = len(hands), int(s.phase), int(s.table_owner)
    s.starter = reader.whole("starter", 0, seats - 1)
    s.passes = reader.whole("passes", 0, seats, default=0)
    out = [int(seat) for seat in s.out[: s.num_out]]
    if phase == MATCH_OVER:
        reader.refuse(("turn",), "when the match is over")
        s.turn = 0
        eliminated = bool(hands[out[-1]])
        if owner != out[-1]:
            raise PositionError(f"table.owner: seat {out[-1]} was the last to go out, the table is not by seat {owner}")
        if s.passes > eliminated:
            raise PositionError(f"passes: {s.passes} seats cannot have passed at the end of a round")
        return
    s.turn = reader.whole("turn", 0, seats - 1)
    if not hands[s.turn]:
        raise PositionError(f"turn: seat {s.turn} is out")
    if not s.table_count:
        if s.passes:
            raise PositionError("passes: nobody can have passed while the table is empty")
        return
    if owner in out and owner != out[-1]:
        raise PositionError(f"table.owner: seat {owner} was not the last to go out")
    others = [seat % seats for seat in range(owner + 1, owner + seats) if hands[seat % seats]]
    order = [owner] if phase == TAKE else others  # by passes; a pass counts already in the phase drawn
    at = s.passes - (phase == DRAWN)
    if not 0 <= at < len(order):
        raise PositionError(f"passes: {s.passes} are not possible here")
    if s.turn != order[at]:
        raise PositionError(f"turn: after {s.passes} passes since seat {owner} played it is the turn of seat {order[at]}")


def _read_cards(reader: PositionReader, document: Document, s: Any, hands: Sequence[list[int]]) -> None:
    """Cards by where they lie; conservation."""
    discard = _digits(document.get("discard"), "discard")
    fronts: list[list[int]] = []
    stock_key, other_key = ("unused", "stock") if s.variant == DUEL else ("stock", "unused")
    reader.refuse((other_key,), "in this variant")
    stock = _digits(document.get(stock_key), stock_key)
    if s.variant == DUEL:
        fronts = [_digits(cards, f"fronts[{seat}]") for seat, cards in enumerate(reader.listing("fronts", 2))]
        _check_fronts(s, fronts, hands)
        if len(stock) != _UNUSED:
            raise PositionError(f"unused: {_UNUSED} cards are not used in a duel, not {len(stock)}")
    else:
        reader.refuse(("fronts",), "unless variant=duel")
    lying = ((s.table_value, s.table_count), (s.beaten_value, s.beaten_count), (s.drawn, s.drawn > 0))
    blocks = [int(value) for value, count in lying for _ in range(int(count))]
    require_whole_deck((card - 1 for cards in (*hands, *fronts, stock, discard, blocks) for card in cards), _CARDS, COPIES)
    for array in (s.hand, s.stock, s.discard, s.fronts, s.hand_size, s.num_fronts):
        array[:] = 0
    for seat, hand in enumerate(hands):
        s.hand[seat << ROW : (seat << ROW) + len(hand)] = hand
        s.hand_size[seat] = len(hand)
    for seat, cards in enumerate(fronts):
        s.fronts[FRONTS * seat : FRONTS * seat + len(cards)] = cards
        s.num_fronts[seat] = len(cards)
    s.stock[: len(stock)] = stock[::-1]
    s.num_stock = len(stock)
    s.discard[: len(discard)] = discard
    s.num_discard = len(discard)


def _check_fronts(s: Any, fronts: Sequence[list[int]], hands: Sequence[list[int]]) -> None:
    for seat, cards in enumerate(fronts):
        most = FRONTS - (s.phase == DRAWN and s.turn == seat)
        if s.phase == MATCH_OVER and hands[s.out[0]] and seat != s.out[0]:
            most = 0  # eliminated
        if len(cards) > most:
            raise PositionError(f"fronts[{seat}]: at most {most} cards are possible here, not {len(cards)}")


def _read_round(reader: PositionReader, s: Any) -> None:
    """Penguins or points, as many rounds as were played can have left them."""
    seats, is_over = int(s.seats), s.phase == MATCH_OVER
    number = reader.whole("round", 1, 5 if s.variant == ADVANCED else seats + 1, default=1)
    key, other = ("points", "penguins") if s.variant == ADVANCED else ("penguins", "points")
    reader.refuse((other,), "in this variant")
    highest = WINNING_POINTS + 2 if s.variant == ADVANCED else PENGUINS if s.variant == BASIC else int(s.duel_penguins)
    found = reader.listing(key, seats)
    totals = [reader.as_whole(total, f"{key}[{seat}]", 0, highest) for seat, total in enumerate(found)]
    before = list(totals)
    if is_over:
        loser = ({*range(seats)} - {int(seat) for seat in s.out[: s.num_out]}).pop()
        for seat in range(seats):
            if s.variant == ADVANCED and seat != loser:
                before[seat] -= FIRST_POINTS if seat == s.out[0] else MIDDLE_POINTS
            elif s.variant != ADVANCED and seat == loser:
                before[seat] += 1
    is_right = _are_points(before, number - 1) if s.variant == ADVANCED else _are_penguins(before, number - 1, highest)
    if not is_right:
        raise PositionError(f"{key}: {totals} cannot be what {number if is_over else number - 1} finished rounds have left")
    if is_over != (max(totals) >= WINNING_POINTS if s.variant == ADVANCED else min(totals) == 0):
        raise PositionError(f"phase: the match is {'not ' if is_over else ''}over, as the {key} stand")
    s.round_number = number
    s.totals[:seats] = totals


def _are_penguins(penguins: Sequence[int], rounds: int, at_start: int) -> bool:
    """Whether so many rounds leave these penguins, the match still running: one is lost in each."""
    return all(0 < left <= at_start for left in penguins) and sum(at_start - left for left in penguins) == rounds


def _are_points(points: Sequence[int], rounds: int) -> bool:
    """Whether so many rounds leave these points, the match still running.

    A round gives one seat 4, one seat 0 and all others 2, so it is told by what a seat has more or less than 2 a round.
    """
    more = [(total - MIDDLE_POINTS * rounds) // 2 for total in points]
    in_steps = all(total % 2 == 0 and 0 <= total < WINNING_POINTS and abs(gain) <= rounds for total, gain in zip(points, more))
    gained = sum(gain for gain in more if gain > 0)
    return in_steps and sum(more) == 0 and gained <= rounds and (rounds != 1 or gained == 1)


def _read_memory(reader: PositionReader, s: Any, hands: Sequence[list[int]]) -> None:
    """Blocks that everybody knows to be in a hand; they must be there."""
    s.known[:] = 0
    if reader.is_empty("memory"):
        return
    memory = reader.mapping("memory")
    if set(memory) != {"known"}:
        raise PositionError(f"memory: an object of known is needed, not {memory!r}")
    for seat, blocks in enumerate(reader.as_listing(memory["known"], "memory.known", len(hands))):
        held = list(hands[seat])
        for at, block in enumerate(reader.as_listing(blocks, f"memory.known[{seat}]")):
            key = f"memory.known[{seat}][{at}]"
            cards = _digits(block, key)
            if len(set(cards)) != 1:
                raise PositionError(f"{key}: equal cards are needed, not {block!r}")
            for card in cards:
                if card not in held:
                    raise PositionError(f"{key}: {block} and the blocks before it are not in the hand of seat {seat}")
                held.remove(card)
            remember(s, seat, cards[0], len(cards))
