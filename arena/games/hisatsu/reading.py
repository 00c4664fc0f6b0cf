"""Reading a position of Hisatsu: every mistake is refused with an error that names the key (docs/notation.md)."""

from typing import Any

from arena.engine.game import Document, States
from arena.engine.position import Fields, PositionReader
from arena.errors import PositionError
from arena.games import load
from arena.games.hisatsu import rules
from arena.games.hisatsu.knowledge import hidden_cards
from arena.games.hisatsu.state import FULL_HAND, MAX_CARDS, MAX_REQUESTS, NO_REQUEST, TURNS, VALUES
from arena.games.hisatsu.view import request_name, turns_taken, values_of

_KEYS = ("row", "stock", "hands", "discards", "points", "captured", "failed", "turns", "passed")
_SLOT_KEYS = {"name", "chips", "cards"}
_DIGITS = "1234567"


def from_position(document: Document) -> States:
    """The state of a position; raises PositionError that names the key."""
    reader, states = load("hisatsu").open(document, _KEYS)
    s = states[0]
    rules.clear_table(s)
    deck = Fields(s)
    names = {request_name(deck, request): request for request in range(deck.num_requests)}
    reader.whole("round", 1, 1, default=1)
    _read_course(reader, s)
    _read_requests(reader, s, names)
    _read_cards(reader, s)
    _check_requests(s, list(names))
    _check_cards(s)
    _check_chips(s)
    return states


def _read_course(reader: PositionReader, s: Any) -> None:
    """Phase, turn, starter and turns must go together: the seats act in turn from the starter."""
    seats = int(s.seats)
    phase = reader.word("phase", ("act", "over"))
    turns = [
        reader.as_whole(count, f"turns[{seat}]", 0, TURNS)
        for seat, count in enumerate(reader.as_listing(reader.listing("turns") or [0] * seats, "turns", seats))
    ]
    s.turns = sum(turns)
    if (phase == "over") != rules.is_terminal(s):
        raise PositionError(f"phase: {phase!r} does not go with {s.turns} of {seats * TURNS} turns taken")
    if phase == "over":
        reader.refuse(("turn",), "when the match is over")
        s.starter = reader.whole("starter", 0, seats - 1)
        s.turn = s.starter
    else:
        s.turn = reader.whole("turn", 0, seats - 1)
        s.starter = (int(s.turn) - int(s.turns)) % seats
        if reader.whole("starter", 0, seats - 1, default=int(s.starter)) != s.starter:
            raise PositionError(f"starter: after {s.turns} turns with seat {s.turn} to act, seat {s.starter} started")
    if turns != turns_taken(s):
        raise PositionError(f"turns: seat {s.starter} started, so {s.turns} turns are {turns_taken(s)}, not {turns}")


def _read_requests(reader: PositionReader, s: Any, names: dict[str, int]) -> None:
    """Row, stock, captured and failed requests."""
    for place, value in enumerate(reader.listing("row", int(s.seats) - 1)):
        if value is not None:
            _read_slot(reader, s, place, value, names)
    stock = [_request(name, f"stock[{i}]", names) for i, name in enumerate(reader.listing("stock"))]
    if len(stock) > len(names):
        raise PositionError(f"stock: {len(stock)} requests are more than the deck's {len(names)}")
    s.num_stock = len(stock)
    s.stock[:] = stock[::-1] + [0] * (MAX_REQUESTS - len(stock))
    for key, requests, counts in (("captured", s.captured, s.num_captured), ("failed", s.failed, s.num_failed)):
        for seat, won in enumerate(_per_seat(reader, s, key)):
            listed = reader.as_listing(won, f"{key}[{seat}]")
            if len(listed) > TURNS:
                raise PositionError(f"{key}[{seat}]: a seat cannot have had {len(listed)} claims in {TURNS} turns")
            counts[seat] = len(listed)
            for i, name in enumerate(listed):
                requests[seat, i] = _request(name, f"{key}[{seat}][{i}]", names)


def _read_slot(reader: PositionReader, s: Any, place: int, value: object, names: dict[str, int]) -> None:
    key = f"row[{place}]"
    if not isinstance(value, dict) or not value.keys() <= _SLOT_KEYS:
        raise PositionError(f"{key}: null or an object with name, chips and cards is needed, not {value!r}")
    request = _request(value.get("name"), f"{key}.name", names)
    bang = int(s.bang[request])
    cards = reader.as_listing(value.get("cards"), f"{key}.cards")
    if len(cards) > MAX_CARDS:
        raise PositionError(f"{key}.cards: {len(cards)} cards are more than are played in a match")
    s.request[place] = request
    s.num_cards[place] = len(cards)
    s.chips[place] = max(0, bang - len(cards))
    left = int(s.chips[place])
    chips = reader.as_whole(value.get("chips") or 0, f"{key}.chips", 0, bang)
    if chips != left:
        raise PositionError(f"{key}.chips: {left} are left of {bang} one-point cards after {len(cards)} cards, not {chips}")
    for i, card in enumerate(cards):
        seat, number, facing = reader.as_listing(card, f"{key}.cards[{i}]", 3)
        reader.as_whole(seat, f"{key}.cards[{i}][0]", 0, int(s.seats) - 1)
        reader.as_whole(number, f"{key}.cards[{i}][1]", 1, VALUES if i >= bang else VALUES - 1)
        if facing != ("up" if i >= bang else "down"):
            raise PositionError(f'{key}.cards[{i}]: the first {bang} cards lie "down", the others "up", not {facing!r}')
        s.cards[place, i] = seat * 8 + number
    claimant = int(rules.claim(s, place))
    if claimant >= 0 and (rules.is_terminal(s) or claimant == s.turn):
        raise PositionError(
            f"{key}: the claim of seat {claimant} should be resolved: a position shows the state after the check"
        )


def _read_cards(reader: PositionReader, s: Any) -> None:
    """Hands, discards, face-down passes and one-point cards."""
    for seat, hand in enumerate(reader.listing("hands", int(s.seats))):
        values = _values(hand, f"hands[{seat}]", VALUES)
        if values != sorted(set(values)):
            raise PositionError(f"hands[{seat}]: different cards, ascending, are needed, not {hand!r}")
        s.hand[seat] = sum(1 << value for value in values)
    for seat, pile in enumerate(_per_seat(reader, s, "discards")):
        _fill(s.discards, s.num_discards, seat, _values(pile, f"discards[{seat}]", TURNS))
    if s.pass_discard == 1:
        for seat, pile in enumerate(_per_seat(reader, s, "passed")):
            _fill(s.passed, s.num_passed, seat, _values(pile, f"passed[{seat}]", TURNS))
    elif any(_per_seat(reader, s, "passed")):
        raise PositionError("passed: must be empty under pass_discard=face_up: passes are in `discards`")
    points = reader.listing("points") or [0] * s.seats
    for seat, count in enumerate(reader.as_listing(points, "points", int(s.seats))):
        s.points[seat] = reader.as_whole(count, f"points[{seat}]", 0, TURNS)


def _check_requests(s: Any, names: list[str]) -> None:
    """Every request is in one place; a slot is empty only without a stock, or after the final check."""
    row = [int(request) for request in s.request[: s.seats - 1] if request != NO_REQUEST]
    found = row + s.stock[: s.num_stock].tolist()
    for seat in range(s.seats):
        found += s.captured[seat][: s.num_captured[seat]].tolist() + s.failed[seat][: s.num_failed[seat]].tolist()
    missing = [name for request, name in enumerate(names) if request not in found]
    double = [name for request, name in enumerate(names) if found.count(request) > 1]
    if missing or double:
        parts = [f"missing {', '.join(missing)}"] * bool(missing) + [f"too often {', '.join(double)}"] * bool(double)
        raise PositionError(f"requests: each must be once in row, stock, captured or failed; {'; '.join(parts)}")
    if not rules.is_terminal(s) and s.num_stock and len(row) < s.seats - 1:
        raise PositionError("row: a slot is empty although the stock is not")


def _check_cards(s: Any) -> None:
    """Every seat has each of its cards once, and has played as many as it has taken turns."""
    for seat, turns in enumerate(turns_taken(s)):
        cards = values_of(int(s.hand[seat])) + s.discards[seat][: s.num_discards[seat]].tolist()
        cards += s.passed[seat][: s.num_passed[seat]].tolist()
        for place in range(s.seats - 1):
            cards += [card & 7 for card in s.cards[place][: s.num_cards[place]].tolist() if card >> 3 == seat]
        if sorted(cards) != values_of(FULL_HAND):
            missing = sorted({*values_of(FULL_HAND)} - {*cards})
            double = sorted({card for card in cards if cards.count(card) > 1})
            parts = [f"missing {missing}"] * bool(missing) + [f"too often {double}"] * bool(double)
            raise PositionError(f"cards: seat {seat} must have each card 1 to 7 once; {', '.join(parts)}")
        hand = len(values_of(int(s.hand[seat])))
        if hand != VALUES - turns:
            raise PositionError(f"hands[{seat}]: {VALUES - turns} cards are needed after {turns} turns, not {hand}")


def _check_chips(s: Any) -> None:
    """Check that as many one-point cards were taken as cards were hidden, those in the row and those that are discards now."""
    taken = 0
    for place in range(s.seats - 1):
        taken += int(hidden_cards(s, place))
    won_cards = 0
    for seat in range(s.seats):
        won = [*s.captured[seat][: s.num_captured[seat]], *s.failed[seat][: s.num_failed[seat]]]
        taken += sum(int(s.bang[request]) for request in won)
        won_cards += sum(int(s.bang[request]) + 1 for request in won)
        hidden = [
            int(s.cards[place, i]) >> 3 for place in range(s.seats - 1) for i in range(int(hidden_cards(s, place)))
        ].count(seat)
        lower = int((s.discards[seat][: s.num_discards[seat]] < VALUES).sum())
        revealed = int(s.points[seat]) - hidden
        if not 0 <= revealed <= lower or len(won) > s.num_discards[seat]:
            raise PositionError(
                f"points[{seat}]: {s.points[seat]} one-point cards do not go with {hidden} hidden cards in the row, "
                f"{len(won)} claims and the discards {s.discards[seat][: s.num_discards[seat]].tolist()}"
            )
    if taken != s.points[: s.seats].sum():
        raise PositionError(f"points: {taken} one-point cards were taken from the requests, not {s.points[: s.seats].sum()}")
    discarded = int(s.num_discards[: s.seats].sum())
    if discarded < won_cards:
        raise PositionError(f"discards: at least {won_cards} cards lay on the captured and failed requests, not {discarded}")
    if s.pass_discard == 1 and discarded and not won_cards:
        raise PositionError("discards: under pass_discard=face_down only cards of captured and failed requests lie there")


def _request(name: object, key: str, names: dict[str, int]) -> int:
    if not isinstance(name, str) or name not in names:
        raise PositionError(f"{key}: no request {name!r} in the deck; known: {', '.join(names)}")
    return names[name]


def _per_seat(reader: PositionReader, s: Any, key: str) -> list[Any]:
    return reader.as_listing(reader.listing(key) or [None] * s.seats, key, int(s.seats))


def _values(text: object, key: str, most: int) -> list[int]:
    """The cards of a digit string."""
    if text is None or text == []:
        text = ""
    if not isinstance(text, str) or any(digit not in _DIGITS for digit in text):
        raise PositionError(f"{key}: a text of digits 1 to 7 is needed, not {text!r}")
    if len(text) > most:
        raise PositionError(f"{key}: at most {most} cards are possible, not {len(text)}")
    return [int(digit) for digit in text]


def _fill(piles: Any, counts: Any, seat: int, values: list[int]) -> None:
    counts[seat] = len(values)
    for i, value in enumerate(values):
        piles[seat, i] = value
