"""`arena ladder CONFIG`: go on with a lasting ranking, and print it."""

from arena.cli.shared.boards import show_board
from arena.cli.shared.exit_codes import DONE, INTERRUPTED, NO
from arena.cli.shared.options import ConfigPath, FormatOption
from arena.cli.shared.printing import Format
from arena.cli.shared.running import play, with_run_options
from arena.tournament.session import Settings


@with_run_options
def ladder(config: ConfigPath, settings: Settings, format: FormatOption = Format.TABLE) -> int:
    """Play the most informative matches until the ranking is certain enough.

    The config says how certain. Run it again at any time: it resumes, adds matches, and places bots that are new in the config.
    """
    results = play("ladder", config, settings)
    if results is None:
        return INTERRUPTED
    show_board(results.manifest, results.ratings, format, totals=results.totals(), calls=results.calls())
    return NO if results.is_void else DONE
