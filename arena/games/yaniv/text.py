"""Yaniv in words: cards, actions, positions and events as text, both ways (docs/notation.md; plain Python)."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from arena.engine.options import OptionValue
from arena.engine.position import PositionReader, require_whole_deck
from arena.engine.room import Document, States
from arena.errors import ConfigError, PositionError
from arena.games import load
from arena.games.yaniv import rules
from arena.games.yaniv.discards import laid_row
from arena.games.yaniv.knowledge import SEEN_CALL, SEEN_DISCARD, SEEN_DRAW, SEEN_HOLD, SEEN_KIND, SEEN_SLAP
from arena.games.yaniv.rows import CARDS, HAND, JOKER, RANK, RANKS, SUIT, hand_value
from arena.games.yaniv.state import (
    CALL,
    CLASSES,
    DRAW,
    FRESH,
    LAST,
    MATCH_OVER,
    MAX_SEATS,
    OLDER,
    ROUND_OVER,
    SLAP,
    START,
    TAKEN,
    State,
)

_KEYS = ("hands", "stock", "previous", "laid", "buried", "drawn", "from", "turns", "totals", "dropped", "memory")
_PHASES = {"start": START, "draw": DRAW, "slap": SLAP, "over": MATCH_OVER}
_DRAWS = ("draw stock", "draw first", "draw last")
_SLAPS = ("hold", "slap")
_HIDDEN = "?"


def action_texts(s: Any, actions: Sequence[int]) -> list[str]:
    """`call`, `discard C ...`, `draw stock`, `draw first`, `draw last`, `draw K`, `hold`, `slap`."""
    phase = int(s.phase)
    if phase == DRAW:
        return [_draw_text(action) for action in actions]
    if phase == SLAP:
        return [_SLAPS[action] for action in actions]
    hand = int(s.hand[s.turn])
    return ["call" if action == CALL else _discard_text(laid_row(hand, action)) for action in actions]


def parse_action(s: Any, text: str) -> int:
    """The inverse; raises PositionError for a text that is no legal action of the seat to choose."""
    codes = np.zeros(rules.MAX_ACTIONS, np.int64)
    legal = [int(code) for code in codes[: rules.legal_actions(s, codes)]]
    texts = action_texts(s, legal)
    if text not in texts:
        raise PositionError(f"action: {text!r} is not legal; legal: {', '.join(texts) or 'nothing, the match is over'}")
    return legal[texts.index(text)]


def event_texts(s: Any, seen: int) -> list[tuple[int, str]]:
    """One action of the seat to choose, without what is hidden."""
    kind, content = seen & SEEN_KIND, seen & ~SEEN_KIND
    if kind == SEEN_DISCARD:
        text = _discard_text(content)
    elif kind == SEEN_DRAW:
        text = _draw_text(content)
    else:
        text = {SEEN_CALL: "call", SEEN_HOLD: "hold", SEEN_SLAP: "slap"}[kind]
    return [(int(s.turn), text)]


def to_position(s: Any) -> Document:
    """Everything, hidden cards too."""
    s = plain(s)
    document = _public_position(s)
    seats = int(s.seats)
    document["hands"] = [cards_of(int(s.hand[seat])) for seat in range(seats)]
    document["stock"] = [CARDS.text(int(s.stock[i])) for i in reversed(range(s.num_stock))]
    document["drawn"] = CARDS.text(int(s.drawn) - 1) if s.drawn else None
    document["rng"] = "".join(f"{int(word):08x}" for word in s.seed)
    origins = [_origins(s, seat) for seat in range(seats)]
    if s.reshuffles or any(origin.strip(str(FRESH)) for origin in origins):
        document["memory"] = {"origins": origins, "reshuffles": int(s.reshuffles)}
    return document


def masked_position(s: Any, seat: int) -> Document:
    """What `seat` knows, from the observed state alone: `?` for each hidden card; `memory`: what it may remember of them."""
    s = plain(s)
    document = _public_position(s)
    seats = int(s.seats)
    is_open = s.phase >= ROUND_OVER
    document["hands"] = [
        cards_of(int(s.hand[other])) if is_open or other == seat else [_HIDDEN] * int(s.hand_size[other])
        for other in range(seats)
    ]
    document["stock"] = [_HIDDEN] * int(s.num_stock)
    if s.phase == SLAP:
        document["drawn"] = CARDS.text(int(s.drawn) - 1) if s.turn == seat else _HIDDEN
    known = [cards_of(int(s.known[other])) for other in range(seats)]
    earlier = [
        {"cards": pile_cards(s, 1 + older), "held": [int(s.held[older * MAX_SEATS + other]) for other in range(seats)]}
        for older in range(CLASSES)
        if s.piles[2 + 2 * older]
    ]
    if any(known) or earlier:
        document["memory"] = {"known": known, "earlier": earlier, "own": _origins(s, seat)}
    return document


def from_position(document: Document) -> States:
    """The state of a position; raises PositionError that names the key."""
    game = load("yaniv")
    reader = PositionReader(document, "yaniv", _KEYS)
    seats = reader.whole("seats", game.seats[0], game.seats[-1])
    try:
        options = game.resolve_options(reader.mapping("options"), seats)
    except ConfigError as error:
        raise PositionError(str(error)) from None
    states = game.deal(seats, options, reader.seed())
    s = states[0]
    _read_course(reader, s)
    _read_cards(reader, s)
    _read_drawn(reader, s)
    _read_memory(reader, s)
    return states


def describe(s: Any, seat: int | None) -> str:
    """The table: every seat with what the viewer knows of its hand, the discards, the stock."""
    s = plain(s)
    phase = int(s.phase)
    turn = -1 if phase >= ROUND_OVER else int(s.turn)
    lines = [f"Yaniv, round {s.round_number}, turn {s.turns + 1}; seat {s.starter} started"]
    for player in range(s.seats):
        words = f"  seat {player}: total {s.totals[player]:3}, "
        if s.dropped[player]:
            words += f"dropped out in round {s.dropped[player]}, "
        if seat is None or seat == player or phase >= ROUND_OVER:
            hand = int(s.hand[player])
            words += f"{_words(hand)} ({hand_value(hand)} points)"
        else:
            known = int(s.known[player])
            words += f"{s.hand_size[player]} cards" + (f", known {_words(known)}" if known else "")
        lines.append(words + (f"  <- {('discard or call', 'draw', 'slap or hold')[phase]}" if player == turn else ""))
    laid = f"; laid now: {_words(int(s.laid))}" if s.laid else ""
    lines.append(f"  previous discard: {_words(int(s.previous))}{laid}")
    lines.append(f"  stock {s.num_stock}; buried: {' '.join(pile_cards(s, 0)) or 'nothing'}")
    return "\n".join(lines)


def plain(s: Any) -> State:
    """The fields of a record as Python numbers and lists: reading them one by one from the record is slow."""
    values = (value.tolist() if isinstance(value, np.ndarray) else value for value in s.item())
    return cast(State, SimpleNamespace(**dict(zip(s.dtype.names, values))))


def cards_of(row: int) -> list[str]:
    """The texts of a row of cards."""
    cards = []
    while row:
        cards.append(CARDS.text((row & 63) - 1))
        row >>= 6
    return cards


def row_of(cards: Iterable[int]) -> int:
    """A row of card ids."""
    return sum(card + 1 << 6 * place for place, card in enumerate(cards))


def pile_cards(s: Any, pile: int) -> list[str]:
    """The texts of a pile of plain fields, ascending: 0 = buried, then the hidden cards of the earlier stocks."""
    bits = []
    for copy in range(2):
        mask = s.piles[2 * pile + copy]
        while mask:
            bits.append(min((mask & -mask).bit_length() - 1, JOKER))
            mask &= mask - 1
    return [CARDS.text(card) for card in sorted(bits)]


def _words(row: int) -> str:
    return " ".join(cards_of(row)) or "no cards"


def _discard_text(row: int) -> str:
    return "discard " + " ".join(cards_of(row))


def _draw_text(action: int) -> str:
    return _DRAWS[action] if action <= LAST else f"draw {action - LAST}"


def _origins(s: Any, seat: int) -> str:
    """How each card of a hand came there, a digit per card."""
    return "".join(str(int(s.origin[seat]) >> 2 * place & 3) for place in range(s.hand_size[seat]))


def _options(s: Any) -> dict[str, OptionValue]:
    return {
        "threshold": "none" if s.threshold == rules.NO_THRESHOLD else int(s.threshold),
        "decks": int(s.decks),
        "slap_down": bool(s.slap_down),
        "limit": int(s.limit),
        "mode": ("default", "elim201")[s.mode],
        "reduction": ("halve", "minus50")[s.reduction],
        "halve_requires_change": bool(s.halve_requires_change),
        "joker_pair": bool(s.joker_pair),
        "set_take": ("ends", "any")[s.set_take],
        "turn_limit": int(s.turn_limit),
        "max_rounds": int(s.max_rounds),
    }


def _public_position(s: Any) -> Document:
    """All keys, with what all seats know; hidden ones are filled in by the callers."""
    phase, seats = int(s.phase), int(s.seats)
    if phase == ROUND_OVER:
        raise ValueError("between two rounds there is no position: deal the next round first")
    document: Document = {
        "game": "yaniv",
        "options": _options(s),
        "seats": seats,
        "round": int(s.round_number),
        "turn": None if phase == MATCH_OVER else int(s.turn),
        "phase": next(name for name, code in _PHASES.items() if code == phase),
        "starter": int(s.starter),
        "hands": [],
        "stock": [],
        "previous": cards_of(int(s.previous)),
        "laid": cards_of(int(s.laid)),
        "buried": pile_cards(s, 0),
        "drawn": None,
        "from": "stock" if phase == SLAP else None,
        "turns": int(s.turns),
        "totals": [int(s.totals[seat]) for seat in range(seats)],
    }
    if s.mode == 1:
        document["dropped"] = [int(s.dropped[seat]) for seat in range(seats)]
    return document | {"memory": None}


def _read_course(reader: PositionReader, s: Any) -> None:
    """Where the match stands: phase, round, turn, totals, who dropped out."""
    seats, limit, max_rounds = int(s.seats), int(s.limit), int(s.max_rounds)
    phase = _PHASES[reader.word("phase", _PHASES)]
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
    """Cards by where they lie; conservation."""
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
    """A single card, a set or a run as it can lie."""
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
        raise PositionError(f"drawn: {CARDS.text(card)} may not be added to {_words(int(s.laid))}")
    if not reader.is_empty("from"):
        reader.word("from", ("stock",))
    s.drawn = card + 1


def _read_memory(reader: PositionReader, s: Any) -> None:
    """What everybody knows of the hands; without it: nothing was taken, and the stock is the first one."""
    seats = int(s.seats)
    memory: Mapping[str, Any] = reader.mapping("memory")
    for key in memory:
        if key not in ("origins", "reshuffles"):
            raise PositionError(f"memory: no such key {key!r}; known: origins, reshuffles")
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


def _pile(cards: Iterable[int]) -> list[int]:
    """A pile as its two masks."""
    masks = [0, 0]
    for card in cards:
        bits = [(copy, card + bit) for copy in range(2) for bit in range(1 + (card == JOKER))]
        copy, bit = next((copy, bit) for copy, bit in bits if not masks[copy] >> bit & 1)
        masks[copy] |= 1 << bit
    return masks
