"""`arena doctor`: what this machine offers: for locking untrusted bots in, and for everything else."""

from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import FormatOption, Out
from arena.cli.shared.printing import Format, show
from arena.match.sandbox import examine
from arena.reports.table import Column, Table
from arena.reports.terminal import Page
from arena.results_folder import RESULTS
from arena.tournament.workers.machine import examine_machine


def doctor(format: FormatOption = Format.TABLE, out: Out = RESULTS) -> int:
    """Test whether this machine can lock in untrusted bots, and its folders, shared memory and compiled code.

    Exit code 0: all that is needed works, 1: not all. What it is "without" is not needed. Damaged compiled code is dropped.
    """
    others = examine_machine(out)  # first: it finds a place for temporary files
    locks = examine()
    findings = [*locks, *others]
    can_lock = all(finding.works for finding in locks if finding.is_needed)

    def write(page: Page) -> None:
        rows = [
            ["ok" if found.works else "missing" if found.is_needed else "without", found.name, found.detail]
            for found in findings
        ]
        page.table(Table([Column("state"), Column("layer"), Column("detail")], rows))
        if not can_lock:
            page.say("")
            page.say("Untrusted bots are refused here; `arena tournament --unsafe-trust-bots` runs them all the same.")

    show(format, write, {"can_lock": can_lock, "findings": findings}, findings)
    return DONE if all(finding.works for finding in findings if finding.is_needed) else NO
