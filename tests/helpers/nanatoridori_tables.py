"""Tables of Nana Toridori for the tests: positions made by hand, matches, and the rules written a second time."""

import random
from collections import Counter

from arena.audit.laws.traces import play_text
from arena.games import load

GAME = load("nanatoridori")
NINE_OF_EACH = Counter({str(value): 9 for value in range(1, 8)})
UNUSED = 37  # cards that a duel does not use


def resolved(seats, **options):
    return GAME.resolve_options(options, seats)


def deal(seed=1, seats=3, **options):
    return GAME.deal(seats, resolved(seats, **options), seed)


def position(states):
    return GAME.text.to_position(states[0])


def masked(states, seat):
    return GAME.text.masked_position(GAME.observed(states, seat)[0], seat)


def legal(states):
    return GAME.text.action_texts(states[0], GAME.legal_list(states))


def copied(states):
    return GAME.from_bytes(states.tobytes())


def cards_in(document):
    """All cards of a position."""
    blocks = [document.get("table"), document.get("beaten")]
    lying = "".join(str(block["value"]) * block["count"] for block in blocks if block)
    texts = [*document["hands"], *document.get("fronts", []), lying]
    texts += [document.get(key) or "" for key in ("stock", "discard", "drawn", "unused")]
    return Counter("".join(texts))


def made(hands, *, table=None, turn=0, passes=0, options=None, discard="", stock=None, round_number=1, **rest):
    """A position from hands such as "12536631"; `table`: (cards, owner). The stock, or in a duel what is not used and the
    discards, hold all other cards; a `stock` that is given leaves them to the discards."""
    seats = len(hands)
    options = options or {}
    variant = resolved(seats, **options)["variant"]
    document = {
        "game": "nanatoridori", "options": options, "seats": seats, "round": round_number, "turn": turn, "phase": "turn",
        "starter": 0, "hands": list(hands), "discard": discard, "passes": passes,
        "table": {"value": int(table[0][0]), "count": len(table[0]), "owner": table[1]} if table else None,
    }  # fmt: skip
    if variant == "advanced":
        document["points"] = [0] * seats
    else:
        document["penguins"] = [2 if variant == "basic" else int(options.get("duel_penguins", 1))] * seats
    if variant == "duel":
        document["fronts"] = ["", ""]
    document |= rest
    left = "".join(sorted((NINE_OF_EACH - cards_in(document)).elements()))
    if variant == "duel":
        document["unused"], document["discard"] = left[:UNUSED], discard + left[UNUSED:]
    elif stock is None:
        document["stock"] = left
    else:
        document["stock"] = stock
        document["discard"] = discard + "".join(sorted((Counter(left) - Counter(stock)).elements()))
    return document


def after(document, *texts):
    states = GAME.text.from_position(document)
    for text in texts:
        play_text(GAME, states, text)
    return states


def ended(variant="basic", **rest):
    """The position after a round of three that seat 1 loses."""
    options = {"variant": variant, **rest.pop("options", {})}
    keys = {"hands": ["", "334", "5"], "table": ("4", 1), "turn": 2, "out": [0], **rest}
    return after(made(keys.pop("hands"), options=options, **keys), "play 0 1")


def view_of(states, seat=None):
    seat = int(GAME.engine.current_seat(states)) if seat is None else seat
    seen = GAME.observed(states, seat)
    return GAME.view(GAME, seen, seat, codes=GAME.legal_list(seen), events=list, clock=None)


def choose(rng, texts):
    """A coin decides whether cards are picked up, as in the reference figures; else any action."""
    if texts[-1] in ("drop", "toss"):
        return texts[-1] if rng.random() < 0.5 else rng.choice(texts[:-1])
    return rng.choice(texts)


def played(seed, seats=3, **options):
    """(position, action text, position after it) of a random match."""
    states, rng = deal(seed, seats, **options), random.Random(seed)
    before = position(states)
    while not GAME.engine.is_terminal(states):
        text = choose(rng, legal(states))
        play_text(GAME, states, text)
        following = position(states)
        yield before, text, following
        before = following


def runs_of(hand):
    """(index, cards) of every maximal run."""
    runs = []
    for at, card in enumerate(hand):
        if runs and hand[at - 1] == card:
            runs[-1] = (runs[-1][0], runs[-1][1] + card)
        else:
            runs.append((at, card))
    return runs


def model_legal(document):
    """The legal list in canonical order, from the words of RULES.md 1.2 and 1.4."""
    turn, hand = document["turn"], document["hands"][document["turn"]]
    if document["phase"] != "turn":
        into, away = ("take", "drop") if document["phase"] == "take" else ("keep", "toss")
        return [f"{into} {gap}" for gap in range(len(hand) + 1)] + [away]
    fronts = document["fronts"][turn] if "fronts" in document else ""
    table, texts = document["table"], []
    for index, cards in runs_of(hand):
        for count in range(1, len(cards) + 1):
            for added in range(fronts.count(cards[0]) + 1):
                if not table or (count + added, int(cards[0])) > (table["count"], table["value"]):
                    texts.append(f"play {index} {count}" + f" +{added}" * (added > 0))
    if table:
        texts += [f"pass {card}" for card in sorted(set(fronts))] or ["pass"]
    return texts


def model_after(document, text):
    """The position that an action leads to, from the words of RULES.md 1.2 to 1.4; the end of a round is left at its last
    play: `turn` is None."""
    after = {key: list(value) if isinstance(value, list) else value for key, value in document.items()}
    turn, (kind, *numbers) = document["turn"], text.replace("+", "").split()
    hand, numbers = document["hands"][turn], [int(number) for number in numbers]
    if kind == "play":
        index, count, added = [*numbers, 0][:3]
        card, table = hand[index], document["table"]
        after["hands"][turn] = hand[:index] + hand[index + count :]
        for _ in range(added):
            after["fronts"][turn] = after["fronts"][turn].replace(card, "", 1)
        after |= {"table": {"value": int(card), "count": count + added, "owner": turn}, "passes": 0}
        if not after["hands"][turn]:
            after["out"].append(turn)
            after["discard"] += block_text(table)
        elif table:
            return after | {"phase": "take", "beaten": {"value": table["value"], "count": table["count"]}}
        return moved_on(after, turn)
    if kind == "pass":
        after["passes"] += 1
        if "fronts" in document:
            if not numbers:
                return moved_on(after | {"out": [1 - turn]}, turn)
            after["fronts"][turn] = after["fronts"][turn].replace(str(numbers[0]), "", 1)
            return after | {"phase": "drawn", "drawn": str(numbers[0])}
        if document["stock"]:
            return after | {"phase": "drawn", "drawn": document["stock"][0], "stock": document["stock"][1:]}
        return passed(after, turn)
    cards = document["drawn"] or block_text(document["beaten"])
    if kind in ("take", "keep"):
        after["hands"][turn] = hand[: numbers[0]] + cards + hand[numbers[0] :]
    else:
        after["discard"] += cards
    after |= {"drawn": None, "beaten": None, "phase": "turn"}
    return moved_on(after, turn) if kind in ("take", "drop") else passed(after, turn)


def block_text(block):
    return str(block["value"]) * block["count"] if block else ""


def seats_after(document, seat):
    """Who still plays, from the left neighbour of `seat` on, that seat last."""
    order = [(seat + step) % document["seats"] for step in range(1, document["seats"] + 1)]
    return [other for other in order if other not in document["out"]]


def moved_on(document, turn):
    if len(document["out"]) == document["seats"] - 1:
        return document | {"turn": None}
    return document | {"turn": seats_after(document, turn)[0]}


def passed(document, turn):
    owner = document["table"]["owner"]
    if document["passes"] < len([seat for seat in seats_after(document, owner) if seat != owner]):
        return moved_on(document, turn)
    leader = owner if owner not in document["out"] else seats_after(document, owner)[0]
    discard = document["discard"] + block_text(document["table"])
    return document | {"discard": discard, "table": None, "passes": 0, "turn": leader}
