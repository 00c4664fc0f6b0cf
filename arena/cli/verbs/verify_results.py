"""`arena verify-results NAME`: audit a board: play every stored match again, and work out everything anew."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.audit.people_audit import audit_people
from arena.audit.results_audit import Audit, audit_results
from arena.cli.shared.boards import find_folder
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import FormatOption, Out, Workers
from arena.cli.shared.printing import Format, NowAndThen, duration_text, note, rate_text, show
from arena.engine import jit
from arena.errors import ConfigError
from arena.reports.terminal import Page
from arena.results.manifest import read_manifest
from arena.results.people import PEOPLE
from arena.results_folder import RESULTS
from arena.tournament.archive.folder import ARCHIVE, ENTRIES
from arena.tournament.workers.compiling import warm_games
from arena.tournament.workers.processes import available_cpus, check_workers

SHOWN = 20  # problems that are printed
MATCHES_FOR_ALL = 5_000  # below, starting more processes takes longer than it saves


def verify_results(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Name of a tournament, or `people` for the matches outside any tournament. Default: the newest tournament.",
        ),
    ] = None,
    workers: Workers = None,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Audit a tournament: play every stored match again and check all results.

    Checks deals, actions, places, scores, hashes and ratings. A small tournament is checked by one process unless --workers
    says otherwise. Exit code 0: all is right, 1: not verified.
    """
    check_workers(workers)
    if name == ARCHIVE:
        raise ConfigError(
            f"the archive holds the files of tournaments as they were: audit each of them with "
            f"arena verify-results FOLDER --out {out / ARCHIVE / ENTRIES}"
        )
    if name == PEOPLE:
        return _people(out, format)
    folder = find_folder(out, name)
    manifest = read_manifest(folder)
    if workers is None:
        workers = available_cpus() if manifest.played >= MATCHES_FOR_ALL else 1
    warm_games(dict.fromkeys(manifest.rules_versions, ()), note, {jit.RATINGS: "arena.ratings"})
    audit = audit_results(folder, workers, NowAndThen(_progress_line))
    summary = {
        "name": folder.name, "verified": not audit.problems, "matches": audit.matches, "seconds": audit.seconds,
        "results_sha256": audit.manifest.results_sha256, "commitment": audit.manifest.commitment,
    }  # fmt: skip
    show(
        format, lambda page: _write(page, folder.name, audit),
        {**summary, "problems": audit.problems, "trueskill": audit.compared},
        [{**summary, "problems": len(audit.problems)}],
    )  # fmt: skip
    return NO if audit.problems else DONE


def _people(out: Path, format: Format) -> int:
    """Audit the matches outside any tournament: those of people, remote bots and agents."""
    audit = audit_people(out, lambda game: warm_games({game: ()}, note))
    summary = {"name": PEOPLE, "verified": not audit.problems, "matches": audit.matches, "seconds": audit.seconds}

    def write(page: Page) -> None:
        _write_problems(page, audit.problems)
        speed = f"{audit.matches:,} matches played again in {duration_text(audit.seconds)}"
        end = f"NOT verified: {len(audit.problems):,} problems; {speed}" if audit.problems else f"verified: {speed}"
        page.line(f"{PEOPLE}: {end}")

    show(format, write, {**summary, "problems": audit.problems}, [{**summary, "problems": len(audit.problems)}])
    return NO if audit.problems else DONE


def _write_problems(page: Page, problems: Sequence[str]) -> None:
    for problem in problems[:SHOWN]:
        page.line(problem)
    if len(problems) > SHOWN:
        page.line(f"... and {len(problems) - SHOWN:,} more")


def _write(page: Page, name: str, audit: Audit) -> None:
    _write_problems(page, audit.problems)
    speed = f"{audit.matches:,} matches played again in {duration_text(audit.seconds)} ({rate_text(audit.rate)})"
    if audit.problems:
        page.line(f"{name}: NOT verified: {len(audit.problems):,} problems; {speed}")
        return
    page.line(f"{name}: verified: {speed}; deals, actions, places, scores, hashes and ratings are right")
    if audit.compared is not None and audit.compared.matches:
        apart, matches = audit.compared.largest, audit.compared.matches
        page.line(f"online ratings: the trueskill package has the same to {apart:.0e} points ({matches:,} matches)")
    page.line(f"results_sha256 {audit.manifest.results_sha256}  commitment {audit.manifest.commitment}")


def _progress_line(audit: Audit) -> str:
    left = max(0, audit.manifest.played - audit.matches) / audit.rate if audit.rate else 0.0
    return (
        f"{audit.matches:,} of {audit.manifest.played:,} matches, {rate_text(audit.rate)}, {duration_text(left)} left, "
        f"{len(audit.problems)} problems so far"
    )
