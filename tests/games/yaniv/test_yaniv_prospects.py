"""What the features of an action at Yaniv say of the own next turn: worked examples, and a count over all unseen cards."""

import math
from collections import Counter

import pytest

from arena.games.yaniv.encoding import THRIFT
from arena.games.yaniv.prospects import WAY
from helpers.views import action_planes
from helpers.yaniv_tables import GAME, after, deck, made, played, value
from helpers.yaniv_tables import POINTS as OF_CARD

UNSEEN = "S2 H9 CK"  # in the stock; the other seat hides CT, which the seat cannot tell from these
EXAMPLE = made(["H3 S3 D9", "CT"], stock=UNSEEN)
TAKEN = "0"  # openly, as all have seen
POINTS, REST, LEFT, MAY_CALL, SUCCEEDS, MAY_CALL_LATER, SUCCEEDS_LATER = range(7)
BY_STOCK, BY_OTHER, BEHIND = 0, WAY, 2 * WAY


def prospects(document):
    return {text: row["prospects"] for text, row in action_planes(after(document), GAME).items()}


def likely(points):
    """How likely a card of so many points is to be held before the first turn, but for a factor."""
    return math.exp(-THRIFT * 0.5 / 5.0 * points)


def test_a_discard_promises_the_mean_over_all_cards_that_may_come():
    """With the nine that stays, S2 makes 11 points, of which 2 stay after the next discard; H9 a pair; CK and CT 19 and 9."""
    found = prospects(EXAMPLE)["discard S3 H3"][BY_STOCK:]
    assert found[POINTS] * 50 == pytest.approx((11 + 18 + 19 + 19) / 4)
    assert found[REST] * 50 == pytest.approx((2 + 0 + 9 + 9) / 4)
    assert found[LEFT] * 5 == pytest.approx((1 + 0 + 1 + 1) / 4)
    assert found[MAY_CALL] == 0 and found[MAY_CALL_LATER] == pytest.approx(2 / 4)
    has_more_than_two = 1 - likely(2) / (likely(2) + likely(9) + 2 * likely(10))
    assert found[SUCCEEDS_LATER] == pytest.approx((has_more_than_two + 1) / 4, abs=1e-6)


def test_a_discard_also_promises_the_better_open_card():
    found = prospects(EXAMPLE)["discard S3 H3"][BY_OTHER:]
    assert found[POINTS] * 50 == pytest.approx(9 + 10) and found[REST] * 50 == pytest.approx(9)  # CJ, laid at once
    found = prospects(made(["H3 S3 D9", "CT"], previous="C6 C7 C8", stock=UNSEEN))["discard S3 H3"][BY_OTHER:]
    assert found[POINTS] * 50 == pytest.approx(9 + 6)  # C6 costs less than C8


def test_a_call_shows_the_hand_as_it_is():
    found = prospects(made(["SA H2", "CT"], stock=UNSEEN))["call"]
    assert found[:BY_OTHER] == [0] * WAY and found[BEHIND] == 0
    assert found[BY_OTHER + POINTS] * 50 == pytest.approx(3) and found[BY_OTHER + MAY_CALL] == 1
    chance = 1 - likely(2) / (likely(2) + likely(9) + 2 * likely(10))  # of the unseen cards only S2 is as little
    assert found[BY_OTHER + SUCCEEDS] == pytest.approx(chance, abs=1e-6)


def test_a_draw_shows_its_own_way_alone_and_the_better_one_is_behind_none():
    found = prospects(made(["D9", "CT"], previous="S9", laid="S3", stock=UNSEEN, phase="draw"))
    stock, first = found["draw stock"], found["draw first"]
    assert stock[BY_STOCK + POINTS] * 50 == pytest.approx((11 + 18 + 19 + 19) / 4)
    assert stock[BY_OTHER:BEHIND] == first[:BY_OTHER] == [0] * WAY
    assert first[BY_OTHER + POINTS] * 50 == pytest.approx(18) and first[BY_OTHER + LEFT] == 0
    assert first[BEHIND] == 0 < stock[BEHIND]


def test_a_slap_shows_the_hand_without_the_card_that_was_drawn():
    slap = made(["S7 C2", "D2"], previous="S2", laid="H7", phase="slap", drawn="S7", options={"slap_down": True})
    found = {text: round(row[BY_OTHER + POINTS] * 50) for text, row in prospects(slap).items()}
    assert sorted(found.values()) == [2, 9]


@pytest.mark.parametrize(("seats", "options"), [(2, {}), (3, {"decks": 2}), (4, {"slap_down": True, "joker_pair": True})])
def test_unseen_cards_are_all_but_those_that_the_seat_can_place(seats, options):
    """By what a position of a random match tells its seats, counted anew."""
    seen = 0
    for before, _, _ in played(7, seats, **options):
        turn, memory = before["turn"], before["memory"] or {}
        if before["phase"] != "start" or memory.get("reshuffles"):
            continue
        hand = before["hands"][turn]
        lying = Counter(before["buried"] + before["previous"] + hand)
        placed = Counter(
            card
            for seat, origins in enumerate(memory.get("origins", []))
            for card, origin in zip(before["hands"][seat], origins, strict=True)
            if seat != turn and origin == TAKEN
        )
        unseen = list((Counter(deck(options.get("decks", 1))) - lying - placed).elements())
        for text, found in prospects(before).items():
            if text.startswith("discard"):
                rest = value(hand) - value(text.split()[1:])
                mean = rest + sum(OF_CARD[card] for card in unseen) / len(unseen) if unseen else 0.0
                assert found[POINTS] * 50 == pytest.approx(mean, abs=1e-4)
                seen += 1
    assert seen > 50
