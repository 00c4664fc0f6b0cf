"""`arena ladder CONFIG`: go on with a lasting rating list, and print it."""

from rich.console import Console

from arena.cli.shared.running import INTERRUPTED, ConfigPath, play, with_run_options
from arena.report.terminal.board import print_board
from arena.tournament.session import Settings


@with_run_options
def ladder(config: ConfigPath, settings: Settings) -> int:
    """Add to a rating list what tells most, until it is sure enough; new bots of the config are placed; only adds."""
    results = play("ladder", config, settings)
    if results is None:
        return INTERRUPTED
    print_board(results.manifest, results.ratings, Console(highlight=False), totals=results.totals())
    return 0
