"""The leaderboard: snapshots at two widths, machine-readable forms, notes, and `arena leaderboard`."""

import csv
import io
import json
import os
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from rich.console import Console

from arena.cli.main import USER_ERROR, main
from arena.ratings.settings import OVERALL
from arena.records import Ending, Rating
from arena.reports.board import chosen_pools, headline
from arena.reports.data import csv_text, json_text
from arena.reports.printed import leaders, print_board
from arena.reports.table import Column, Table
from arena.reports.terminal import ConsolePage, MarkdownPage
from arena.results import parquet
from arena.results.manifest import Manifest, read_manifest, write_manifest
from arena.results.schema import SeatTotals
from helpers.records import make_record, make_seat
from helpers.results import make_manifest


def make_rating(bot: str, rank: int | None, mu: float, sigma: float = 0.5, pool: str = "naga", **changes: Any) -> Rating:
    values: dict[str, Any] = {
        "model": "trueskill", "pool": pool, "bot": bot, "bot_version": 1, "mu": mu, "sigma": sigma, "rating": mu - 3 *
        sigma,
        "low": mu - 1.96 * sigma, "high": mu + 1.96 * sigma, "rank": rank, "rank_low": rank, "rank_high": rank,
        "matches": 1200, "wins": 700, "mean_place": 1.417, "faults": 0,
    }  # fmt: skip
    return Rating(**values | changes)


NAGA = [
    make_rating("naga_planner", 1, 30.0, rank_high=2),
    make_rating("ismcts_that_thinks_for_a_very_long_time", 2, 29.5, rank_low=1),
    make_rating("crashy", 3, 24.25, faults=3, bot_version=2),
    make_rating("idle", 4, 25.0, 25 / 3, matches=0, wins=0, mean_place=0.0),
]
OTHERS = ("idle", "fourth", "fifth", "sixth")
"""With one more they are enough for an overall ranking."""
TOTALS = [
    SeatTotals("naga", "naga_planner", 1, Ending.PLAYED, 1200, 20000, 64000.0, 3.2, 1234.5),
    SeatTotals("naga", "crashy", 2, Ending.PLAYED, 1197, 20000, 500.0, 0.025, 0.5),
    SeatTotals("naga", "crashy", 2, Ending.CRASH, 2, 10, 0.0),
    SeatTotals("naga", "crashy", 2, Ending.TIMEOUT, 1, 10, 0.0, 0.0, 2.0),
]


def shown(width: int, ratings: list[Rating] = NAGA, manifest: Manifest | None = None, **settings: Any) -> str:
    console = Console(file=io.StringIO(), width=width, force_terminal=False)
    print_board(manifest or make_manifest(), ratings, ConsolePage(console), **settings)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert text.isascii()
    assert all(len(line) <= width and line == line.rstrip() for line in text.splitlines())
    return "\n" + text


WIDE = """
duel: 2,400 matches; 100 deals a table; crash 2, timeout 1, host 4; finished

rank       bot                            rating             mu  sigma  matches   wins  place  faults  ms/move  worst ms
---------  -----------------------------  ------  -------------  -----  -------  -----  -----  ------  -------  --------
  1 (1-2)  naga_planner                    28.50  30.00 +- 0.98   0.50    1,200  58.3%   1.42              3.2   1,234.5
~ 2 (1-2)  ismcts_that_thinks_for_a_v...   28.00  29.50 +- 0.98   0.50    1,200  58.3%   1.42                -         -
  3        crashy v2                       22.75  24.25 +- 0.98   0.50    1,200  58.3%   1.42       3    0.025       2.0
  4        idle                             0.00  25.00 +-16.33   8.33        0      -      -                -         -

~ not separable from the bot above; in brackets the ranks that are possible: with 95 % all brackets hold at once
rating is mu - 3 sigma here: sigma takes every match for an independent one
faults of crashy v2 in naga: crash 2, timeout 1
retired, because it forfeited again and again: crashy
void matches, which the host could not finish, not rated: 2
"""
NARROW = """
duel: 2,400 matches; 100 deals a table; crash 2, timeout 1,
host 4; finished

rank       bot                 rating             mu  faults
---------  ------------------  ------  -------------  ------
  1 (1-2)  naga_planner         28.50  30.00 +- 0.98
~ 2 (1-2)  ismcts_that_thi...   28.00  29.50 +- 0.98
  3        crashy v2            22.75  24.25 +- 0.98       3
  4        idle                  0.00  25.00 +-16.33

~ not separable from the bot above; in brackets the ranks
that are possible: with 95 % all brackets hold at once
rating is mu - 3 sigma here: sigma takes every match for an
independent one
faults of crashy v2 in naga: crash 2, timeout 1
retired, because it forfeited again and again: crashy
void matches, which the host could not finish, not rated: 2
"""


def test_wide_table() -> None:
    assert shown(120, totals=TOTALS) == WIDE


def test_narrow_table() -> None:
    assert shown(60, totals=TOTALS) == NARROW


@pytest.mark.parametrize("width", range(30, 180, 7))
def test_numbers_never_wrap(width: int) -> None:
    text = shown(max(width, 42), totals=TOTALS)
    rows = [line for line in text.splitlines() if "(1-2)" in line]
    assert [row.split()[:2] for row in rows] == [["1", "(1-2)"], ["~", "2"]]
    assert "28.50" in rows[0]


def test_a_terminal_gets_colours_and_an_ascii_one_does_not_break() -> None:
    console = Console(file=io.StringIO(), width=140, force_terminal=True, color_system="standard", legacy_windows=False)
    print_board(make_manifest(), NAGA, ConsolePage(console), totals=TOTALS)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b[" in text
    assert "●" in text and "±" in text and "─" in text
    assert "28.50" in text


def test_what_has_room_is_not_told_twice() -> None:
    text = shown(180, totals=TOTALS)
    assert [line.split("  ")[-1] for line in text.splitlines() if "crashy v2" in line] == ["crash 2, timeout 1"]


def test_overall_costs_are_the_mean_median_and_the_worst_of_the_pools() -> None:
    pools = (OVERALL, "naga", "yaniv")
    ratings = [
        make_rating(bot, rank, 25.0 - rank, pool=pool) for pool in pools for rank, bot in enumerate(["crashy", *OTHERS], 1)
    ]
    totals = [
        SeatTotals("naga", "crashy", 1, Ending.PLAYED, 5, 9, 0.0, 3.0, 4.0),
        SeatTotals("naga", "crashy", 1, Ending.CRASH, 4, 9, 0.0, 50.0, 60.0),
        SeatTotals("yaniv", "crashy", 1, Ending.PLAYED, 500, 9, 0.0, 2.0, 7.0),
    ]
    lines = shown(150, ratings, make_manifest(pools=("naga", "yaniv")), totals=totals).splitlines()
    cells = [line.split() for line in lines if "crashy" in line and "24.0" in line]
    assert [(row.count("2.5"), row.count("60.0")) for row in cells] == [(1, 1), (0, 1), (0, 0)]


def test_a_note_says_what_the_rotations_saved() -> None:
    note = "by playing each deal in all its seatings, a match tells as much as this many independent ones: naga 1.83"
    assert note in shown(120, manifest=make_manifest(rotations_saved={"naga": 1.8321, "gone": 2.0})).splitlines()


MARKDOWN = """# duel: 2,400 matches; 100 deals a table; no faults; finished

| rank | bot | rating | mu | sigma | matches | wins | place | ms/move | worst ms |
|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|
| 1 (1-2) | naga_planner | 28.50 | 30.00 +- 0.98 | 0.50 | 1,200 | 58.3% | 1.42 | 3.2 | 1,234.5 |
| ~ 2 (1-2) | ismcts_that_thinks_for_a_very_long_time | 28.00 | 29.50 +- 0.98 | 0.50 | 1,200 | 58.3% | 1.42 | - | - |

~ not separable from the bot above; in brackets the ranks that are possible: with 95 % all brackets hold at once

rating is mu - 3 sigma here: sigma takes every match for an independent one
"""


def test_markdown() -> None:
    page = MarkdownPage()
    print_board(make_manifest(bots=(), endings={}, void=0), NAGA[:2], page, totals=TOTALS[:1])
    assert page.text == MARKDOWN
    page.table(Table([Column("bot", ">")], [["a|b\nc"]]))
    assert page.text.endswith("| a\\|b c |\n")


def test_overall_comes_first_and_pools_are_compact() -> None:
    ratings = [
        *NAGA,
        make_rating("naga_planner", 1, 31.0, pool="yaniv"),
        make_rating("naga_planner", 1, 30.5, 0.35, pool=OVERALL),
        *(make_rating(bot, rank, 20.5, 0.35, pool=OVERALL) for rank, bot in enumerate(OTHERS, 2)),
        make_rating("crashy", None, 24.25, pool=OVERALL, bot_version=2),
    ]
    manifest = make_manifest(
        name="cup", pools=("yaniv", "naga"), finished=False, config={}, matches=5000, endings={}, bots=(), void=0
    )
    lines = shown(140, ratings, manifest).splitlines()
    assert lines[1] == "cup: 2,400 of 5,000 matches; no faults; not finished"
    assert [line for line in lines if line in ("overall", "yaniv", "naga")] == ["overall", "yaniv", "naga"]
    headers = [line for line in lines if line.startswith("rank")]
    assert all("sigma" in header for header in headers)
    assert ["95 % interval" in header for header in headers] == [True, False, False]
    assert not any("sigma" in line.split() for line in shown(60, ratings, manifest).splitlines() if line.startswith("rank"))
    assert "no overall rank, because a pool is missing (it has matches in): crashy v2 (naga)" in lines
    assert any(line.split()[:3] == ["-", "crashy", "v2"] for line in lines)


def test_where_few_play_all_games_it_is_said_why_there_is_no_overall_ranking() -> None:
    """Once, three copies of a bot were ranked 1 to 3, with the others unranked at 113 and 104 on the same scale."""
    three = [make_rating(bot, rank, 25.0, pool=OVERALL) for rank, bot in enumerate(OTHERS[:3], 1)]
    manifest = make_manifest(pools=("yaniv", "naga"))
    lines = shown(140, [*NAGA, make_rating("idle", 1, 31.0, pool="yaniv"), *three], manifest).splitlines()
    assert "overall" not in lines
    assert "no overall ranking: 3 of 3 bots play all games; it takes 5, and half of them" in lines
    assert not any("no overall" in line for line in shown(140, [*NAGA, *three[:1]], manifest).splitlines())


def test_headline_says_what_is_known() -> None:
    assert headline(make_manifest()) == "duel: 2,400 matches; 100 deals a table; crash 2, timeout 1, host 4; finished"
    config = {"entries": [{"deals": 100}, {"deals": 4}, {}]}
    assert "4 to 100 deals a table" in headline(make_manifest(config=config))


def test_chosen_pools() -> None:
    entries = [
        {"game": "nana", "pool": "nana-duel"},
        {"game": "naga", "pool": "naga"},
        {"game": "nana", "pool": "nana-4"},
    ]
    manifest = make_manifest(pools=("nana-duel", "naga", "nana-4"), config={"entries": entries})
    overall = [make_rating(bot, 1, 25.0, pool=OVERALL) for bot in ("crashy", *OTHERS)]
    assert chosen_pools(manifest, overall) == [OVERALL, "nana-duel", "naga", "nana-4"]
    assert chosen_pools(manifest, overall[:4]) == ["nana-duel", "naga", "nana-4"]  # their spread says nothing
    unranked = [make_rating(f"unranked_{number}", None, 100.0, pool=OVERALL) for number in range(6)]
    assert chosen_pools(manifest, [*overall, *unranked[:5]]) == [OVERALL, "nana-duel", "naga", "nana-4"]
    assert chosen_pools(manifest, [*overall, *unranked]) == ["nana-duel", "naga", "nana-4"]
    assert chosen_pools(manifest, [], "nana") == ["nana-duel", "nana-4"]
    assert chosen_pools(manifest, [], "nana-4") == ["nana-4"]
    assert chosen_pools(manifest, [], OVERALL) == [OVERALL]
    assert chosen_pools(make_manifest(), NAGA) == ["naga"]


def test_leaders() -> None:
    assert leaders(NAGA, 2) == (
        "  1 (1-2)  naga_planner                              28.50\n~ 2 (1-2)  ismcts_that_thinks_for_a_very_long_time   28.00"
    )
    yaniv = [make_rating("crashy", 1, 31.0, pool="yaniv"), make_rating("idle", 2, 30.0, pool="yaniv")]
    overall = [make_rating("crashy", 1, 22.0, pool=OVERALL), make_rating("idle", None, 30.0, pool=OVERALL)]
    assert leaders([*NAGA[2:], *yaniv, *overall], 3) == "naga   crashy v2   22.75\nyaniv  crashy      29.50"
    overall = [make_rating(bot, rank, 23.0 - rank, pool=OVERALL) for rank, bot in enumerate(["crashy", *OTHERS], 1)]
    assert leaders([*NAGA, *yaniv, *overall], 2) == "  1  crashy   20.50\n  2  idle     19.50"
    assert leaders([], 3) == ""


def test_json_and_csv_have_the_keys_of_a_rating() -> None:
    ratings = [*NAGA, make_rating("crashy", None, 24.25, pool=OVERALL)]
    objects = json.loads(json_text(ratings))
    assert [tuple(item) for item in objects] == [Rating.__struct_fields__] * 5
    assert [Rating(**item) for item in objects] == ratings
    rows = list(csv.DictReader(io.StringIO(csv_text(ratings, Rating.__struct_fields__))))
    assert list(rows[0]) == list(Rating.__struct_fields__)
    assert [float(row["mu"]) for row in rows] == [rating.mu for rating in ratings]
    assert (rows[-1]["rank"], rows[0]["rank"]) == ("", "1")


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two tournaments, of which `duel` was written last."""
    for age, name in enumerate(["duel", "cup"]):
        folder = tmp_path / name
        folder.mkdir()
        write_manifest(folder, make_manifest(name=name))
        os.utime(folder / "manifest.json", (1e9 - age, 1e9 - age))
        parquet.write_ratings(folder, NAGA)
        parquet.write_matches(folder, [make_record(seats=(make_seat("naga_planner"), make_seat("idle", 2)))])
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


def run(out: Path, *words: str) -> int:
    return main(["leaderboard", *words, "--out", str(out)])


def test_the_newest_tournament_is_shown(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(out) == 0
    text = capsys.readouterr().out
    assert text.startswith("duel: 2,400 matches")
    assert "ms/move" in text
    assert run(out, "cup") == 0
    assert capsys.readouterr().out.startswith("cup: 2,400 matches")


@pytest.mark.parametrize("words", [(), ("--game", "naga")])
def test_formats_for_programs(out: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    assert run(out, "--format", "json", *words) == 0
    assert len(json.loads(capsys.readouterr().out)) == len(NAGA)
    assert run(out, "--format", "csv", *words) == 0
    sheet = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [(row["pool"], row["rank"], row["bot"], row["mu"]) for row in sheet] == [
        (one.pool, str(one.rank or ""), one.bot, str(one.mu)) for one in NAGA
    ]
    assert sheet[0]["separable"] == "" and {row["separable"] for row in sheet[1:]} <= {"true", "false", ""}


def test_a_spreadsheet_has_one_model_and_says_who_cannot_be_told_apart(
    out: Path, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    batch = [make_rating("naga_planner", 1, 33.0, model="trueskill-batch")]
    parquet.write_ratings(out / "duel", [*NAGA, *batch])
    assert run(out, "--format", "csv") == 0
    assert "trueskill-batch" not in capsys.readouterr().out
    assert run(out, "--format", "csv", "--model", "trueskill-batch") == 0
    assert [row["model"] for row in csv.DictReader(io.StringIO(capsys.readouterr().out))] == ["trueskill-batch"]


def test_a_comparison_shows_no_bot_that_had_nothing_to_play(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(out) == 0 and "idle" in capsys.readouterr().out
    manifest = read_manifest(out / "duel")
    write_manifest(out / "duel", replace(manifest, outcome="naga_planner is better than crashy"))
    assert run(out, "duel") == 0 and "idle" not in capsys.readouterr().out


def test_one_model_is_shown(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    batch = [make_rating("naga_planner", 1, 33.0, model="trueskill-batch")]
    parquet.write_ratings(out / "duel", [*NAGA, *batch])
    assert run(out, "--format", "json", "--model", "trueskill-batch") == 0
    assert capsys.readouterr().out == json_text(batch) + "\n"
    assert run(out, "--format", "md", "--model", "trueskill-batch") == 0
    text = capsys.readouterr().out
    assert "33.00" in text and "30.00" not in text and "|:---|" in text
    assert run(out, "--model", "trueskill-bacth") == USER_ERROR
    assert 'no such model in duel; did you mean "trueskill-batch"?' in capsys.readouterr().err


def test_a_pipe_gets_a_wide_table(out: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS")
    assert run(out) == 0
    assert "sigma" in capsys.readouterr().out


def test_ratings_are_shown_without_the_matches(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (out / "duel" / "matches.parquet").unlink()
    assert run(out) == 0
    captured = capsys.readouterr()
    assert "naga_planner" in captured.out
    assert "without CPU times" in captured.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("dual",), "no tournament 'dual'; did you mean \"duel\"?"),
        (("zzz",), "no tournament 'zzz'; known: archive, cup, duel"),
        (("--game", "nage"), '--game nage: no such pool or game in duel; did you mean "naga"?'),
        (("--format", "xml"), "'xml' is not one of 'table', 'json', 'csv', 'md'"),
    ],
)
def test_mistakes_are_answered(out: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str) -> None:
    assert run(out, *words) == USER_ERROR
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in " ".join(captured.err.replace("│", "").split())


def test_nothing_stored_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path) == USER_ERROR
    assert "no tournament there; play one with: arena tournament CONFIG" in capsys.readouterr().err


def test_a_tournament_that_just_began(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (out / "duel" / "ratings.parquet").unlink()
    assert run(out) == USER_ERROR
    assert "ratings.parquet: no such file; a tournament writes it when it ends or is stopped" in capsys.readouterr().err


def test_a_tuning_and_a_chain_are_known_by_their_names(out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("tuned/final", "tuned/generation-1-round-1", "house-greedy", "house-planner"):
        shutil.copytree(out / "duel", out / name)
    for name in ("tuned", "tuned/final", "tuned/generation-1-round-1", "house-greedy"):
        assert run(out, name) == 0
        assert capsys.readouterr().out.startswith("duel: 2,400 matches")
    assert run(out, "house") == USER_ERROR
    assert "'house' is several tournaments; name one of them: house-greedy, house-planner" in capsys.readouterr().err
    assert main(["status", "tuned", "--out", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines if line[0] != " "] == ["tuned/final", "tuned/generation-1-round-1"]
    assert main(["status", "house", "--out", str(out)]) == 0 and "house-planner: " in capsys.readouterr().out


def test_nobody_leads_where_nothing_was_played() -> None:
    idle = [msgspec.structs.replace(rating, matches=0) for rating in NAGA]
    assert leaders(idle, 3) == ""
    yaniv = [msgspec.structs.replace(rating, pool="yaniv") for rating in NAGA]
    assert leaders([*idle, *yaniv], 1).startswith("yaniv  ")
