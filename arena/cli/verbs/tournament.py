"""`arena tournament CONFIG`: play a tournament, or go on with it, and print its leaderboard."""

from arena.cli.shared.boards import show_board
from arena.cli.shared.exit_codes import DONE, INTERRUPTED
from arena.cli.shared.insights import Looker
from arena.cli.shared.options import ConfigPath, FormatOption
from arena.cli.shared.printing import Format
from arena.cli.shared.running import play, with_run_options
from arena.formats.registry import read_format
from arena.report.selection.boards import headline_ratings
from arena.tournament.session import Settings


@with_run_options
def tournament(config: ConfigPath, settings: Settings, format: FormatOption = Format.TABLE) -> int:
    """Play a tournament and print its leaderboard.

    Ctrl-C stops it and keeps every finished match; the same command resumes it. With the same seed, config and bots, the
    results are the same.
    """
    results = play("tournament", config, settings)
    if results is None:
        return INTERRUPTED
    show_board(results.manifest, results.ratings, format, totals=results.totals())
    if format.is_for_people and read_format(results.manifest.config["format"]).COMPARES_PAIRS:
        Looker(results.folder, results.manifest, headline_ratings(results.ratings), format, None).head_to_head()
    return DONE
