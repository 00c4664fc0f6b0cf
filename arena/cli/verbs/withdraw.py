"""`arena withdraw NAME`: take a submitted bot out of new tournaments."""

from arena.agent.submissions import PREFIX, Submissions
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, Out, SubmittedName
from arena.cli.shared.printing import Format, show
from arena.reports.terminal import Page
from arena.results_folder import RESULTS
from arena.server.contest.entrants import dropped_in


def withdraw(name: SubmittedName, format: FormatOption = Format.TABLE, out: Out = RESULTS) -> int:
    """Take a submitted bot out of new tournaments.

    Its versions and its results stay, and a run that has begun goes on with it. In a contest it has no mark from now on. To
    enter it again, submit it again.
    """
    with dropped_in(out, name):
        withdrawn = Submissions(out).withdraw(name)

    def write(page: Page) -> None:
        page.line(f"{name} plays no new tournament; to enter it again: arena submit BOT --name {name}")
        page.line(f"in configs its last version is still {PREFIX}{name}@{withdrawn.version}")

    show(format, write, withdrawn, [withdrawn])
    return DONE
