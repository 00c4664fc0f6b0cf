"""`arena bench fuzz`: damaged inputs by the thousand, and what the commands make of them."""

import os
import secrets
from typing import Annotated

import msgspec
import typer

from arena.cli.fuzzing.campaign import Outcome, campaign, try_one
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import FormatOption, Workers
from arena.cli.shared.printing import Format, error_console, plain_text, show
from arena.cli.shared.rooms import all_ready
from arena.cli.shared.tables import write_table
from arena.errors import ConfigError
from arena.report.terminal.page import Page
from arena.workers.processes import check_workers


def fuzz(
    minutes: Annotated[float, typer.Option("--minutes", metavar="N", help="How long to try inputs.")] = 1.0,
    seed: Annotated[str | None, typer.Option("--seed", metavar="TEXT", help="Seed of the inputs. Default: random.")] = None,
    only: Annotated[
        int | None, typer.Option("--only", metavar="NUMBER", help="Try one input of that seed again, and show what it does.")
    ] = None,
    workers: Workers = None,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure how commands take damaged inputs.

    Configs, positions, traces, capsules, bots, results and options are damaged. Each input must end with a result or one
    message: no traceback, no hang, exit code 0 to 3. Exit code 0: all did, 1: not all.
    """
    if not 0 < minutes <= 10_000:
        raise ConfigError(f"--minutes: more than 0 and at most 10,000, not {minutes:g}")
    if only is not None and seed is None:
        raise ConfigError("--only: with the --seed of the inputs")
    check_workers(workers)
    all_ready(None)
    chosen = seed or secrets.token_hex(4)
    if only is not None:
        found = try_one(chosen, only)
    else:
        with error_console().status("trying inputs") as status:
            found = campaign(
                chosen, 60 * minutes, workers or os.cpu_count() or 1,
                lambda found: status.update(plain_text(f"{found.tried.total():,} inputs, {len(found.findings)} findings")),
            )  # fmt: skip
    show(
        format,
        lambda page: _write(page, chosen, found),
        {"seed": chosen, "inputs": found.tried, "findings": [_row(one, found) for one in found.findings]},
        [_row(one, found) for one in found.findings],
        columns=("number", "kind", "words", "trouble", "said", "inputs"),
    )
    return NO if found.findings else DONE


def _row(finding: object, found: Outcome) -> dict[str, object]:
    row: dict[str, object] = msgspec.to_builtins(finding)
    return {**row, "inputs": found.troubles[str(row["trouble"])]}


def _write(page: Page, seed: str, found: Outcome) -> None:
    rows = [(kind, f"{count:,}") for kind, count in sorted(found.tried.items())]
    write_table(page, f"{found.tried.total():,} inputs, seed {seed}", ("kind", "inputs"), rows)
    page.say("")
    if not found.findings:
        page.say("each ended with a result or one message", "bold green")
    for finding in found.findings:
        page.say(f"{finding.trouble}: {found.troubles[finding.trouble]:,} inputs, such as", "bold red")
        page.say(f"  arena {' '.join(finding.words)}"[: page.width])
        page.say(f"  again: arena bench fuzz --seed {seed} --only {finding.number}")
        for line in finding.said.splitlines()[-12:]:
            page.say(f"    {line}")
