"""`arena rename NAME NEW`: give a submitted bot another name."""

from arena.agent.submissions import ALL, PREFIX, Submissions
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, NewName, Out, SubmittedName
from arena.cli.shared.printing import Format, show
from arena.errors import ConfigError
from arena.reports.terminal import Page
from arena.results_folder import RESULTS
from arena.server.contest.entrants import dropped_in
from arena.tournament.config import check_name


def rename(name: SubmittedName, new: NewName, format: FormatOption = Format.TABLE, out: Out = RESULTS) -> int:
    """Give a submitted bot another name.

    Its newest version becomes version 1 of the new name. Old results keep the old name, which enters nothing any more.
    """
    check_name(new, "NEW")
    if new == ALL:
        raise ConfigError(f"NEW: {PREFIX}{ALL} means all bots, so none has that name")
    with dropped_in(out, name):
        renamed = Submissions(out).rename(name, new)

    def write(page: Page) -> None:
        page.line(f"{name} is called {new} now; old results keep the old name")
        page.line(f"in configs: {PREFIX}{new}, this version for good: {renamed.reference}")

    show(format, write, renamed, [renamed])
    return DONE
