"""`arena luck NAME`: how many rivals each bot beat, what its cards gave it, and what is left: skill against luck."""

from collections.abc import Sequence

from arena.cli.shared.boards import find_folder
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import ArchiveOrName, FormatOption, Out, Workers
from arena.cli.shared.printing import Format, note, show
from arena.errors import ConfigError
from arena.ratings.skill import Skill, skills
from arena.reports.tables import skill as skill_table
from arena.reports.terminal import Page
from arena.results_folder import RESULTS
from arena.tournament.archive.folder import ARCHIVE
from arena.tournament.workers.processes import check_workers


def luck(name: ArchiveOrName = None, workers: Workers = None, format: FormatOption = Format.TABLE, out: Out = RESULTS) -> int:
    """Take the luck of the cards out of a tournament's results.

    Works out the luck of every match from its log, for a tournament of any age, and keeps it beside the matches. Prints for
    each bot the share of its rivals that it beat, what chance gave it of that, and what is left. Changes no result.
    """
    from arena.tournament.archive import (
        luck as stored,  # only now: numba and pyarrow take most of the start, and --help does without
    )
    from arena.tournament.workers.compiling import warm_games

    check_workers(workers)
    if name == ARCHIVE:
        raise ConfigError("the archive holds the matches of many tournaments; name one of them")
    folder = find_folder(out, name)
    manifest = stored.add_luck(folder, workers, lambda needs: warm_games(needs, note))
    found = [skill for pool, rows in stored.pools_with_luck(folder, manifest).items() for skill in skills(pool, rows)]
    show(format, lambda page: _write(page, manifest.name, found), found, found)
    return DONE


def _write(page: Page, name: str, found: Sequence[Skill]) -> None:
    page.say(
        f"{name}: of its rivals in a match, a bot beat the share `beat`. `luck` of it came from the cards; what is left is "
        f"`skill`, with its 95 % interval over deals. So many deals as `certain as` would be as certain without luck taken out."
    )
    for pool in dict.fromkeys(skill.pool for skill in found):
        page.say("")
        page.heading(pool)
        page.table(skill_table([skill for skill in found if skill.pool == pool]))
