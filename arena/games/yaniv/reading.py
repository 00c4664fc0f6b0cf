"""Reading a position of Yaniv: every mistake is refused with an error that names the key (docs/notation.md)."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from arena.engine.game import Document, States
from arena.engine.position import PositionReader, require_whole_deck
from arena.errors import PositionError
from arena.games import load
from arena.games.yaniv import rules
from arena.games.yaniv.history import put_turn
from arena.games.yaniv.rows import CARDS, HAND, JOKER, RANK, RANKS, SUIT
from arena.games.yaniv.state import CLASSES, DRAW, FRESH, MATCH_OVER, MAX_SEATS, OLDER, RECENT, SLAP, TAKEN
from arena.games.yaniv.words import PHASES, cards_of, row_of, row_words

_KEYS = ("hands", "stock", "previous", "laid", "buried", "drawn", "from", "turns", "totals", "dropped", "memory")


def from_position(document: Document) -> States:
    """The state of a position; raises PositionError that names the key."""
    reader, states = load("yaniv").open(document, _KEYS)
    s = states[0]
    _read_course(reader, s)
    _read_cards(reader, s)
    _read_drawn(reader, s)
    _read_memory(reader, s)
    return states


def _read_course(reader: PositionReader, s: Any) -> None:
    """Read how far the match has come: phase, round, turn, totals, who dropped out."""
    seats, limit, max_rounds = int(s.seats), int(s.limit), int(s.max_rounds)
    phase = PHASES[reader.word("phase", PHASES)]
    over = phase == MATCH_OVER
    s.phase = phase
    number = reader.whole("round", 1, max_rounds, default=1)
    s.round_number = number
    dropped = _read_dropped(reader, s, number - (not over))
    in_round = [not out or (over and out == number) for out in dropped]
    totals = reader.listing("totals") or [0] * seats
    for seat, total in enumerate(reader.as_listing(totals, "totals", seats)):
        s.totals[seat] = reader.as_whole(total, f"totals[{seat}]", 0, 32_000)
        if (total >= limit) != bool(dropped[seat]) and not (over and s.mode == 0):
            what = "and has not dropped out" if total >= limit else "and has dropped out"
            raise PositionError(f"totals[{seat}]: seat {seat} stands at {total} of {limit} {what}")
    _check_end(s, over)
    s.starter = reader.whole("starter", 0, seats - 1)
    if not in_round[s.starter]:
        raise PositionError(f"starter: seat {s.starter} has dropped out")
    s.last_turn = int(s.turn_limit) * sum(in_round)
    s.turns = reader.whole("turns", 0, int(s.last_turn) - (not over), default=0)
    if over:
        reader.refuse(("turn",), "when the match is over")
        s.turn = 0
        return
    s.turn = reader.whole("turn", 0, seats - 1)
    if not in_round[s.turn]:
        raise PositionError(f"turn: seat {s.turn} has dropped out")


def _read_dropped(reader: PositionReader, s: Any, last: int) -> list[int]:
    """The round in which each seat dropped out; `last`: the latest possible one."""
    seats = int(s.seats)
    if s.mode == 0:
        reader.refuse(("dropped",), "unless mode=elim201")
        return [0] * seats
    dropped = reader.as_listing(reader.listing("dropped") or [0] * seats, "dropped", seats)
    for seat, number in enumerate(dropped):
        s.dropped[seat] = reader.as_whole(number, f"dropped[{seat}]", 0, last)
    return dropped


def _check_end(s: Any, over: bool) -> None:
    """The match is over where the rules say so, and only there."""
    if s.mode == 1:
        ended = sum(not s.dropped[seat] for seat in range(s.seats)) <= 1
    else:
        ended = any(s.totals[seat] >= s.limit for seat in range(s.seats))
    if ended and not over:
        raise PositionError("phase: the match is over, as the totals stand")
    if over and not ended and s.round_number < s.max_rounds:
        raise PositionError("phase: the match is not over, as the totals stand")


def _read_cards(reader: PositionReader, s: Any) -> None:
    """The cards by where they lie; each must be there as often as in the deck."""
    seats, phase, turn = int(s.seats), int(s.phase), int(s.turn)
    hands = [sorted(reader.cards(hand, f"hands[{seat}]", CARDS)) for seat, hand in enumerate(reader.listing("hands", seats))]
    stock = reader.cards(reader.listing("stock"), "stock", CARDS)
    buried = reader.cards(reader.listing("buried"), "buried", CARDS)
    previous = _read_discard(reader, s, "previous", HAND + 1)
    laid = []
    if phase in (DRAW, SLAP):
        laid = _read_discard(reader, s, "laid", HAND)
    else:
        reader.refuse(("laid",), "outside the phases draw and slap")
    for seat, hand in enumerate(hands):
        most = HAND
        if s.dropped[seat] and not (phase == MATCH_OVER and s.dropped[seat] == s.round_number):
            most = 0
        elif seat == turn and phase != MATCH_OVER:
            most = HAND - len(laid) + (phase == SLAP)
        if len(hand) > most:
            raise PositionError(f"hands[{seat}]: at most {most} cards are possible here, not {len(hand)}")
    decks = int(s.decks)
    copies = [decks] * JOKER + [2 * decks]
    require_whole_deck([*stock, *buried, *previous, *laid, *(card for hand in hands for card in hand)], CARDS, copies)
    for seat in range(MAX_SEATS):
        hand = hands[seat] if seat < seats else []
        s.hand[seat], s.hand_size[seat] = row_of(hand), len(hand)
    s.stock[:] = 0
    s.stock[: len(stock)] = stock[::-1]
    s.num_stock = len(stock)
    s.previous, s.laid = row_of(previous), row_of(laid)
    for i, mask in enumerate(_pile(buried)):
        s.piles[i] = mask


def _read_discard(reader: PositionReader, s: Any, key: str, most: int) -> list[int]:
    """The cards at `key`: a single card, a set or a run as it can lie on the table."""
    cards = reader.cards(reader.listing(key), key, CARDS)
    texts = " ".join(CARDS.text(card) for card in cards)
    if not 0 < len(cards) <= most:
        raise PositionError(f"{key}: 1 to {most} cards are needed, not {len(cards)}")
    jokers = cards.count(JOKER)
    ranks = {int(RANK[card + 1]) for card in cards}
    is_set = len(cards) == 1 or (len(ranks) == 1 and (not jokers or s.joker_pair))
    if not is_set and not _is_run(cards):
        raise PositionError(f"{key}: {texts} is not a single card, a set or a run")
    return cards


def _is_run(cards: Sequence[int]) -> bool:
    naturals = [(place, card) for place, card in enumerate(cards) if card != JOKER]
    starts = {(int(SUIT[card + 1]), int(RANK[card + 1]) - place) for place, card in naturals}
    if not 3 <= len(cards) <= HAND or len(starts) != 1:
        return False
    ((_, start),) = starts
    return 0 <= start <= RANKS - len(cards)


def _read_drawn(reader: PositionReader, s: Any) -> None:
    """The card that may be slapped."""
    if s.phase != SLAP:
        reader.refuse(("drawn", "from"), "outside the phase slap")
        s.drawn = 0
        return
    if not s.slap_down:
        raise PositionError("phase: nobody may slap with slap_down=false")
    card = reader.card("drawn", CARDS)
    if CARDS.text(card) not in cards_of(int(s.hand[s.turn])):
        raise PositionError(f"drawn: {CARDS.text(card)} is not in the hand of seat {s.turn}")
    if not rules.may_slap(s, card):
        raise PositionError(f"drawn: {CARDS.text(card)} may not be added to {row_words(int(s.laid))}")
    if not reader.is_empty("from"):
        reader.word("from", ("stock",))
    s.drawn = card + 1


def _read_memory(reader: PositionReader, s: Any) -> None:
    """What everybody knows of the hands; without it: nothing was taken, and the stock is the first one."""
    seats = int(s.seats)
    memory: Mapping[str, Any] = reader.mapping("memory")
    for key in memory:
        if key not in ("origins", "reshuffles", "recent"):
            raise PositionError(f"memory: no such key {key!r}; known: origins, reshuffles, recent")
    _read_recent(reader, s, memory.get("recent") or [])
    s.reshuffles = reader.as_whole(memory.get("reshuffles", 0), "memory.reshuffles", 0, 32_000)
    origins = memory.get("origins") or [str(FRESH) * int(s.hand_size[seat]) for seat in range(seats)]
    earlier: list[list[int]] = [[] for _ in range(CLASSES)]
    for i in range(CLASSES * MAX_SEATS):
        s.held[i] = 0
    for seat in range(MAX_SEATS):
        s.known[seat] = s.origin[seat] = 0
    for seat, digits in enumerate(reader.as_listing(origins, "memory.origins", seats)):
        hand = [CARDS.parse(card, "hands") for card in cards_of(int(s.hand[seat]))]
        if not isinstance(digits, str) or len(digits) != len(hand) or set(digits) - set("0123"):
            raise PositionError(
                f"memory.origins[{seat}]: a digit 0 to 3 for each of {len(hand)} cards is needed, not {digits!r}"
            )
        pairs = list(zip(hand, map(int, digits), strict=True))
        if any(before[0] == after[0] and before[1] and not after[1] for before, after in itertools.pairwise(pairs)):
            raise PositionError(f"memory.origins[{seat}]: of equal cards those taken openly (0) come first")
        s.known[seat] = row_of(card for card, origin in pairs if origin == TAKEN)
        s.origin[seat] = sum(origin << 2 * place for place, (_, origin) in enumerate(pairs))
        for card, origin in pairs:
            if origin >= OLDER:
                earlier[origin - OLDER].append(card)
                s.held[(origin - OLDER) * MAX_SEATS + seat] += 1
        if s.drawn and seat == s.turn and [origin for card, origin in pairs if card == s.drawn - 1][-1] != FRESH:
            raise PositionError(f"memory.origins[{seat}]: the card just drawn comes from this stock (1)")
    for i, mask in enumerate(mask for cards in earlier for mask in _pile(cards)):
        s.piles[2 + i] = mask


def _read_recent(reader: PositionReader, s: Any, recent: Any) -> None:
    """The last turns of the round, the last one last; they may be fewer than there were."""
    s.recent[:] = 0
    if not isinstance(recent, list) or len(recent) > min(RECENT, int(s.turns)):
        most = min(RECENT, int(s.turns))
        raise PositionError(f"memory.recent: a list of at most {most} turns is needed, as `turns` is {s.turns}")
    for place, given in enumerate(recent):
        key = f"memory.recent[{place}]"
        if not isinstance(given, dict) or given.keys() != {"laid", "taken"}:
            raise PositionError(f"{key}: an object with laid and taken is needed")
        laid = reader.cards(reader.as_listing(given["laid"], f"{key}.laid"), f"{key}.laid", CARDS)
        if not 0 < len(laid) <= HAND + 1:
            raise PositionError(f"{key}.laid: 1 to {HAND + 1} cards are needed, not {len(laid)}")
        taken = 0 if given["taken"] is None else reader.cards([given["taken"]], f"{key}.taken", CARDS)[0] + 1
        put_turn(s, len(recent) - place, row_of(laid), taken)


def _pile(cards: Iterable[int]) -> list[int]:
    """A pile as its two masks."""
    masks = [0, 0]
    for card in cards:
        bits = [(copy, card + bit) for copy in range(2) for bit in range(1 + (card == JOKER))]
        copy, bit = next((copy, bit) for copy, bit in bits if not masks[copy] >> bit & 1)
        masks[copy] |= 1 << bit
    return masks
