"""`arena tune CONFIG`: find good settings of a bot by play."""

import json
from pathlib import Path
from typing import Any

from arena.cli.shared.exit_codes import DONE, INTERRUPTED
from arena.cli.shared.options import ConfigPath, FormatOption
from arena.cli.shared.printing import Format, show
from arena.cli.shared.running import on_screen, with_run_options
from arena.disk import write_whole
from arena.reports.table import Column, Row, Table
from arena.reports.terminal import Page
from arena.tournament.formats.compare import share_of
from arena.tournament.session import Settings
from arena.tournament.tuning import BEST_FILE, Candidate, Round, Tuned, read_tuning, run_tuning


@with_run_options
def tune(config: ConfigPath, settings: Settings, format: FormatOption = Format.TABLE) -> int:
    """Find good parameters of a bot by playing many candidates.

    In each round the better half plays on. At the end the best candidate meets the bot as it was, on new deals. The same
    config gives the same parameters, and the same command resumes.
    """
    tuning = read_tuning(config, settings)
    tuned = on_screen("tune", config, settings, lambda settings, screen: run_tuning(tuning, settings, screen))
    if tuned is None:
        return INTERRUPTED
    file = tuned.folder / BEST_FILE
    text = _best_text(config, tuned)
    write_whole(file, text.encode())

    def write(page: Page) -> None:
        page.table(_table(tuned.rounds))
        page.say("")
        for line in [*text.rstrip("\n").splitlines(), f"written to {file}"]:
            page.line(line)

    document = _document(tuned)
    rows = [
        {"generation": played["generation"], "round": played["round"], **candidate}
        for played in document["rounds"]
        for candidate in played["candidates"]
    ]
    show(format, write, document, rows)
    return DONE


def _table(rounds: tuple[Round, ...]) -> Table:
    columns = [
        Column("generation", "d"), Column("round", "d"), Column("candidates", "d"), Column("deals", ","),
        Column("best", is_name=True), Column("before rivals", ".1%"), Column("interval", ">"), Column("settings", dropped=1),
    ]  # fmt: skip
    best = [played.candidates[0] for played in rounds]
    rows: list[Row] = [
        [
            played.generation, played.number, len(played.candidates), deals, candidate.name, share_of(mean),
            f"{share_of(low):.1%} to {share_of(high):.1%}", _plain(candidate.settings),
        ]
        for played, (candidate, mean, (low, high), deals) in zip(rounds, best)
    ]  # fmt: skip
    return Table(columns, rows)


def _best_text(config: Path, tuned: Tuned) -> str:
    """The result as YAML, to be put into a config: what was found, how, and what it is worth."""
    tuning, asked = tuned.tuning, tuned.tuning.asked
    lines = [
        f"# {asked.bot}: the best of {asked.candidates} candidates in each of {asked.generations} generations",
        f"# found by: arena tune {config} --seed {tuning.seed}",
    ]
    if tuned.final is None:
        lines.append("# nothing better than the start was found: this is the start")
    else:
        found = tuned.final
        verdicts = {"better": "better", "worse": "worse: keep the start", "equal": "no difference that matters"}
        lines.append(
            f"# {tuned.best.name} against the start, on {found.deals:,} new deals: finishes before it in "
            f"{share_of(found.estimate or 0.0):.1%} ({share_of(found.low):.1%} to {share_of(found.high):.1%}): "
            f"{verdicts.get(found.verdict, 'not sure which is better')}"
            + (" (stopped early: estimate drawn towards 50 %)" if found.is_drawn else "")
        )
    return "\n".join([*lines, f"params: {_plain(tuned.params)}", ""])


def _document(tuned: Tuned) -> dict[str, Any]:
    """The whole result for programs; `share`: the share of opponents that a candidate finishes before, a tie counting half."""

    def told(candidate: Candidate, mean: float, interval: tuple[float, float], deals: int) -> dict[str, Any]:
        low, high = map(share_of, interval)
        return {
            "name": candidate.name, "settings": candidate.settings, "share": share_of(mean), "low": low, "high": high,
            "deals": deals,
        }  # fmt: skip

    rounds = [
        {"generation": played.generation, "round": played.number, "candidates": [told(*row) for row in played.candidates]}
        for played in tuned.rounds
    ]
    return {
        "name": tuned.tuning.base.name, "bot": tuned.tuning.asked.bot, "seed": tuned.tuning.seed,
        "best": {"name": tuned.best.name, "settings": tuned.best.settings, "params": tuned.params},
        "final": tuned.final, "rounds": rounds,
    }  # fmt: skip


def _plain(value: object) -> str:
    """The value as JSON, which is YAML and (but for true, false and null) Python too; YAML reads its numbers as numbers."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)}: {_plain(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_plain, value)) + "]"
    if isinstance(value, float):
        mantissa, _, exponent = repr(value).partition("e")
        return f"{mantissa}{'' if '.' in mantissa else '.0'}e{exponent}" if exponent else mantissa  # to YAML, 2e-05 is text
    return json.dumps(value)
