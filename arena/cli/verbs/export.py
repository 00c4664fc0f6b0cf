"""`arena export NAME --to FOLDER`: the decisions of finished tournaments as data to learn from."""

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.shared.boards import find_folder
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import Out, Workers
from arena.cli.shared.printing import NowAndThen, duration_text, note, rate_text, say
from arena.engine.readiness import ENCODING
from arena.errors import ConfigError, StoreError
from arena.results.people import PEOPLE
from arena.results_folder import RESULTS
from arena.tournament.archive.folder import ARCHIVE, check_place, entries
from arena.tournament.workers.compiling import warm_games
from arena.tournament.workers.processes import available_cpus, check_workers

if TYPE_CHECKING:
    from arena.learning.dataset.choice import Choice
    from arena.learning.dataset.index import Index
    from arena.learning.dataset.writing import Progress

DECISIONS_FOR_ALL = 1_000_000  # below, starting more processes takes longer than it saves


def export(
    to: Annotated[Path, typer.Option("--to", metavar="FOLDER", help="New folder for the dataset.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME",
            help="Names of tournaments, `archive` for all in the archive, or `people` for matches of people who all agreed. "
            "Default: the newest tournament.",
        ),
    ] = None,
    game: Annotated[
        list[str] | None, typer.Option("--game", metavar="GAME", help="Only this game or rating pool. Repeatable.")
    ] = None,
    bot: Annotated[
        list[str] | None, typer.Option("--bot", metavar="BOT", help="Only decisions of this bot. Repeatable.")
    ] = None,
    action_features: Annotated[
        bool, typer.Option("--action-features", help="Write the features of each legal action, too.")
    ] = False,
    trajectories: Annotated[
        bool, typer.Option("--trajectories", help="Write the matches as OpenSpiel's trajectories, too, all cards open.")
    ] = False,
    workers: Workers = None,
    out: Out = RESULTS,
) -> int:
    """Write the decisions of finished tournaments, or of people's matches, as a dataset.

    A row for each decision: what the seat knew, its legal actions, its choice, and what came of it. Parquet files, a data card
    and an index. The same results give the same bytes. A small dataset is written by one process unless --workers says
    otherwise.
    """
    from arena.learning.dataset.choice import Choice  # only now: pyarrow takes most of the start, and --help does without
    from arena.learning.dataset.writing import check_target

    check_workers(workers)
    check_target(to)
    if trajectories and find_spec("pyspiel") is None:
        raise ConfigError(
            "--trajectories: OpenSpiel is not installed here; install it with: pip install 'arena-hall[openspiel]'"
        )
    choice = Choice(
        pools=_each_once(game), bots=_each_once(bot), with_action_features=action_features,
        with_trajectories=trajectories,
    )  # fmt: skip
    if PEOPLE in (names or []):
        index = _export_people(out, names or [], to, choice, workers)
    else:
        index = _export_tournaments(out, names or [], to, choice, workers)
    decisions, matches = (sum(getattr(one, what) for one in index.tournaments) for what in ("decisions", "matches"))
    size = sum(shard.bytes for shard in index.shards) / 1e6
    files = "1 file" if len(index.shards) == 1 else f"{len(index.shards):,} files"
    say(f"{to}: {decisions:,} decisions of {matches:,} matches, {files}, {size:.1f} MB")
    return DONE


def _export_tournaments(out: Path, names: list[str], to: Path, choice: "Choice", workers: int | None) -> "Index":
    from arena.learning.dataset.writing import decisions_in, read_tournaments, write_dataset

    tournaments = read_tournaments(_folders(out, names), choice)
    played = {name for one in tournaments for name in choice.games(one.plan)}
    warm_games(dict.fromkeys(sorted(played), (ENCODING,)), note)
    if workers is None:
        workers = available_cpus() if decisions_in(tournaments, choice) >= DECISIONS_FOR_ALL else 1
    return write_dataset(
        tournaments, to, choice, command=_command([one.manifest.name for one in tournaments], choice), workers=workers,
        on_progress=NowAndThen(_progress_line),
    )  # fmt: skip


def _export_people(out: Path, names: list[str], to: Path, choice: "Choice", workers: int | None) -> "Index":
    """Write people's matches, in this process: there are few. Raises ConfigError for other names beside it."""
    from arena.learning.dataset.people import read_people, write_people

    if len(names) > 1:
        raise ConfigError(f"{PEOPLE}: people's matches are a dataset of their own; leave the other names out")
    if workers not in (None, 1):
        raise ConfigError(f"--workers {workers}: people's matches are written by one process; leave it out")
    matches = read_people(out, choice)
    played = {one.record.game for one in matches.agreed}
    warm_games(dict.fromkeys(sorted(played), (ENCODING,)), note)
    return write_people(matches, to, choice, command=_command([PEOPLE], choice), on_progress=NowAndThen(_progress_line))


def _folders(out: Path, names: list[str]) -> list[Path]:
    """The folders of the tournaments. Raises ConfigError for names beside `archive`, StoreError for what is not there."""
    if ARCHIVE not in names:
        return [find_folder(out, name) for name in names] or [find_folder(out, None)]
    if len(names) > 1:
        raise ConfigError(f"{ARCHIVE}: holds all tournaments; leave the other names out")
    check_place(out / ARCHIVE)
    found = entries(out / ARCHIVE)
    if not found:
        raise StoreError(f"{out / ARCHIVE}: the archive is empty; every tournament enters it when it ends")
    return [entry.folder for entry in found]


def _each_once(words: list[str] | None) -> tuple[str, ...]:
    return tuple(sorted(set(words or ())))


def _command(names: list[str], choice: "Choice") -> str:
    """What makes the same dataset again, on any machine: the folders are named by whoever does."""
    words = ["arena export", *names, "--to FOLDER"]
    for option, values in (("--game", choice.pools), ("--bot", choice.bots)):
        words += [f"{option} {value}" for value in values]
    words += ["--action-features"] * choice.with_action_features + ["--trajectories"] * choice.with_trajectories
    return " ".join(words)


def _progress_line(progress: "Progress") -> str:
    return (
        f"{progress.decisions:,} of {progress.total:,} decisions, {rate_text(progress.rate)}, "
        f"{duration_text(progress.seconds_left)} left"
    )
