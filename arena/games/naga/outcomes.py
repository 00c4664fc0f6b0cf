"""What an action of Naga led to, and how a game ended, for people: the hand that each made, which one won and why, and how
the series stands (RULES.md 2.2 to 2.6).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from arena.engine.outcomes import Cell, Fact, RoundResult, SeatResult
from arena.engine.position import Fields
from arena.games.naga.hands import CATEGORIES_4, CATEGORIES_5, category_of
from arena.games.naga.knowledge import selected
from arena.games.naga.made import CATEGORY_KEYS, MOONS, Made, made, why_better
from arena.games.naga.rules import contest_strength, fields_won
from arena.games.naga.state import ATTRIBUTES, CARDS, ELTAM, GAME_OVER, TIED, TRUMPS
from arena.games.naga.text import closed_position as table
from arena.games.naga.words import field_cards

__all__ = ["hand_fact", "led_to", "result", "table"]


def led_to(before: Any, events: Sequence[tuple[int, str]], after: Any) -> list[Fact]:
    """Return what a designation or the reveal of both hands led to. `before`, `after`: the states as the viewer sees them."""
    old, new = Fields(before), Fields(after)
    if new.num_shown == old.num_shown:
        return []  # a place was designated, or somebody has still to choose
    facts = _compared(before, {seat: text.split(" ")[1:] for seat, text in events}, after)
    return facts + ([_verdict(after)] if new.phase >= GAME_OVER else [])


def _compared(before: Any, chosen: Mapping[int, Sequence[str]], after: Any) -> list[Fact]:
    """Both hands of a contest, which one won, and why. `chosen`: the cards of each seat."""
    place, hands = int(before["place"]), {seat: hand_of(before, cards) for seat, cards in sorted(chosen.items())}
    facts = [hand_fact("led_hand", seat, hand, _trump(place)) for seat, hand in hands.items()]
    return [*facts, _won(Fields(after), place, hands, (fields_won(after, 0), fields_won(after, 1)))]


def hand_of(s: Any, cards: Sequence[str]) -> Made:
    """The hand that these cards make on the contested place. `s`: the state in which they are chosen."""
    fields = Fields(s)
    place = int(fields.place)
    categories = CATEGORIES_5 if place == ELTAM else CATEGORIES_4
    category = categories[category_of(int(contest_strength(s, CARDS.mask(cards), place)))]
    return made([*cards, *field_cards(fields, place)], _trump(place), category, bool(fields.moon_duplicate))


def hand_fact(key: str, seat: int, hand: Made, trump: str) -> Fact:
    """A hand in words: what it is, and what makes it strong."""
    best = hand.best
    terms = {"hand": f"hand_{CATEGORY_KEYS[hand.category]}"}
    if "flush" in hand.category:
        terms["attribute"] = next(card[0] for _, card in hand.ranked if card not in MOONS)
    if hand.category != "none" and (best in MOONS or best[0] == trump):
        key, terms["with"] = f"{key}_with", "with_moon" if best in MOONS else "with_trump"
    return Fact(key=key, seats=(seat,), values={"n": hand.number, "m": hand.other, "card": [best]}, terms=terms)


def _won(new: Fields, place: int, hands: dict[int, Made], cards: tuple[int, int]) -> Fact:
    """Return who got the field cards of a place, and why."""
    terms = {"prize": "prize_three" if place == ELTAM else "prize_one", "place": f"place_{place}"}
    if new.won[place] == TIED:
        return Fact(key="led_tied", terms=terms)
    winner = int(new.won[place]) - 1
    best, other = hands[winner], hands[1 - winner]
    values = {"n": cards[winner], "m": cards[1 - winner]}
    if best.category == other.category:
        why = "because_cards" if new.moon_class or new.none_compare else why_better(best, other)
        return Fact(key="led_won_by", seats=(winner, 1 - winner), values=values, terms={**terms, "why": why})
    names = {"hand": f"name_{CATEGORY_KEYS[best.category]}", "other": f"name_{CATEGORY_KEYS[other.category]}"}
    return Fact(key="led_won", seats=(winner, 1 - winner), values=values, terms={**terms, **names})


def _trump(place: int) -> str:
    return ATTRIBUTES[int(TRUMPS[place])]


def _verdict(ended: Any) -> Fact:
    """Return who won the game."""
    cards = [fields_won(ended, seat) for seat in range(2)]
    if cards[0] == cards[1]:
        return Fact(key="result_drawn", values={"n": cards[0]})
    winner = 0 if cards[0] > cards[1] else 1
    return Fact(key="result_game", seats=(winner,), values={"n": cards[winner], "other": cards[1 - winner]})


def result(before: Any, action: int, ended: Any) -> RoundResult:
    """Return how the game ended, and its last contest. `before`: the state in which the last action was chosen; `ended`: that
    after it.
    """
    cards = [fields_won(ended, seat) for seat in range(2)]
    choices = (int(before["pending"][0]), action)
    chosen = {seat: CARDS.listing(selected(int(before["hand"][seat]), choices[seat])) for seat in range(2)}
    facts = (_verdict(ended), *_compared(before, chosen, ended))
    before, ended = Fields(before), Fields(ended)
    rows = []
    for seat in range(2):
        old, new = int(before.games[seat]), int(ended.games[seat])
        rows.append(SeatResult(seats=(seat,), cells=(Cell(now=cards[seat]), Cell(now=new, change=new - old))))
    return RoundResult(facts=facts, columns=("field_cards", "games_won"), rows=tuple(rows))
