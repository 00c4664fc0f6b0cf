"""What people are told at a table: each card that cannot be played has a reason, which is true, and nothing is forgotten."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, groupby
from typing import Any

import pytest

from arena.engine.game import Game
from arena.engine.random_tables import Table, variants
from arena.games import load
from arena.games.hisatsu.state import DECK
from arena.games.naga.state import CARDS
from arena.reports.pages.words import catalogue, filled
from arena.reports.table import LANGUAGES
from arena.server.table_process.broadcaster import known_cards, refusals
from arena.server.table_process.messages import Refusal

Document = dict[str, Any]
Groups = dict[tuple[str, int | None], dict[str, int]]
"""Title and seat, then how many of each card."""

DECISIONS = 240
"""How far a match is played."""
ALL, SOME = 60, 7
"""So many decisions are all looked at, and one in SOME of the later ones."""


@dataclass
class DecisionContext:
    """A decision, and all that its seat has seen of the round so far."""

    view: Any
    legal: list[str]
    seen: list[Document]
    """What the seat saw at each decision of the round, this one last."""
    heard: list[tuple[int, str]]
    """What happened after each of these but the last one."""

    @property
    def position(self) -> Document:
        return self.seen[-1]

    def __str__(self) -> str:
        return f"seat {self.view.seat}, legal {self.legal}: {self.position}"


@pytest.mark.parametrize("game", ["naga", "hisatsu", "nanatoridori"])
def test_every_card_that_cannot_be_played_has_a_true_reason(game: str) -> None:
    words, rules = catalogue(game), _headings(load(game))
    given = Counter[str]()
    for moment in _moments(game):
        reasons = refusals(moment.view)
        REASONS[game](moment, reasons)
        assert len({(reason.zone, reason.card, reason.to) for reason in reasons}) == len(reasons), moment
        for reason in reasons:
            given[reason.why] += 1
            assert all(reason.rule in numbers for numbers in rules), reason
            values = {key: "x" if isinstance(value, list) else value for key, value in reason.values.items()}
            assert all("{" not in filled(words[language][reason.why], values) for language in LANGUAGES), reason
    reasons_there_are = {key for key in words["en"] if key.startswith("why_")}
    assert set(given) == reasons_there_are, "each reason is given at some time"


@pytest.mark.parametrize("game", ["naga", "hisatsu", "nanatoridori"])
def test_what_is_known_equals_a_recount_of_what_the_seat_saw(game: str) -> None:
    titles = set()
    for moment in _moments(game):
        groups = known_cards(moment.view)
        found = {(group.title, group.seat): dict(group.cards) for group in groups}
        assert len(found) == len(groups) and all(found.values()), moment
        assert found == {key: cards for key, cards in RECOUNTS[game](moment).items() if cards}, moment
        titles |= {group.title for group in groups}
    assert titles == {key for key in catalogue(game)["en"] if key.startswith("known_")}


def _naga_reasons(moment: DecisionContext, reasons: list[Refusal]) -> None:
    position, hand = moment.position, f"hand-{moment.view.seat}"
    cards = set(position["hands"][moment.view.seat])
    playable = {card for action in moment.legal if action.startswith("select") for card in action.split()[1:]}
    assert {reason.card for reason in reasons if reason.zone == hand} == cards - playable, moment
    for reason in reasons:
        assert position["phase"] == "designate" and not reason.to, moment
        place = reason.zone.removeprefix("place-")
        if reason.why == "why_designate":
            assert reason.zone == hand
        else:
            assert reason.card in position["places"][place] and f"field {place}" not in moment.legal, moment
            assert place == "4" if reason.why == "why_eltam" else place in position["won"], moment


def _hisatsu_reasons(moment: DecisionContext, reasons: list[Refusal]) -> None:
    position, seat = moment.position, moment.view.seat
    assert all(f"discard {value}" in moment.legal for value in position["hands"][seat]), "no card is refused altogether"
    with_chips = {place: slot for place, slot in enumerate(position["row"]) if slot and slot["chips"]}
    expected = {(f"slot-{place}", f"request:{slot['name']}") for place, slot in with_chips.items()}
    found = {(reason.to, *reason.values["animal"]) for reason in reasons}
    assert found == (expected if "7" in position["hands"][seat] else set()), moment
    assert all((reason.zone, reason.card) == (f"hand-{seat}", f"{seat}:7") for reason in reasons)
    assert not any(f"place 7 {place}" in moment.legal for place in with_chips), moment


def _nanatoridori_reasons(moment: DecisionContext, reasons: list[Refusal]) -> None:
    position, seat = moment.position, moment.view.seat
    hand, fronts = position["hands"][seat], position.get("fronts", [""] * 6)[seat]
    found = {(reason.zone.split("-")[0], reason.card): reason for reason in reasons}
    runs, at = [], 0
    for value, cards in groupby(hand):
        size = len(list(cards))
        runs.append((value, size, any(action.startswith(f"play {at} ") for action in moment.legal)))
        at += size
    weak = {value for value, _, is_playable in runs if not is_playable}
    usable = {value for value in fronts if f"pass {value}" in moment.legal} | {
        hand[int(action.split()[1])] for action in moment.legal if "+" in action
    }
    assert set(found) == {("hand", value) for value in weak} | {("front", value) for value in set(fronts) - usable}, moment
    for (zone, value), reason in found.items():
        sizes = [size for text, size, is_playable in runs if text == value and not is_playable]
        _check_nanatoridori_reason(reason, position, (hand + fronts).count(value), max(sizes, default=0) + fronts.count(value))
        assert zone == "hand" or reason.why in ("why_front", "why_beaten", "why_drawn"), moment
        assert reason.why != "why_front" or (position["table"] is None and value not in hand), moment


def _check_nanatoridori_reason(reason: Refusal, position: Document, total: int, longest: int) -> None:
    values, where = reason.values, f"{reason}: {position}"
    if reason.why == "why_beaten":
        assert (
            position["phase"] == "take" and values["beaten"] == str(position["beaten"]["value"]) * position["beaten"]["count"]
        ), where
    elif reason.why == "why_drawn":
        assert position["phase"] == "drawn" and values["drawn"] == position["drawn"], where
    elif reason.why != "why_front":
        table, value = position["table"], int(reason.card)
        needed = next(size for size in range(1, 64) if (size, value) > (table["count"], table["value"]))
        assert values["needed"] == needed and values["table"] == str(table["value"]) * table["count"], where
        assert values["own"] == reason.card * longest and longest < needed and values["value"] == reason.card, where
        is_apart, is_equal = total >= needed, longest == table["count"]
        assert reason.why == ("why_apart" if is_apart else "why_low" if is_equal else "why_few"), where


def _naga_recount(moment: DecisionContext) -> Groups:
    played = [card for _, text in moment.heard if text.startswith("select") for card in text.split()[1:]]
    field_cards = [card for cards in moment.position["places"].values() for card in cards]
    seen = {*played, *field_cards, *moment.position["hands"][moment.view.seat]}
    unseen = {card: 1 for card in CARDS.texts if card not in seen}
    title = ("known_unseen", None) if moment.position["stock"] else ("known_hand", 1 - moment.view.seat)
    return {title: unseen, ("known_played", None): dict.fromkeys(played, 1)}


def _hisatsu_recount(moment: DecisionContext) -> Groups:
    open_cards: dict[int, set[int]] = {seat: set() for seat in range(moment.position["seats"])}
    requests: set[str] = set()
    for position in moment.seen:
        row = [slot for slot in position["row"] if slot]
        requests.update((slot["name"] for slot in row), *position["captured"], *position["failed"])
        for owner, value, side in (card for slot in row for card in slot["cards"]):
            if side == "up":
                open_cards[owner].add(value)
        for seat, discards in enumerate(position["discards"]):
            open_cards[seat].update(map(int, discards))
    deck = [row[0] for row in moment.position.get("deck", [])] or [row[0] for row in DECK.default]
    found: Groups = {("known_stock", None): {f"request:{name}": 1 for name in deck if name not in requests}}
    for seat in range(moment.position["seats"]):
        if seat != moment.view.seat:
            unseen = {value for value in range(1, 8) if value not in open_cards[seat]}
            certain = _certainly_in_hand(moment.position, seat, unseen)
            found["known_hand", seat] = {f"{seat}:{value}": 1 for value in certain}
            if certain != unseen:
                found["known_unseen", seat] = {f"{seat}:{value}": 1 for value in unseen}
    return found


def _certainly_in_hand(position: Document, seat: int, unseen: set[int]) -> set[int]:
    """The cards that are in the hand wherever the unseen ones lie; a face-down card in the row is no 7."""
    hidden = sum(card[0] == seat and card[2] == "down" for slot in position["row"] if slot for card in slot["cards"])
    passed = len(position.get("passed", [""] * position["seats"])[seat])
    certain = set(unseen)
    for down in combinations(unseen - {7}, hidden):
        for away in combinations(unseen - set(down), passed):
            certain &= unseen - set(down) - set(away)
    return certain


def _nanatoridori_recount(moment: DecisionContext) -> Groups:
    position, seat = moment.position, moment.view.seat
    blocks: dict[int, list[tuple[str, int]]] = {other: [] for other in range(position["seats"])}
    for before, (who, text) in zip(moment.seen, moment.heard, strict=False):
        kind, *rest = text.split()
        if kind == "take":
            blocks[who].append((str(before["beaten"]["value"]), before["beaten"]["count"]))
        if kind == "keep" and before["drawn"] not in ("?", None) and "fronts" in before and before["options"]["front_visible"]:
            blocks[who].append((before["drawn"], 1))
        if kind == "play" and who != seat:
            _take_out(blocks[who], rest[-1], int(rest[1]))
    unseen = Counter({str(value): 9 for value in range(1, 8)})
    table, beaten = (position[name] for name in ("table", "beaten"))
    open_cards = position["hands"][seat] + position["discard"] + "".join(position.get("fronts", [])) + (position["drawn"] or "")
    unseen.subtract(open_cards.replace("?", ""))
    for block in (table, beaten):
        unseen[str(block["value"]) if block else "1"] -= block["count"] if block else 0
    found: Groups = {}
    for other in range(position["seats"]):
        if other != seat:
            unseen.subtract("".join(value * size for value, size in blocks[other]))
            found["known_hand", other] = dict(_summed(blocks[other]))
    found["known_unseen", None] = {value: count for value, count in unseen.items() if count}
    found["known_discards", None] = dict(Counter(position["discard"]))
    return found


def _take_out(blocks: list[tuple[str, int]], value: str, count: int) -> None:
    """Cards that are played are a known block of just that size; else they come out of the largest ones (RULES.md 1.5)."""
    if (value, count) in blocks:
        blocks.remove((value, count))
        return
    while count and (own := [size for text, size in blocks if text == value]):
        largest = max(own)
        blocks.remove((value, largest))
        if largest > count:
            blocks.append((value, largest - count))
        count = max(0, count - largest)


def _summed(blocks: list[tuple[str, int]]) -> Counter[str]:
    total = Counter[str]()
    for value, size in blocks:
        total[value] += size
    return total


REASONS: dict[str, Callable[[DecisionContext, list[Refusal]], None]] = {
    "naga": _naga_reasons,
    "hisatsu": _hisatsu_reasons,
    "nanatoridori": _nanatoridori_reasons,
}
RECOUNTS: dict[str, Callable[[DecisionContext], Groups]] = {
    "naga": _naga_recount,
    "hisatsu": _hisatsu_recount,
    "nanatoridori": _nanatoridori_recount,
}


@cache
def _moments(game: str) -> list[DecisionContext]:
    """Decisions of one seat in random matches of every variant and seat count."""
    loaded = load(game)
    tables = [Table(loaded, seats, options, 3 * seats) for seats in loaded.seats for options in variants(loaded, seats)]
    return [moment for number, table in enumerate(tables) for moment in _moments_of(table, number % table.seats)]


def _moments_of(table: Table, seat: int) -> Iterator[DecisionContext]:
    game, rng, states = table.game, random.Random(table.seed), table.deal()
    seen: list[Document] = []
    heard: list[tuple[int, str]] = []
    for number in range(DECISIONS):
        if game.engine.is_terminal(states):
            return
        observed = game.observed(states, seat)
        position = game.text.masked_position(observed[0], seat)
        if seen and position["round"] != seen[-1]["round"]:
            seen, heard = [], []
        seen.append(position)
        codes = game.legal_list(states)
        if game.engine.current_seat(states) == seat and (number < ALL or number % SOME == 0):
            view = game.view(game, observed, seat, codes=codes, events=list, clock=None)
            yield DecisionContext(view, game.text.action_texts(states[0], codes), list(seen), list(heard))
        action = rng.choice(codes)
        told = game.engine.seen_action(states, action, seat)
        heard += game.text.event_texts(observed[0], told) if told else [(-1, "")]
        game.engine.advance(states, action)


def _headings(game: Game) -> list[set[str]]:
    """The numbers of the sections in each language."""
    texts = [(game.folder / name).read_text("utf-8") for name in ("RULES.md", "RULES.ja.md")]
    return [set(re.findall(r"^## (\d+\.\d+) ", text, re.MULTILINE)) for text in texts]
