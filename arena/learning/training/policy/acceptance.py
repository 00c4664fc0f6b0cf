"""Is a policy that learnt by itself worth keeping? Gates on new deals, at each number of seats that it learnt at."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from arena.engine.game import Game
from arena.engine.net import KINDS, POLICY, Net, Nets
from arena.learning.tables import MATCH, ROUND
from arena.learning.training.gate import Imitator, Searcher, deal_score, judged_gate, pool_score
from arena.learning.training.generations import AMONG, OF_POLICY, SHORT
from arena.learning.training.selfplay import STRANGERS, Table, seed_of
from arena.learning.training.watching import Watcher
from arena.search import Settings
from arena.tournament.formats.betting import Verdict

OF_STRANGERS = 100  # iterations of the strangers that have no number of their own
PLAYED = {ROUND: "in rounds", MATCH: "in matches"}
"""What gates play, in words."""


def gates_of(
    game: Game, net: Net, seats: Sequence[int], *, episode: str, deals: int, seed: int, watcher: Watcher
) -> list[dict[str, Any]]:
    """The gates at each number of seats: against a short search, and beside one among strangers. `deals`: at most.

    `episode`: what they play on each deal, a `round` or a whole `match`, as the policy did.
    """
    own = Imitator(replace(game, nets=Nets({KINDS[POLICY]: net}, frozenset(seats))))
    short = Searcher(game, Settings(iterations=SHORT))
    strangers = [Searcher(game, Settings(**{"iterations": OF_STRANGERS, **one})) for one in STRANGERS]
    against = f"a search of {SHORT} iterations"
    found = []
    for count in seats:
        table = Table(game, count, game.resolve_options({}, count))

        def scores(of: str, table: Table = table) -> Iterator[float]:
            for deal in range(deals):
                new = seed_of(seed, of, table.seats, "gate", deal)
                if of == AMONG:
                    yield pool_score(own, short, strangers[deal % len(strangers)], table, new, episode=episode)
                else:
                    yield deal_score(own, short, table, new, episode=episode)
                watcher.advance()

        for of in (OF_POLICY, AMONG):
            among = " among strangers" if of == AMONG else ""
            watcher.begin(f"gate of the policy at {count} seats against {against}{among}, {PLAYED[episode]}", deals)
            gate = judged_gate(scores(of), deals)
            found.append({"of": of, "against": against, "seats": count, "episode": episode, **gate.document()})
    return found


def is_kept(gates: Sequence[dict[str, Any]], seats: int) -> bool:
    """Whether a policy did not surely do worse than the short search at so many seats."""
    return all(gate["verdict"] != Verdict.BELOW.value for gate in gates if gate["seats"] == seats)
