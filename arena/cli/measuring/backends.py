"""What playing at home and on Ray adds to a match: rows of `arena bench match`. CPU time of worker and driver, told apart."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.cli.measuring.scale import BACKENDS, Meter, alone
from arena.tournament.run import run_tournament
from arena.tournament.session import Interrupted, Settings

GAME = "naga"
MATCHES = {True: 20_000, False: 1_000}  # by whether the bots are trusted
_WARMING = 0.2  # share of the matches before the driver's clock starts
_BOT = """
from arena.agent import Agent, View

class Null(Agent):
    def act(self, view: View) -> int:
        return 0
"""


class BackendCost(msgspec.Struct, frozen=True, kw_only=True):
    """What a short match of null bots of GAME costs in a tournament with one worker, in microseconds of CPU time."""

    backend: str
    is_trusted: bool
    matches: int
    worker_us: float
    """The worker and its children."""
    driver_us: float
    """The driver, while it plays."""


def backend_costs(scale: float = 1.0, backends: Sequence[str] = BACKENDS) -> list[BackendCost]:
    """Trusted and locked bots with each backend, each tournament in a process of its own. `scale`: of the usual matches."""
    return [
        alone(_cost, backend, is_trusted, max(20, int(scale * matches)))
        for is_trusted, matches in MATCHES.items()
        for backend in backends
    ]


def _cost(backend: str, is_trusted: bool, matches: int) -> BackendCost:
    with tempfile.TemporaryDirectory(prefix="arena-match-") as made:
        folder = Path(made)
        (folder / "null.py").write_text(_BOT)
        bots = [{"path": "null.py", "name": f"null{number}", "trusted": is_trusted} for number in range(2)]
        config = {
            "name": "match", "seed": 1, "games": [{"game": GAME, "seats": 2}], "bots": bots, "deals": matches,
            "ratings": {"luck": False},
        }  # fmt: skip
        (folder / "match.yaml").write_bytes(msgspec.json.encode(config))  # JSON is YAML
        meter = Meter(int(_WARMING * matches), matches)
        try:
            tally = run_tournament(folder / "match.yaml", Settings(out=folder, backend=backend, workers=1), meter).tally
        except Interrupted as stopped:  # half of its matches, so that chunks are as long as in a large tournament
            tally = stopped.tally
        _, driver_cpu, played = meter.costs()
    return BackendCost(
        backend=backend, is_trusted=is_trusted, matches=matches, worker_us=1e6 * tally.worker_cpu / tally.timed_matches,
        driver_us=1e6 * driver_cpu / played,
    )  # fmt: skip
