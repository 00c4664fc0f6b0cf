"""The deals of an OpenSpiel game whose chance is explicit: a few fixed ones, or all that there are."""

from collections import Counter
from collections.abc import Callable

from arena.engine.contract import States
from arena.engine.rng import derive, seed_words
from arena.errors import ConfigError
from arena.learning.openspiel.setups import Setup

ALL = -1
"""The value of the parameter `deals` that asks for every deal that there is."""
MOST_DEALS = 2_000
OFTEN = 16  # times that each deal has come up when none is missing: by chance that is one in e^16 for each deal
_SEED = "seed"  # the field of a record with the deal's secret: what cards come in later rounds


def numbered_deal(setup: Setup, key: bytes, number: int) -> States:
    """One of endlessly many first positions."""
    return setup.deal(derive(key, "openspiel", number))


def fixed_deals(setup: Setup, key: bytes, count: int) -> list[States]:
    """The first positions of `count` matches, or all possible ones for ALL. Raises ConfigError for too many."""
    if count != ALL:
        return [numbered_deal(setup, key, number) for number in range(count)]
    numbers = iter(range(1 << 62))
    return _all(setup, lambda: numbered_deal(setup, key, next(numbers)), key)


def possible_deals(setup: Setup, states: States, key: bytes, count: int) -> list[States]:
    """Positions that all seats together cannot tell from `states`: up to `count` different ones, or all for ALL.

    They are drawn by giving each seat in turn another world that it thinks possible, so that all of them are equally likely
    where `determinize` draws worlds evenly. Raises ConfigError for too many.
    """
    now = states.copy()
    rng = seed_words(derive(key, "openspiel", "worlds"))
    seat = 0

    def draw() -> States:
        nonlocal now, seat
        for _ in range(setup.seats):
            now = setup.game.observed(now, seat)
            setup.game.engine.determinize(now, seat, rng)
            seat = (seat + 1) % setup.seats
        return now.copy()

    if count == ALL:
        return _all(setup, draw, key)
    found = {_without_seed(states): states}
    tries = 0
    while len(found) < count and tries < OFTEN * (len(found) + 1):
        world = draw()
        tries = 0 if found.setdefault(_without_seed(world), world) is world else tries + 1
    return list(found.values())


def _all(setup: Setup, draw: Callable[[], States], key: bytes) -> list[States]:
    """All that is ever drawn, in an order that depends on nothing else; later rounds are dealt from seeds of their own."""
    times: Counter[bytes] = Counter()
    while not times or min(times.values()) < OFTEN:
        for _ in range(max(1, len(times))):
            times[_without_seed(draw())] += 1
        if len(times) > MOST_DEALS:
            raise ConfigError(f"deals: there are more than {MOST_DEALS:,} of them; name how many are to be drawn")
    return [_with_seed(setup, data, derive(key, "openspiel", "later", number)) for number, data in enumerate(sorted(times))]


def _without_seed(states: States) -> bytes:
    bare = states.copy()
    if _SEED in (bare.dtype.names or ()):
        bare[_SEED] = 0
    return bare.tobytes()


def _with_seed(setup: Setup, data: bytes, seed: int) -> States:
    states = setup.game.from_bytes(data)
    if _SEED in (states.dtype.names or ()):
        states[_SEED] = seed_words(seed)
    return states
