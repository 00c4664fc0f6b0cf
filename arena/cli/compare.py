"""`arena compare CONFIG`: is the first candidate better than the second? The exit code answers, too."""

import sys
from enum import StrEnum
from typing import Annotated

import msgspec
import typer

from arena.cli.tournament import (
    INTERRUPTED,
    Address,
    BackendName,
    ConfigPath,
    Fresh,
    Name,
    Out,
    Seed,
    TrustBots,
    Workers,
    play,
)
from arena.formats.comparison import Comparison
from arena.tournament import DEFAULT_FOLDER, RAY, Settings

BETTER, NOT_BETTER, NOT_DECIDED = 0, 1, 3  # exit codes; 2 is a user's mistake


class Form(StrEnum):
    """How to print."""

    TEXT = "text"
    JSON = "json"


def compare(
    config: ConfigPath, backend: BackendName = RAY, workers: Workers = None, out: Out = DEFAULT_FOLDER,
    address: Address = None, seed: Seed = None, fresh: Fresh = False, name: Name = None, unsafe_trust_bots: TrustBots = False,
    format: Annotated[Form, typer.Option(help="How to print.")] = Form.TEXT,
) -> int:  # fmt: skip
    """Is the first candidate better? Plays until that is sure. Exit code 0: yes, 1: no, 3: not decided, 2: a mistake."""
    settings = Settings(
        out=out, backend=backend, workers=workers, address=address, seed=seed, name=name, fresh=fresh,
        unsafe_trust_bots=unsafe_trust_bots,
    )  # fmt: skip
    results = play("compare", config, settings)
    if results is None:
        return INTERRUPTED
    course = results.course
    assert isinstance(course, Comparison)
    evidence = course.evidence()
    if format is Form.JSON:
        answer = {
            "candidates": course.names,
            "verdict": evidence[0].verdict,
            "outcome": course.outcome,
            "matches": results.manifest.played,
            "evidence": evidence,
            "results_sha256": results.manifest.results_sha256,
        }
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(answer), indent=2).decode() + "\n")
    else:
        for line in (*(course.line(found) for found in evidence), course.outcome):
            typer.echo(line)
    return {"better": BETTER, "open": NOT_DECIDED}.get(evidence[0].verdict, NOT_BETTER)
