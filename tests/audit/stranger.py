"""A stranger's program: deals, seeds, tables and match ids, from a manifest and its key, or from a position.

Written from the texts alone: formats.md ("Keys and seeds", "Match ids"), notation.md (cards, positions), and "Randomness" in
the RULES.md of each game. It imports nothing but the standard library. What it lacks, the texts lack.

    python stranger.py stranger.jsonl
"""

import hashlib
import hmac
import itertools
import json
import math
import random
import sys
from pathlib import Path

MASK = 0xFFFFFFFF
MOST_LINKS = 1_000


# --- keys, seeds, streams


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def derived(key: bytes, *path: object) -> int:
    text = "/".join(map(str, path))
    return int.from_bytes(hmac.digest(key, text.encode(), "sha256")[:16], "big")


def words_of(seed: int) -> list[int]:
    return [seed >> shift & MASK for shift in (96, 64, 32, 0)]


def rotated(word: int, bits: int) -> int:
    return (word << bits | word >> 32 - bits) & MASK


def quarter(x: list[int], a: int, b: int, c: int, d: int) -> None:
    for p, q, r, bits in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        x[p] = (x[p] + x[q]) & MASK
        x[r] = rotated(x[r] ^ x[p], bits)


def stream(seed: int, round_number: int, purpose: int, use: int):
    for counter in itertools.count():
        start = [0x61707865, 0x3120646E, 0x79622D36, 0x6B206574, *words_of(seed), *words_of(seed)]
        start += [counter, purpose, round_number, use]
        x = list(start)
        for _ in range(4):
            for column in range(4):
                quarter(x, column, column + 4, column + 8, column + 12)
            for column in range(4):
                quarter(x, column, (column + 1) % 4 + 4, (column + 2) % 4 + 8, (column + 3) % 4 + 12)
        yield from ((word + first) & MASK for word, first in zip(x, start))


def one_below(bound: int, words) -> int:
    while True:
        product = next(words) * bound
        if product % 2**32 >= 2**32 % bound:
            return product >> 32


def draw(bound: int, seed: int, round_number: int, purpose: int, use: int) -> int:
    return one_below(bound, stream(seed, round_number, purpose, use))


def shuffle(items, seed: int, round_number: int, purpose: int, use: int) -> list:
    words, shuffled = stream(seed, round_number, purpose, use), list(items)
    left = len(shuffled)
    while left > 1:
        sizes = range(left, max(1, left - 4), -1)
        while True:
            word, places = next(words), []
            for size in sizes:
                places.append(word * size >> 32)
                word = word * size & MASK
            if word >= 2**32 % math.prod(sizes):
                break
        for size, place in zip(sizes, places):
            shuffled[size - 1], shuffled[place] = shuffled[place], shuffled[size - 1]
        left = sizes[-1] - 1
    return shuffled


def sfc32(seed: int):
    a, b, c, d = words_of(seed)
    for step in itertools.count():
        t = (a + b + d) & MASK
        a, b, c, d = b ^ b >> 9, 9 * c & MASK, (t + rotated(c, 21)) & MASK, (d + 1) & MASK
        if step >= 12:
            yield t


def chosen(count: int, items, words) -> list:
    left = list(items)
    return [left.pop(one_below(len(left), words)) for _ in range(count)]


# --- cards, as positions list them


FRENCH = [suit + rank for suit in "SHDC" for rank in "A23456789TJQK"]
BY_RANK = [suit + rank for rank in "A23456789TJQK" for suit in "SHDC"]
NAGA = [*(attribute + number for attribute in "dlfawte" for number in "1234567"), "I", "K"]
REQUESTS = [
    "Sparrow", "Hedgehog", "Hare", "Raccoon dog", "Marten", "Fox", "Badger", "Otter", "Kite", "Macaque",
    "Serow", "Deer", "Boar", "Crane", "Goose", "Lynx", "Wolf", "Bear", "Eagle", "Tiger",
]  # fmt: skip


def naga(p: dict, seed: int) -> dict:
    deck = shuffle(NAGA, seed, p["round"], 1, 0)
    places = {str(place): [deck.pop() for _ in range(3 if place == 4 else 1)] for place in range(1, 8)}
    dealt: list[list[str]] = [[], []]
    for contest in range(1, p["contest"] + 1):
        for seat in (p["parent"], 1 - p["parent"]):
            dealt[seat] += [deck.pop() for _ in range(5 if contest == 1 else 1 if contest == 7 else 3)]
    found = {"places": places, "stock": deck[::-1]}
    found["hands"] = [sorted((card for card in hand if card not in p["shown"]), key=NAGA.index) for hand in dealt]
    return found | ({"parent": draw(2, seed, 1, 2, 0)} if p["round"] == 1 else {})


def nanatoridori(p: dict, seed: int) -> dict:
    is_duel = p["options"]["variant"] == "duel"
    deck = shuffle("1234567" * 9, seed, p["round"], 1, 0)
    found: dict = {"hands": ["".join(deck.pop() for _ in range(11 if is_duel else 8)) for _ in range(p["seats"])]}
    if is_duel:
        found["fronts"] = ["".join(deck.pop() for _ in range(2)) for _ in range(2)]
        found["unused"] = sorted(deck)
    else:
        found["stock"] = "".join(reversed(deck))
    if p["round"] == 1 or p["options"]["next_start"] == "random":
        found["starter"] = draw(p["seats"], seed, p["round"], 2, 0)
    return found


def hisatsu(p: dict, seed: int) -> dict:
    names = [row[0] for row in p["deck"]] if "deck" in p else REQUESTS
    deck = shuffle(names, seed, 1, 1, 0)
    row = [deck.pop() for _ in range(p["seats"] - 1)]
    return {"row": row, "stock": deck[::-1], "starter": draw(p["seats"], seed, 1, 2, 0)}


def nertz(p: dict, seed: int) -> dict:
    units = []
    for unit in range(len(p["units"])):
        deck = shuffle(BY_RANK, seed, p["round"], 1, unit)
        units.append({"nertz": deck[:13], "work": [[card] for card in deck[13:17]], "stock": deck[17:], "waste": []})
    return {"units": units}


def yaniv(p: dict, seed: int) -> dict:
    deck = shuffle([*FRENCH, "*", "*"] * p["options"]["decks"], seed, p["round"], 1, 0)
    starter = draw(p["seats"], seed, 1, 2, 0) if p["round"] == 1 else p["starter"]
    hands: list[list[str]] = [[] for _ in range(p["seats"])]
    for place in range(p["seats"]):
        seat = (starter + place) % p["seats"]
        if not p.get("dropped", [0] * p["seats"])[seat]:
            hands[seat] = sorted((deck.pop() for _ in range(5)), key=by_id)
    return {"starter": starter, "hands": hands, "previous": [deck.pop()], "stock": deck[::-1]}


def by_id(card: str) -> int:
    return [*FRENCH, "*"].index(card)


def reshuffled(buried: list[str], seed: int, round_number: int, number: int) -> list[str]:
    """The new stock of Yaniv, top first."""
    first: list[str] = []
    others: list[str] = []
    for card in sorted(buried, key=by_id):
        (first if first.count(card) < (2 if card == "*" else 1) else others).append(card)
    return shuffle(first + others, seed, round_number, 3, number)[::-1]


GAMES = {each.__name__: each for each in (naga, nanatoridori, hisatsu, nertz, yaniv)}


# --- plans: `config` of a manifest


def first_key(config: dict) -> bytes | None:
    """The key that a public seed gives; of a ladder, that of its last possible leg."""
    return None if config["seed"] is None else sha256(f"arena seed {config['seed']}".encode())


def key_of_leg(last: bytes, leg: int, links: int = MOST_LINKS) -> bytes:
    """`last`: the key of the last one of the legs that can be."""
    for _ in range(links - 1 - leg):
        last = sha256(last)
    return last


def orders(config: dict, seats: int) -> list[tuple[int, ...]]:
    if config["rotations"] == "all":
        return list(itertools.permutations(range(seats)))
    return [tuple((seat + rotation) % seats for seat in range(seats)) for rotation in range(seats)]


def field_of(config: dict, entry: dict) -> list[int]:
    return [place for place, one in enumerate(config["contestants"]) if entry["game"] in one["games"]]


def tables_of(config: dict, key: bytes, entry: dict, deal: int) -> list[list[int]]:
    format, field, seats = config["format"], field_of(config, entry), entry["seats"]
    name = format["name"]
    if name == "gauntlet":
        candidates = [place for place in format["candidates"] if place in field]
        others = [place for place in field if place not in format["candidates"]]
        return [[one, *some] for some in itertools.combinations(others, seats - 1) for one in candidates]
    if name == "compare":
        return compared(config, key, entry, deal)
    if format.get("sample") and math.comb(len(field), seats) > format["sample"] * len(field):
        bases = base_tables(len(field), seats, entry["deals"], format["sample"])
        of_deal = bases[deal * format["sample"] : (deal + 1) * format["sample"]]
        return [[field[(p + turn) % len(field)] for p in base] for base in of_deal for turn in range(len(field))]
    return [list(table) for table in itertools.combinations(field, seats)]


def team_of(entry: dict, seat: int) -> int:
    has_teams = entry["game"] == "nertz" and (entry["seats"] >= 8 or entry["options"]["teams"])
    return seat // 2 if has_teams else seat


def compared(config: dict, key: bytes, entry: dict, deal: int) -> list[list[int]]:
    seats, candidates = entry["seats"], config["format"]["candidates"]
    words = sfc32(derived(key, "table", entry["game"], seats, canonical(entry["options"]), deal))
    others = [place for place in field_of(config, entry) if place not in candidates]
    teams = [team_of(entry, seat) for seat in range(seats)]
    distances = [far for far in range(1, seats) if all(teams[s] != teams[(s + far) % seats] for s in range(seats))]
    distance = distances[one_below(len(distances), words)]
    rivals = chosen(seats - 2, others, words)
    tables = []
    for first, second in (candidates, candidates[::-1]):
        rest = iter(rivals)
        tables.append([first if s == 0 else second if s == distance else next(rest) for s in range(seats)])
    return tables[:1] if seats == 2 or config["rotations"] == "all" else tables


def base_tables(bots: int, seats: int, deals: int, each: int) -> list[list[int]]:
    words = sfc32(derived(b"arena balanced tables", bots, seats, each * deals))

    def turns(table: list[int]) -> list[set[int]]:
        return [{(place + turn) % bots for place in table} for turn in range(bots)]

    def repeats(number: int) -> bool:
        first = number - number % each
        own = turns(tables[number])
        others = [tables[other] for other in range(first, min(first + each, len(tables))) if other != number]
        return own[0] in own[1:] or any(set(other) in own for other in others)

    def apart(one: int, other: int) -> int:
        return min((one - other) % bots, (other - one) % bots)

    def counted() -> list[int]:
        met = [0] * (bots // 2 + 1)
        for table in tables:
            for one, other in itertools.combinations(table, 2):
                met[apart(one, other)] += 2 if 2 * apart(one, other) == bots else 1
        return met[1:]

    tables: list[list[int]] = []
    for number in range(each * deals):
        tables.append(chosen(seats, range(bots), words))
        for _ in range(100):
            if not repeats(number):
                break
            tables[number] = chosen(seats, range(bots), words)
    weights = [2 if 2 * far == bots else 1 for far in range(1, bots // 2 + 1)]
    met = counted()
    for step in range(60_000):
        if step % 64 == 0 and max(met) - min(met) <= 1:
            break
        number, place, new = (one_below(bound, words) for bound in (len(tables), seats, bots))
        if new in tables[number]:
            continue
        old, tables[number][place] = tables[number][place], new
        now = counted()
        rise = sum((after**2 - before**2) / weight for before, after, weight in zip(met, now, weights))
        is_taken = rise <= 0 or one_below(2**30, words) < 2**30 * math.exp(-rise / (3.0 * (0.15 / 3.0) ** (step / 60_000)))
        if is_taken and not repeats(number):
            met = now
        else:
            tables[number][place] = old
    return tables


def located(config: dict, key: bytes):
    """Entry, deal, table, rotation and leg of each match, in plan order."""
    format, entries = config["format"], config["entries"]
    if "stages" in format:
        most = max(entry["deals"] for entry in entries)
        firsts = [leg["first_stage"] for leg in format.get("legs", [])]
        for number, _first, tables in format["stages"]:
            for place, table in tables:
                for deal in range(entries[place]["deals"]):
                    for order in orders(config, entries[place]["seats"]):
                        leg = sum(first <= number for first in firsts) - 1
                        yield place, number * most + deal, [table[one] for one in order], leg
        return
    for deal in range(max(entry["deals"] for entry in entries)):
        for place, entry in enumerate(entries):
            if deal < entry["deals"]:
                for table in tables_of(config, key, entry, deal):
                    for order in orders(config, entry["seats"]):
                        yield place, deal, [table[one] for one in order], -1


def identity(one: dict) -> str:
    return f"{one['name']}:{one['sha256']}:{sha256(canonical(one['params']).encode()).hex()}"


def matches(config: dict, key: bytes) -> list[dict]:
    """`key`: as the manifest has it; of a ladder, that of its newest leg."""
    legs = len(config["format"].get("legs", []))
    found = []
    for index, (place, deal, table, leg) in enumerate(located(config, key)):
        entry, bots = config["entries"][place], [config["contestants"][one] for one in table]
        game, seats, options = entry["game"], entry["seats"], entry["options"]
        secret = f"seed:{config['seed']}" if config["seed"] is not None else config["commitment"]
        named = [game, options, seats, deal, [identity(bot) for bot in bots], entry["rules_version"], secret]
        match_id = sha256(canonical(named).encode()).hex()[:24]
        own = key_of_leg(key, leg, legs) if legs else key
        options_hash = sha256(canonical(options).encode()).hex()[:16]
        found.append(
            {
                "index": index,
                "match_id": match_id,
                "entry": place,
                "deal": deal,
                "bots": [bot["name"] for bot in bots],
                "deal_seed": f"{derived(own, 'deal', game, seats, options_hash, deal):032x}",
                "bot_seeds": [f"{derived(own, 'bot', match_id, seat):032x}" for seat in range(seats)],
                "fallback_seeds": [f"{derived(own, 'fallback', match_id, seat):032x}" for seat in range(seats)],
            }
        )
    return found


# --- vectors


def check_key(case: dict) -> dict:
    last = sha256(f"arena seed {case['seed']}".encode())
    key = key_of_leg(last, case["leg"]) if "leg" in case else last
    return {"key": key.hex(), "commitment": sha256(key).hex()}


def check_seed(case: dict) -> dict:
    return {"derived": f"{derived(bytes.fromhex(case['key']), *case['path']):032x}"}


def check_stream(case: dict) -> dict:
    words = stream(int(case["seed"], 16), *case["at"])
    return {"words": [next(words) for _ in case["words"]]}


def check_draw(case: dict) -> dict:
    return {"drawn": [draw(bound, int(case["seed"], 16), *case["at"]) for bound in case["below"]]}


def check_shuffle(case: dict) -> dict:
    return {"order": shuffle(range(len(case["order"])), int(case["seed"], 16), *case["at"])}


def check_sfc32(case: dict) -> dict:
    words = sfc32(int(case["seed"], 16))
    return {"drawn": [one_below(bound, words) for bound in case["below"]]}


def check_fallback(case: dict) -> dict:
    stream = random.Random(int(case["seed"], 16))
    return {"drawn": [stream.randrange(bound) for bound in case["below"]]}


def check_dealt(case: dict) -> dict:
    position = dict(case["dealt"])
    found = GAMES[position["game"]](position, int(position["rng"], 16))
    if "unused" in position:
        position["unused"] = sorted(position["unused"])
    if position["game"] == "hisatsu":
        position["row"] = [slot["name"] for slot in position["row"]]
    return {"dealt": case["dealt"]} if {key: position[key] for key in found} == found else {"dealt": found}


def check_reshuffle(case: dict) -> dict:
    stock = reshuffled(case["buried"], int(case["seed"], 16), case["round"], case["number"])
    return {"stock": stock}


def check_priority(case: dict) -> dict:
    return {"priority": shuffle(range(len(case["priority"])), int(case["seed"], 16), case["round"], 2, case["tick"])}


def check_plan(case: dict) -> dict:
    config, key = case["config"], bytes.fromhex(case["key"])
    legs = len(config["format"].get("legs", []))
    first = key_of_leg(key, 0, legs) if legs else key
    of_seed = first_key(config)
    if of_seed is not None and key != (key_of_leg(of_seed, legs - 1) if legs else of_seed):
        return {"key": "not that of the seed"}
    if sha256(first).hex() != config["commitment"]:
        return {"commitment": sha256(first).hex()}
    found = matches(config, key)
    return {"length": len(found), "matches": [found[one["index"]] for one in case["matches"]]}


def problems(case: dict) -> list[str]:
    """What of a vector this program finds otherwise."""
    found = globals()[f"check_{case['check']}"](case)
    return [f"{key}: {value} and not {case.get(key)}" for key, value in found.items() if case.get(key) != value]


def main(path: str) -> int:
    passed = failed = 0
    for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
        case = json.loads(line)
        wrong = problems(case)
        passed, failed = passed + (not wrong), failed + bool(wrong)
        for text in wrong:
            print(f"{path}:{number}: {case['check']}: {text}"[:400])
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
