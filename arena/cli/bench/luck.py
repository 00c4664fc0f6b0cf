"""`arena bench luck`: whether corrections for luck are 0 on average, and how many deals they save."""

from collections.abc import Sequence
from typing import Annotated

import typer

from arena import games
from arena.bench.luck import COMPARED, ITERATIONS, SIMULATED, Certainty, Fairness, measure, tables
from arena.bench.luck_boards import BOARDS, DEALS, PLAYERS, BoardCertainty
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, RuleOptions, Workers
from arena.cli.shared.printing import Format, note, refuse_csv, show
from arena.cli.shared.rooms import all_ready
from arena.cli.shared.tables import write_table
from arena.engine.options import parse_options
from arena.errors import ConfigError
from arena.readiness import CHANCE
from arena.report.terminal.page import Page
from arena.search import Settings
from arena.workers.processes import available_cpus, check_workers

MATCHES = 100_000


def luck(
    game: Annotated[
        list[str] | None, typer.Option("--game", metavar="GAME", help="Measure this game alone. Repeatable. Default: all.")
    ] = None,
    seats: Annotated[
        list[int] | None,
        typer.Option("--seats", metavar="N", help="Measure tables of this size. Repeatable. Default: the smallest."),
    ] = None,
    option: RuleOptions = None,
    matches: Annotated[
        int, typer.Option("--matches", metavar="N", min=100, help="Matches of each game and kind of players.")
    ] = MATCHES,
    searched: Annotated[
        int,
        typer.Option(
            "--searched", metavar="N", min=0, help=f"The same of searches of {ITERATIONS[0]} and {ITERATIONS[1]} iterations."
        ),
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Which deals: those of another seed are others.")] = 0,
    workers: Workers = None,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure whether corrections for luck are fair, and the deals that they save.

    Plays quick matches with every game's own policy: with itself, with one that slips, with random play. Takes hours with the
    default number of matches; a tenth of it tells as much of most games.
    """
    refuse_csv(format, "this result")
    check_workers(workers)
    names = [name for name in game or games.names() if games.has_luck(name)]
    if not names:
        raise ConfigError(f"--game {', '.join(game or [])}: its room does not say what chance decides in it")
    asked = tables(names, seats or (), parse_options(option or []))
    all_ready(names, (CHANCE, Settings(iterations=1).method) if searched else (CHANCE,))
    fair, certain, boards = measure(asked, matches, searched, seed, workers or available_cpus(), note)
    found = {"fairness": fair, "certainty": certain, "boards": boards}
    show(format, lambda page: _write(page, fair, certain, boards), found)
    return DONE


def _name(row: Fairness | Certainty) -> str:
    return " ".join([row.game, *(f"{key}={value}" for key, value in row.options.items())])


def _write(page: Page, fair: Sequence[Fairness], certain: Sequence[Certainty], boards: Sequence[BoardCertainty]) -> None:
    page.say(
        "Mean luck of each seat, of deals and of what is drawn later: `worst` is the largest one, in standard errors. `spread` "
        "and `error` are shares of rivals beaten."
    )
    page.say("")
    write_table(
        page, "Luck is 0 on average", ("game", "seats", "players", "matches", "events", "spread", "error", "worst"),
        [
            (
                _name(row), str(row.seats), row.players, f"{row.matches:,}", f"{row.events:.1f}", f"{row.luck:.3f}",
                f"{row.error:.5f}", f"{row.worst:.2f}",
            )
            for row in fair
        ],
        names=1,
    )  # fmt: skip
    page.say("")
    page.say(
        f"What a deal is worth in deals: by its rotations, and by luck beyond them (`single`: without rotations). `covered`: "
        f"how often the 95 % interval of {COMPARED[0]} deals held the truth; `wrong`: how often a comparison of equals found a "
        f"difference ({SIMULATED:,} simulated ones each); `deals`: those of a comparison, in parts of those without luck."
    )
    page.say("")
    write_table(
        page, "Deals saved", ("game", "seats", "rotations", "luck", "single", "covered", "wrong", "deals"),
        [
            (
                _name(row), str(row.seats), f"{row.rotations:.2f}", f"{row.luck:.2f}", f"{row.single:.2f}",
                f"{row.covered:.1%}", f"{row.wrong:.1%}", f"{row.decided:.2f}",
            )
            for row in certain
        ],
        names=1,
    )  # fmt: skip
    if not boards:
        return
    page.say("")
    page.say(
        f"{BOARDS:,} boards of {DEALS} deals and {len(PLAYERS)} players at tables of two: how often their 95 % intervals held "
        f"the truth, with luck and without; what a deal without luck is worth in deals, as the boards say and as it was found."
    )
    page.say("")
    write_table(
        page, "Boards without luck", ("game", "bank", "held", "held without", "worth", "found"),
        [
            (
                row.game, f"{row.bank:,}", f"{row.covered:.1%}", f"{row.covered_without:.1%}", f"{row.promised:.2f}",
                f"{row.found:.2f}",
            )
            for row in boards
        ],
        names=1,
    )  # fmt: skip
