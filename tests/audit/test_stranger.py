"""What a stranger's program works out from the texts is what this program deals, seeds and plans: both hold `stranger.jsonl`.

A change that is meant to change deals or plans writes the vectors anew:
`python tests/audit/test_stranger.py`.
"""

import json
import random
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena import games
from arena.audit.laws.traces import trace_lines
from arena.engine import rng
from arena.match import seeds
from arena.match.faults import FaultPolicy
from arena.records import Clock, Limits
from arena.tournament.formats.compare import Compare
from arena.tournament.formats.format import Format
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.ladder.state import Leg
from arena.tournament.formats.plan import ALL, CYCLIC, Contestant, Entry, Plan
from arena.tournament.formats.round_robin import RoundRobin
from arena.tournament.formats.swiss import Swiss

PROGRAM = Path(__file__).with_name("stranger.py")
VECTORS = Path(__file__).with_name("stranger.jsonl")
SEED = 0x0123456789ABCDEF_FEDCBA9876543210
SHOWN = 9  # matches of a plan, from its begin to its end
POSITIONS = 3  # as dealt, of each game and variant

Case = dict[str, Any]

DEALS: list[tuple[str, int, dict[str, Any]]] = [
    ("naga", 2, {"series": "games:3", "draw_parent": "swap"}),
    ("nanatoridori", 2, {"duel_penguins": 2}),
    *(("nanatoridori", seats, {"next_start": "random"}) for seats in (3, 4, 5, 6)),
    ("nanatoridori", 3, {"variant": "advanced", "next_start": "winner"}),
    *(("hisatsu", seats, {}) for seats in (3, 4, 5)),
    ("hisatsu", 3, {"deck": [["Wüstenfuchs", 1, 5, 2], *([f"beast {number}", 0, 4, 1] for number in range(11))]}),
    *(("nertz", seats, {"max_rounds": 2}) for seats in (2, 3, 4, 5, 6, 8, 10, 12)),
    ("nertz", 6, {"teams": True, "max_rounds": 2}),
    *(("yaniv", seats, {}) for seats in range(2, 11)),
    ("yaniv", 5, {"decks": 1}),
    ("yaniv", 3, {"decks": 2, "mode": "elim201"}),
    ("yaniv", 4, {"mode": "elim201", "limit": 60}),
]
"""Every number of seats and every variant that has a deck, or a way of dealing, of its own."""


def made() -> Iterator[Case]:
    """All vectors, as this program finds them."""
    yield from _keys()
    yield from _streams()
    for number, (game, seats, given) in enumerate(DEALS):
        yield from _dealt(game, seats, given, seed=SEED + number)
    for plan in _plans():
        yield _planned(plan)


def _keys() -> Iterator[Case]:
    for seed in (0, 20161121):
        key = seeds.key_from_seed(seed)
        yield {"check": "key", "seed": seed, "key": key.hex(), "commitment": seeds.commitment(key)}
    last = seeds.key_from_seed(7)
    for leg in (0, 1, seeds.CHAIN_KEYS - 1):
        key = seeds.newest_key(last, leg + 1)
        yield {"check": "key", "seed": 7, "leg": leg, "key": key.hex(), "commitment": seeds.commitment(key)}
    key = seeds.key_from_seed(1)
    for path in (["deal", "yaniv", 2, "0123456789abcdef", 5], ["bot", "0f" * 12, 1], ["table", "naga", 2, '{"ä":1}', 0]):
        yield {"check": "seed", "key": key.hex(), "path": path, "derived": _hex(rng.derive(key, *path))}


def _streams() -> Iterator[Case]:
    words, named = rng.seed_words(SEED).astype(np.uint32), {"seed": _hex(SEED)}
    for at in ([1, 1, 0], [3, 2, 70_000]):
        stream = np.zeros(2 * 16, np.int64)
        rng._start(stream, words, *at)
        blocks = []
        for _ in range(2):
            rng._next_block(stream)
            blocks += stream[16:].tolist()
        yield {"check": "stream", **named, "at": at, "words": blocks}
    bounds = [1, 2, 3, 10, 51, 2**31 - 1, 3 << 30, (1 << 31) + 1]  # of the last two, one word in two or four is taken again
    drawn = [rng.draw_below(bound, words, 4, 2, 1) for bound in bounds]
    yield {"check": "draw", **named, "at": [4, 2, 1], "below": bounds, "drawn": drawn}
    for count in (1, 2, 5, 6, 51, 108):
        cards = np.arange(count, dtype=np.int8)
        rng.shuffle(cards, count, words, 2, 3, 4)
        yield {"check": "shuffle", **named, "at": [2, 3, 4], "order": cards.tolist()}
    fast, small = np.zeros(4, np.int64), [6, 1, 1 << 30, 1000, 3, 2**31 - 1] * 3
    rng.seed_fast(fast, rng.seed_words(SEED))
    yield {"check": "sfc32", **named, "below": small, "drawn": [rng.below(fast, bound) for bound in small]}
    fallback = random.Random(SEED)
    counts = [1, 2, 29, 10, 1, 7]
    yield {"check": "fallback", **named, "below": counts, "drawn": [fallback.randrange(count) for count in counts]}


def _dealt(name: str, seats: int, given: dict[str, Any], seed: int) -> Iterator[Case]:
    """Positions as they were dealt, and what is drawn on the way, in a match of random actions."""
    game = games.load(name)
    lines = map(json.loads, islice(trace_lines(game, seats, game.resolve_options(given, seats), seed), 1, None))
    left, ticks, reshuffles = POSITIONS, 2, 0
    before: Case = {}
    for line in lines:
        if "places" in line:
            return
        position = line["position"]
        is_new = not before or position["round"] != before["position"]["round"]
        if is_new:
            reshuffles = 0
        later = name == "naga" and position["round"] == 1 and position["phase"] == "designate" and position["contest"] in (3, 7)
        if (left and is_new) or later:
            left -= is_new
            yield {"check": "dealt", "dealt": position}
        if name == "yaniv" and not is_new and before["action"] == "draw stock" and not before["position"]["stock"]:
            yield from _reshuffled(before["position"], position, reshuffles)
            reshuffles += 1
        if name == "nertz" and position["turn"] == 0 and position["tick"] in (1, 300) and ticks:
            ticks -= 1
            at = {"seed": position["rng"], "round": position["round"], "tick": position["tick"]}
            yield {"check": "priority", **at, "priority": position["priority"]}
        if position["round"] == (2 if name == "nertz" else POSITIONS) and not (name == "nertz" and ticks):
            return  # nothing of what comes later is a vector
        before = line


def _reshuffled(before: Case, after: Case, number: int) -> Iterator[Case]:
    """The stock of Yaniv after the `number`-th reshuffle of a round, with the card that was drawn from it at once."""
    if number < 2 and before["round"] < 3:
        seat = before["turn"]
        hand = list(before["hands"][seat])
        (drawn,) = [card for card in after["hands"][seat] if card not in hand or hand.remove(card)]
        at = {"seed": before["rng"], "round": before["round"], "number": number}
        yield {"check": "reshuffle", **at, "buried": before["buried"], "stock": [drawn, *after["stock"]]}


def _entry(game: str, seats: int, deals: int, **given: Any) -> Entry:
    loaded = games.load(game)
    return Entry(
        game=game, rules_version=loaded.rules.VERSION, seats=seats, options=loaded.resolve_options(given, seats), deals=deals,
        pool=f"{game}-{seats}",
    )  # fmt: skip


def _plan(format: Format, entries: list[Entry], bots: int, *, rotations: str = CYCLIC, seed: int | None = 3) -> Plan:
    every = tuple(sorted({entry.game for entry in entries}))
    contestants = [
        Contestant(
            name=f"bot{number}",
            sha256=f"{number:064x}",
            games=every if number != 1 else every[:1],  # one of them plays one game alone
            params={"größe": [number, 0.5, True, None]} if number % 2 else {},
        )
        for number in range(bots)
    ]
    key = bytes(range(32)) if seed is None else seeds.key_from_seed(seed)
    return Plan(
        entries=tuple(entries), contestants=tuple(contestants), rotations=rotations, clock=Clock(1, 10),
        limits=Limits(memory=1), faults=FaultPolicy(), key=key, seed=seed, format=format,
    )  # fmt: skip


def _plans() -> Iterator[Plan]:
    several = [_entry("naga", 2, 3), _entry("yaniv", 3, 2)]
    deck = [["Wüstenfuchs", 1, 5, 2], ["beast", 0, 4, 1]]
    yield _plan(RoundRobin(), several, 5)
    yield _plan(RoundRobin(), [_entry("hisatsu", 3, 2, deck=deck)], 4, rotations=ALL, seed=None)
    yield _plan(RoundRobin(1), [_entry("yaniv", 3, 3)], 9)
    yield _plan(RoundRobin(2), [_entry("nanatoridori", 4, 2), _entry("nanatoridori", 3, 2)], 12)
    yield _plan(Gauntlet((4, 0)), [_entry("yaniv", 3, 2)], 5)
    yield _plan(Compare((2, 0), 0.05, 0.1), [_entry("naga", 2, 4)], 3)
    yield _plan(Compare((1, 2), 0.05, 0.1), [_entry("nanatoridori", 4, 6), _entry("nanatoridori", 3, 6)], 6, seed=None)
    yield _plan(Compare((0, 3), 0.05, 0.1), [_entry("yaniv", 3, 3)], 4, rotations=ALL)
    yield _plan(Compare((0, 3), 0.05, 0.1), [_entry("nertz", 6, 4, teams=True)], 7)
    swiss = _plan(Swiss(2), several, 6)
    yield swiss.add_stage([(0, (0, 3)), (0, (4, 2)), (1, (5, 0, 2))]).add_stage([(1, (4, 3, 2)), (0, (1, 5)), (0, (2, 0))])
    last = seeds.key_from_seed(3)
    legs = (Leg(0, (0, 1, 2), 1.0, True, 99), Leg(1, (0, 1, 2, 3, 4), 1.0, True, 99), Leg(3, (0, 1), 1.0, True, 99))
    ladder = _plan(Ladder(legs), several, 5)
    for tables in ([(0, (2, 1))], [(1, (0, 4, 3))], [(0, (0, 4)), (1, (2, 3, 0))], [(0, (1, 0))]):
        ladder = ladder.add_stage(tables)
    yield Plan(**{**{name: getattr(ladder, name) for name in Plan.__struct_fields__}, "key": seeds.newest_key(last, len(legs))})


def _planned(plan: Plan) -> Case:
    indices = sorted({round(number * (len(plan) - 1) / (SHOWN - 1)) for number in range(SHOWN)})
    matches = []
    for index in indices:
        setup = plan.setup(index)
        matches.append(
            {
                "index": index,
                "match_id": setup.match_id,
                "entry": plan.entry_of(index),
                "deal": setup.deal,
                "bots": [player.bot for player in setup.players],
                "deal_seed": _hex(setup.deal_seed),
                "bot_seeds": [_hex(seed) for seed in setup.bot_seeds],
                "fallback_seeds": [_hex(seed) for seed in setup.fallback_seeds],
            }
        )
    return {"check": "plan", "config": plan.document, "key": plan.key.hex(), "length": len(plan), "matches": matches}


def _hex(seed: int) -> str:
    return f"{seed:032x}"


def stored() -> list[Case]:
    return [json.loads(line) for line in VECTORS.read_text("utf-8").splitlines()]


def run(vectors: Path) -> "subprocess.CompletedProcess[str]":
    """The stranger's program, by itself: without this package, its environment, or any other library."""
    return subprocess.run([sys.executable, "-I", "-S", PROGRAM, vectors], capture_output=True, text=True, check=False)


def test_this_program_deals_seeds_and_plans_as_the_vectors_say() -> None:
    assert [json.loads(json.dumps(case)) for case in made()] == stored()


def test_a_program_written_from_the_texts_finds_the_same() -> None:
    ended = run(VECTORS)
    assert (ended.stdout, ended.stderr) == (f"{len(stored())} passed, 0 failed\n", "")


def test_the_vectors_have_every_game_and_every_kind_of_draw() -> None:
    dealt = {case["dealt"]["game"] for case in stored() if case["check"] == "dealt"}
    formats = {case["config"]["format"]["name"] for case in stored() if case["check"] == "plan"}
    assert dealt == set(games.names())
    assert formats == {"round_robin", "gauntlet", "compare", "swiss", "ladder"}
    assert {case["check"] for case in stored()} >= {"reshuffle", "priority", "fallback", "sfc32"}
    assert any(case.get("number") == 1 for case in stored()), "no second reshuffle of a round"


@pytest.mark.parametrize("kind", sorted({case["check"] for case in stored()} if VECTORS.exists() else []))
def test_the_program_finds_a_vector_that_is_wrong(kind: str, tmp_path: Path) -> None:
    case = next(case for case in stored() if case["check"] == kind)
    changed = tmp_path / "vectors.jsonl"
    changed.write_text(json.dumps(_spoilt(case)))
    assert "0 passed, 1 failed" in run(changed).stdout


def _spoilt(case: Case) -> Case:
    """A vector with another result."""
    if case["check"] == "plan":
        case["matches"][-1]["deal_seed"] = "0" * 32
    elif case["check"] == "dealt":
        case["dealt"]["stock"] = case["dealt"]["stock"][::-1]
    else:
        last = list(case)[-1]
        case[last] = case[last][::-1] + case[last][:1]
    return case


if __name__ == "__main__":
    VECTORS.write_text("".join(json.dumps(case, ensure_ascii=False) + "\n" for case in made()), "utf-8")
