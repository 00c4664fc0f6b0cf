"""`arena ladder CONFIG`: go on with a lasting rating list, and print it."""

from rich.console import Console

from arena.cli.tournament import (
    INTERRUPTED,
    Address,
    BackendName,
    ConfigPath,
    Fresh,
    Name,
    Out,
    Seed,
    TrustBots,
    Workers,
    play,
)
from arena.report.board import print_board
from arena.tournament import DEFAULT_FOLDER, RAY, Settings


def ladder(
    config: ConfigPath, backend: BackendName = RAY, workers: Workers = None, out: Out = DEFAULT_FOLDER,
    address: Address = None, seed: Seed = None, fresh: Fresh = False, name: Name = None, unsafe_trust_bots: TrustBots = False,
) -> int:  # fmt: skip
    """Add to a rating list what tells most, until it is sure enough; new bots of the config are placed; only adds."""
    settings = Settings(
        out=out, backend=backend, workers=workers, address=address, seed=seed, name=name, fresh=fresh,
        unsafe_trust_bots=unsafe_trust_bots,
    )  # fmt: skip
    results = play("ladder", config, settings)
    if results is None:
        return INTERRUPTED
    print_board(results.manifest, results.ratings, Console(highlight=False), totals=results.totals())
    return 0
