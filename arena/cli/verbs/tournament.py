"""`arena tournament CONFIG`: play a tournament, or go on with it, and print its leaderboard."""

from rich.console import Console

from arena.cli.shared.formats import Format
from arena.cli.shared.insights import Looker
from arena.cli.shared.running import INTERRUPTED, ConfigPath, play, with_run_options
from arena.formats.tables import Gauntlet
from arena.report.selection.boards import headline_ratings
from arena.report.terminal.board import print_board
from arena.tournament.session import Settings


@with_run_options
def tournament(config: ConfigPath, settings: Settings) -> int:
    """Play a tournament (round robin or gauntlet) and print its leaderboard; the same command resumes."""
    results = play("tournament", config, settings)
    if results is None:
        return INTERRUPTED
    print_board(results.manifest, results.ratings, Console(highlight=False), totals=results.totals())
    if results.manifest.config["format"]["name"] == Gauntlet.__struct_config__.tag:
        Looker(results.folder, results.manifest, headline_ratings(results.ratings), Format.TABLE, None).head_to_head()
    return 0
