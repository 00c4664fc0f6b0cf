"""A whole round of a small game, from its deal: the worlds are all deals, found by dealing.

No room has to say how it deals. Deals are drawn until each one has come up so often that none can be missing. They must come up
equally often, as shuffles of different cards do.
"""

from collections import Counter

from arena.engine.game import Game, States
from lab.exact.games import MOST_WORLDS, Worlds
from lab.exact.tree import TooLargeError, refuse_more

MOST_DEALS = 2_000  # six different cards have 720 orders
OFTEN = 16  # times that each deal has come up when none is missing: by chance that is one in e^16 for each deal
UNLIKELY = 1e-6  # chance of counts as uneven as these if all deals were equally likely


def deals(game: Game, seats: int | None = None, most: int = MOST_DEALS) -> Worlds:
    """All first deals of a match with the default options, each as likely as another. `seats`: by default the fewest.

    Raises TooLargeError for more than `most` deals, and where deals are not equally likely.
    """
    found: Counter[bytes] = Counter()
    seed = 0
    while not found or min(found.values()) < OFTEN:
        found[_deal(game, seed, seats).tobytes()] += 1
        refuse_more(len(found), most, "deals")
        seed += 1
    from scipy.stats import chisquare  # only now: it takes as long to import as all of arena

    if chisquare(list(found.values())).pvalue < UNLIKELY:
        raise TooLargeError("deals that are not equally likely")
    return dict.fromkeys(sorted(found), 1.0)


def dealt(game: Game, number: int) -> States:
    """One of the deals; the same number gives the same deal."""
    return _deal(game, number, None)


def behind(game: Game, every: Worlds, states: States, seat: int | None = None, most: int = MOST_WORLDS) -> Worlds:
    """The deals that look to `seat` as `states` does; all for None. Raises TooLargeError for more than `most`."""
    if seat is not None:
        seen = game.observed(states, seat).tobytes()
        every = {world: 1.0 for world in every if game.observed(game.from_bytes(world), seat).tobytes() == seen}
    refuse_more(len(every), most, "worlds")
    return every


def _deal(game: Game, seed: int, seats: int | None) -> States:
    """A first position without its deal seed, which later deals alone would need."""
    count = game.seats[0] if seats is None else seats
    states = game.deal(count, game.resolve_options({}, count), seed)
    states["seed"] = 0
    return states
