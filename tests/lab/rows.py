"""Millions of rows, measured: what `python -m lab rows` prints. Made-up matches in the real format, read by the real commands.

Bots of known skill sit at tables of four; a deal favours some of its seats and is played in every rotation. Times spread as
measured ones do: by the bot, by the match, and the slowest decision far above the median. Action logs are left empty, since
no rating reads them. Pools are no games that exist, so that no rules are loaded.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from arena.ratings.models import STORED
from arena.ratings.settings import RatingSettings
from arena.records import Ending, MatchRecord, Rating, SeatRecord
from arena.results import parquet
from arena.results.manifest import BotEntry, Manifest, write_manifest

NAME = "rows"
SEED = 20161121
MATCHES = 2_500_000
SEATS = 4
POOLS = tuple(f"pool_{number}" for number in range(5))
BOTS = 100
DEALS_PER_TABLE = 10
DEALS_AT_ONCE = 2_000  # made with one call of every generator
FAULTS = 0.001  # share of seats
SKILL, BETA = RatingSettings().sigma, RatingSettings().beta  # standard deviations of bots, and of one match
LUCK = 2.0  # standard deviation of a seat's cards

Say = Callable[[str], None]


class Run(msgspec.Struct, frozen=True):
    """What one step cost."""

    wall_s: float
    cpu_s: float
    """CPU seconds of all processes of the step."""
    peak_mb: float
    """Largest resident memory of the step, in MB."""


class RowsCost(msgspec.Struct, frozen=True):
    """What so many rows cost."""

    rows: int
    bytes_a_row: float
    """Size of matches.parquet per row, times included."""
    write: Run
    """Making the matches up and writing them."""
    online: Run
    """`arena rerate`, all pools, with error bars."""
    batch: Run
    """`arena rerate --model trueskill-batch`."""
    totals: Run
    """Adding up decisions, times and endings, as a tournament does at its end."""
    board: Run
    """`arena leaderboard`, from what is stored."""


def rows_cost(out: Path, matches: int, say: Say) -> RowsCost:
    """Write a tournament of so many matches into `out` and measure each step in a process of its own."""
    folder = out / NAME
    folder.mkdir(parents=True, exist_ok=True)
    rows = matches * SEATS
    say(f"writing {rows:,} rows into {folder} ...")
    write = _measured([__file__, str(folder), str(matches)])[0]
    size = (folder / "matches.parquet").stat().st_size
    ratings: list[Rating] = []
    runs = []
    for model in STORED:
        say(f"rating them by {model} ...")
        run, text = _measured(["-m", "arena", "rerate", NAME, "--out", str(out), "--model", model, "--format", "json"])
        ratings += msgspec.json.decode(text, type=list[Rating])
        runs.append(run)
    parquet.write_ratings(folder, ratings)
    say("adding up what the board shows beside ratings ...")
    totals = _measured([__file__, str(folder)])[0]
    board = _measured(["-m", "arena", "leaderboard", NAME, "--out", str(out)])[0]
    online, batch = runs
    return RowsCost(rows, size / rows, write, online, batch, totals, board)


def write_rows(folder: Path, matches: int) -> None:
    """A manifest and the matches, in the real format; always the same ones."""
    source = np.random.default_rng(SEED)
    parquet.write_matches(folder, made_up(source, matches))
    bots = tuple(
        BotEntry(name=bot_name(bot), version=1, sha256=bot_sha256(bot), params="{}", games=POOLS, trusted=True)
        for bot in range(BOTS)
    )
    config = {"ratings": msgspec.to_builtins(RatingSettings())}
    write_manifest(
        folder,
        Manifest(
            name=folder.name, finished=True, started="2026-11-21T00:00:00+00:00", config=config, packages={}, rules_versions={},
            bots=bots, pools=POOLS, plan_sha256="", commitment="", matches=matches, played=matches,
        ),
    )  # fmt: skip


def made_up(source: np.random.Generator, matches: int) -> Iterator[MatchRecord]:
    """Made-up matches in plan order: pool by pool, table by table, deal by deal, rotation by rotation."""
    skill = source.normal(25.0, SKILL, (len(POOLS), BOTS))
    pace = source.lognormal(-2.5, 2.0, BOTS)  # ms, a bot's median decision
    index = 0
    for number, pool in enumerate(POOLS):
        wanted = matches * (number + 1) // len(POOLS) - index
        deals = -(-wanted // SEATS)
        for first in range(0, deals, DEALS_AT_ONCE):
            count = min(DEALS_AT_ONCE, deals - first)
            for record in _some_matches(source, pool, index, first, count, skill[number], pace):
                if wanted == 0:
                    break
                wanted -= 1
                index += 1
                yield record


def _some_matches(
    source: np.random.Generator, pool: str, index: int, first: int, deals: int, skill: Any, pace: Any
) -> Iterator[MatchRecord]:
    tables = -(-deals // DEALS_PER_TABLE)
    chosen = source.permuted(np.tile(np.arange(BOTS), (tables, 1)), axis=1)[:, :SEATS]
    players = np.repeat(np.repeat(chosen, DEALS_PER_TABLE, axis=0)[:deals], SEATS, axis=0)  # [matches, seats]
    rotations = np.tile(np.arange(SEATS), deals)
    players = players[np.arange(len(players))[:, None], (np.arange(SEATS) + rotations[:, None]) % SEATS]
    cards = np.repeat(source.normal(0.0, LUCK, (deals, SEATS)), SEATS, axis=0)
    shown = skill[players] + cards + source.normal(0.0, BETA, players.shape)
    scores = np.round(shown).astype(int)
    decisions = source.poisson(40, players.shape) + 1
    median = pace[players] * source.lognormal(0.0, 0.2, players.shape)
    total = median * decisions * source.lognormal(0.2, 0.1, players.shape)
    worst = np.minimum(total, median * (1.5 + source.lognormal(0.5, 0.7, players.shape)))
    wall = total * (1.0 + source.exponential(0.02, players.shape))
    is_fault = source.random(players.shape) < FAULTS
    scores = np.where(is_fault, -100, scores)
    places = 1 + (scores[:, None, :] > scores[:, :, None]).sum(axis=2)
    ids = source.bytes(12 * len(players)).hex()
    columns = [values.tolist() for values in (players, places, scores, is_fault, decisions, total, median, worst, wall)]
    for match, seats in enumerate(zip(*columns)):
        yield MatchRecord(
            index=index + match, match_id=ids[24 * match : 24 * match + 24], game=pool, pool=pool, options="{}",
            rules_version=1, deal=first + match // SEATS, rotation=match % SEATS, actions=(), delays=(),
            seats=tuple(_seat(seat, *values) for seat, values in enumerate(zip(*seats))),
        )  # fmt: skip


def _seat(
    seat: int, bot: int, place: int, score: int, is_fault: bool, decisions: int, total: float, median: float, worst: float,
    wall: float,
) -> SeatRecord:  # fmt: skip
    return SeatRecord(
        bot=bot_name(bot), bot_version=1, bot_sha256=_SHA256[bot], params="{}", unit=seat, place=place, score=float(score),
        ending=Ending.TIMEOUT if is_fault else Ending.PLAYED, fault_decision=decisions // 2 if is_fault else None,
        decisions=decisions, isolation="namespace", reproducible=not is_fault, cpu_ms_total=total, cpu_ms_p50=median,
        cpu_ms_max=worst, wall_ms_total=wall,
    )  # fmt: skip


def bot_name(number: int) -> str:
    """The name of a made-up bot."""
    return f"bot_{number:02}"


def bot_sha256(number: int) -> str:
    """The hash of a made-up bot, which has no files."""
    return f"{number:02x}" * 32


_SHA256 = tuple(map(bot_sha256, range(BOTS)))


def _measured(words: list[str]) -> tuple[Run, bytes]:
    """Run Python with these words; its figures and what it printed. Raises CalledProcessError."""
    began = time.monotonic()
    with subprocess.Popen([sys.executable, "-P", *words], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        text = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, words)
    unit = 1e6 if sys.platform == "darwin" else 1e3  # bytes there, kB elsewhere
    return Run(time.monotonic() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / unit), text


if __name__ == "__main__":
    if len(sys.argv) == 2:
        parquet.write_totals(Path(sys.argv[1]))
    else:
        write_rows(Path(sys.argv[1]), int(sys.argv[2]))
