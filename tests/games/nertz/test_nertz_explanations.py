"""What people are told at a table of Nertz, held against the rules as they are told here again, in a few lines."""

import random
from collections.abc import Iterator
from typing import Any

from arena.audit.laws.traces import play_text
from arena.engine.game import States
from arena.games.nertz.explanations import known, refusals
from helpers.nertz_tables import DECK, GAME, RANKS, Position, deal, legal, masked
from helpers.views import view_of, views

MATCHES = 25


def test_each_own_open_card_is_playable_or_refused_for_a_true_reason() -> None:
    reasons = set()
    for table, view in views(GAME, MATCHES):
        position, unit = view.position, view.unit
        told = {(zone, card): (why, values) for zone, card, why, _rule, values in refusals(view)}
        is_busy = any(since is not None for since in (position["memory"] or {}).get("since", [])[view.seat : view.seat + 1])
        for zone, card in open_cards(position, unit):
            where = f"{card} in {zone}: {told.get((zone, f'{unit}:{card}'))}: {position} ({table})"
            is_playable = not is_busy and can_be_played(position, unit, zone, card)
            assert is_playable == ((zone, f"{unit}:{card}") not in told), where
            if not is_playable:
                why, values = told.pop((zone, f"{unit}:{card}"))
                reasons.add(why)
                assert is_busy if why == "why_busy" else REASONS[why](position, unit, card, values), where
        assert not told, f"refused without being there: {told} ({table})"
    assert reasons == {*REASONS, "why_busy"} - {"why_run_king"} | reasons & {"why_run_king"}


def test_unseen_cards_are_those_that_never_lay_open() -> None:
    """Counted by somebody who looks on and writes down every own card that lies open."""
    for seed in range(4):
        states, rng = deal(seed, seats=2), random.Random(seed)
        seen: set[str] = set()
        for tick in range(120):
            position = masked(states, 0)
            seen |= own_cards(position, 0)
            if tick % 5 == 0:
                told = groups(view_of(GAME, states, 0))
                assert told.get("known_unseen", []) == [f"0:{card}" for card in ordered(set(DECK) - seen)]
                stock = [card for card in position["units"][0]["stock"] if card != "?"]
                assert sorted(told.get("known_stock", [])) == sorted(f"0:{card}" for card in stock)
            for _seat in range(2):
                play(states, rng.choice(legal(states)))


def test_the_next_flips_come_as_they_are_foretold() -> None:
    states = deal(3, seats=2)
    for _ in range(17):  # through the stock once, and into it again
        play(states, "flip", "flip")
    told = groups(view_of(GAME, states, 0))["known_flips"]
    assert told
    for card in told:
        play(states, "flip", "flip")
        assert f"0:{masked(states, 0)['units'][0]['waste'][-1]}" == card


def test_of_rivals_the_cards_are_known_that_lay_on_top_of_their_waste() -> None:
    states = deal(5, seats=3)
    tops: list[set[str]] = [set(), set(), set()]
    for _ in range(15):
        play(states, "flip", "flip", "flip")
        units = masked(states, 0)["units"]
        for unit, layout in enumerate(units):
            tops[unit] |= {f"{unit}:{card}" for card in layout["waste"][-1:]}
    told = groups(view_of(GAME, states, 0))
    for unit in (1, 2):
        assert set(told[f"known_rival {unit}"]) == tops[unit] - {f"{unit}:{card}" for card in units[unit]["waste"][-1:]}


def play(states: States, *texts: str) -> None:
    for text in texts:
        play_text(GAME, states, text)


def groups(view: Any) -> dict[str, list[str]]:
    return {
        title if seat is None else f"{title} {seat}": [card for card, _count in cards] for title, cards, seat in known(view)
    }


def ordered(cards: set[str]) -> list[str]:
    return sorted(cards, key=lambda card: (RANKS.index(card[1]), "SHDC".index(card[0])))


def open_cards(position: Position, unit: int) -> Iterator[tuple[str, str]]:
    layout = position["units"][unit]
    yield from ((f"nertz-{unit}", card) for card in layout["nertz"][-1:])
    yield from ((f"waste-{unit}", card) for card in layout["waste"] if card != "?")
    for pile, cards in enumerate(layout["work"]):
        yield from ((f"work-{unit}-{pile}", card) for card in cards)


def own_cards(position: Position, unit: int) -> set[str]:
    """The cards of a unit that lie open anywhere, and those in its stock that are known."""
    piles = position["foundations"]
    laid = {pile["suit"] + RANKS[rank] for pile in piles for rank, who in enumerate(pile["units"]) if who == unit}
    return laid | {card for _zone, card in open_cards(position, unit)}


def can_be_played(position: Position, unit: int, zone: str, card: str) -> bool:
    """Whether some move takes the card, alone or with others (the rules, 4.2)."""
    layout = position["units"][unit]
    if not zone.startswith("work"):
        pile = layout[zone.split("-")[0]]
        is_top = pile[-1] == card
        return is_top and (foundation_takes(position, card) or any(not work or fits(card, work[-1]) for work in layout["work"]))
    own = layout["work"][int(zone[-1])]
    others = [work for number, work in enumerate(layout["work"]) if number != int(zone[-1])]
    options = position["options"]
    if own[-1] == card and (foundation_takes(position, card) or (options["empty_from_work"] and len(own) > 1 and [] in others)):
        return True
    heads = own[: own.index(card) + 1] if options["partial_moves"] else own[:1]
    return any(work and fits(head, work[-1]) for head in heads for work in others)


def foundation_takes(position: Position, card: str) -> bool:
    size = RANKS.index(card[1])
    return size == 0 or any(pile["suit"] == card[0] and len(pile["units"]) == size for pile in position["foundations"])


def fits(card: str, on: str) -> bool:
    return RANKS.index(on[1]) == RANKS.index(card[1]) + 1 and (card[0] in "HD") != (on[0] in "HD")


def tops(position: Position, unit: int) -> list[str]:
    return [work[-1] for work in position["units"][unit]["work"] if work]


def slots(position: Position, unit: int) -> bool:
    return [] in position["units"][unit]["work"]


def pile_of(position: Position, unit: int, card: str) -> list[str]:
    return next((work for work in position["units"][unit]["work"] if card in work), [])


def on_foundations(position: Position) -> set[str]:
    return {pile["suit"] + RANKS[len(pile["units"]) - 1] for pile in position["foundations"]}


def _named(cards: list[str]) -> set[str]:
    return {card.rpartition(":")[2] for card in cards}


REASONS = {
    "why_under_waste": lambda position, unit, card, values: (
        card in position["units"][unit]["waste"][:-1] and _named(values["top"]) == {position["units"][unit]["waste"][-1]}
    ),
    "why_covered": lambda position, unit, card, values: (
        foundation_takes(position, card) and _named(values["top"]) == {pile_of(position, unit, card)[-1]} != {card}
    ),
    "why_whole_pile": lambda position, unit, card, values: (
        not position["options"]["partial_moves"]
        and pile_of(position, unit, card)[0] != card
        and any(fits(card, top) for top in tops(position, unit))
    ),
    "why_slot": lambda position, unit, card, values: (
        slots(position, unit) and not position["options"]["empty_from_work"] and card in pile_of(position, unit, card)
    ),
    "why_king": lambda position, unit, card, values: (
        card[1] == "K" and not _named(values["below"]) & on_foundations(position) and card == _named(values["card"]).pop()
    ),
    "why_fits_nowhere": lambda position, unit, card, values: (
        not _named(values["below"]) & on_foundations(position)
        and not set(values["on"]) & set(tops(position, unit))
        and all(fits(card, host) for host in values["on"])
        and len(values["on"]) == 2
    ),
    "why_run": lambda position, unit, card, values: (
        not set(values["on"]) & set(tops(position, unit))
        and len([host for host in values["on"] if fits(card, host)]) == 2
        and pile_of(position, unit, card)[-1] != card
    ),
    "why_run_king": lambda position, unit, card, values: card[1] == "K" and pile_of(position, unit, card)[-1] != card,
}
"""Why, whether it is so."""
