"""What an action of Hisatsu Shigotonin led to, and how a match ended, for people: claims, captures, failures, new requests,
and the score (RULES.md 3.2, 3.3).
"""

from collections.abc import Sequence
from typing import Any

from arena.engine.game import Document
from arena.engine.outcomes import Cell, Fact, RoundResult, SeatResult, Value
from arena.engine.position import Fields
from arena.games.hisatsu import rules
from arena.games.hisatsu.state import FAILURE, NO_REQUEST
from arena.games.hisatsu.text import action_texts, to_position
from arena.games.hisatsu.view import request_name

__all__ = ["led_to", "result", "table"]

CHECKS = ("led_captures", "led_fails")
COLUMNS = ("result_captured", "one_point", "result_failed", "score")


def table(ended: Any) -> Document:
    """The table at the end, all cards open that were dealt."""
    document = to_position(ended)
    del document["rng"]
    return document | {"stock": ["?"] * len(document["stock"])}


def led_to(before: Any, events: Sequence[tuple[int, str]], after: Any) -> list[Fact]:
    """Return what an event led to. `before`, `after`: the states around it as the viewer sees them."""
    old, new = Fields(before), Fields(after)
    ((seat, text),) = events
    kind, _card, *slot = text.split(" ")
    placed = int(slot[0]) if slot else None
    facts, opened = [], _opened(old, new, seat, kind)
    for place in range(old.seats - 1):
        request = int(old.request[place])
        if request == new.request[place]:
            if place == placed and old.chips[place] == 0:
                facts.append(_claim(before, old, place, seat))
            continue
        owners = [card >> 3 for card in old.cards[place][: old.num_cards[place]]] + [seat] * (place == placed)
        values = [opened[owner].pop(0) for owner in owners]
        facts.append(_checked(old, new, request, values))
        if new.request[place] != NO_REQUEST:
            facts.append(_arrived(new, int(new.request[place])))
    return facts + ([_verdict(after)] if rules.is_terminal(after) else [])


def _opened(old: Fields, new: Fields, seat: int, kind: str) -> list[list[int]]:
    """The cards of each seat that came to its discards from requests, in order."""
    found = [list(new.discards[who][old.num_discards[who] : new.num_discards[who]]) for who in range(old.seats)]
    if kind == "discard" and new.pass_discard == 0:
        del found[seat][0]
    return found


def _claim(before: Any, old: Fields, place: int, seat: int) -> Fact:
    """A seat has put an open card last on a request."""
    other = int(rules.claim(before, place))
    animal = _animal(old, int(old.request[place]))
    if other in (-1, seat):
        return Fact(key="led_claims", seats=(seat,), values={"animal": animal})
    return Fact(key="led_takes_over", seats=(seat, other), values={"animal": animal})


def _checked(old: Fields, new: Fields, request: int, values: list[int]) -> Fact:
    """A capture, or a failure."""
    found: dict[str, Value] = {
        "animal": _animal(old, request),
        "sum": sum(values),
        "cards": "+".join(map(str, values)),
        "hp": int(old.hp[request]),
    }
    for seat in range(old.seats):
        if request in new.captured[seat][old.num_captured[seat] : new.num_captured[seat]]:
            return Fact(key="led_captures", seats=(seat,), values={**found, "n": int(old.worth[request])})
    seats = [seat for seat in range(old.seats) if new.num_failed[seat] > old.num_failed[seat]]
    (seat,) = [who for who in seats if request in new.failed[who][old.num_failed[who] : new.num_failed[who]]]
    return Fact(key="led_fails", seats=(seat,), values={**found, "n": FAILURE})


def _arrived(new: Fields, request: int) -> Fact:
    """A request that takes the empty place in the row."""
    numbers = {"hp": int(new.hp[request]), "n": int(new.worth[request]), "bang": int(new.bang[request])}
    return Fact(key="led_arrives", values={"animal": _animal(new, request), **numbers})


def _animal(s: Fields, request: int) -> list[str]:
    return [f"request:{request_name(s, request)}"]


def _scores(ended: Any) -> list[int]:
    return [int(rules.score(ended, seat)) for seat in range(ended["seats"])]


def _verdict(ended: Any) -> Fact:
    """Return who won."""
    scores = _scores(ended)
    best = [seat for seat, score in enumerate(scores) if score == max(scores)]
    return Fact(key="result_best" if len(best) == 1 else "result_shared", seats=tuple(best), values={"n": max(scores)})


def result(before: Any, action: int, ended: Any) -> RoundResult:
    """Return how the match ended, and the final check. `before`: the state in which the last action was chosen; `ended`: that
    after it.
    """
    ((text,), seat) = action_texts(before, [action]), int(rules.current_seat(before))
    checked = [fact for fact in led_to(before, [(seat, text)], ended) if fact.key in CHECKS]
    scores, facts = _scores(ended), (_verdict(ended), *checked)
    ended = Fields(ended)
    rows = []
    for seat, score in enumerate(scores):
        lost = FAILURE * int(ended.num_failed[seat])
        points = int(ended.points[seat])
        cells = (Cell(now=score - points + lost), Cell(now=points), Cell(now=-lost), Cell(now=score))
        rows.append(SeatResult(seats=(seat,), cells=cells))
    return RoundResult(facts=facts, columns=COLUMNS, rows=tuple(rows))
