"""The page on results: its tables are those of the schema, and its queries run."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from arena.results import schema
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings
from helpers.paths import BAD_BOTS, DOCS, HOUSE_BOTS

PAGE = (DOCS / "results.md").read_text()
TABLES = (
    schema.MATCHES, schema.ACTIONS, schema.RATINGS, schema.HISTORY, schema.FAULTS, schema.LLM_CALLS, schema.TOTALS, schema.LUCK,
)  # fmt: skip
KINDS = {"match_id": "12 bytes", "int64_list": "list of int64", "int32_list": "list of int32"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A results folder with a tournament of the name that the queries use, as the working folder."""
    here = tmp_path_factory.mktemp("data")
    bots = [HOUSE_BOTS / "naga_greedy.py", HOUSE_BOTS / "random_bot.py", BAD_BOTS / "illegal.py"]
    config = {
        "name": "cup", "seed": 1, "games": [{"game": "naga", "seats": 2}], "deals": 3, "faults": {"retire_after": 100},
        "bots": [{"path": str(bot), "trusted": True} for bot in bots],
    }  # fmt: skip
    (here / "cup.yaml").write_text(yaml.safe_dump(config))
    run_tournament(here / "cup.yaml", Settings(out=here / "leaderboards", backend=LOCAL, workers=1))
    before = Path.cwd()
    os.chdir(here)
    yield here
    os.chdir(before)


def test_every_table_is_described_column_by_column() -> None:
    for table in TABLES:
        (text,) = re.findall(rf"### {re.escape(table.file)}\n(.*?)(?=\n### |\Z)", PAGE, re.DOTALL)
        rows = re.findall(r"^\| `(\w+)`: ([^|]+) \| (.+) \|$", text, re.MULTILINE)
        assert rows == [
            (
                column.name,
                f"{KINDS.get(column.kind, column.kind)}{' or null' * column.nullable}{', not hashed' * (not column.hashed)}",
                column.meaning,
            )
            for column in table.columns
        ]


def test_the_queries_of_duckdb_run(folder: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed (extra `data`)")
    found = [duckdb.sql(query).fetchall() for query in re.findall(r"```sql\n(.*?)```", PAGE, re.DOTALL)]
    rates, longest, meetings = found
    assert {row[1] for row in rates} == {"naga_greedy", "random_bot", "illegal"} and sum(row[2] for row in rates) == 36
    assert len(longest) == 5 and all(re.fullmatch("[0-9a-f]{24}", match) for match, _ in longest)
    assert [row[:3] for row in meetings] == [("naga", 0, 3), ("naga", 1, 3)]


@pytest.mark.parametrize("library", ["polars", "pandas"])
def test_the_code_runs(library: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip(library, reason=f"{library} is not installed (extra `data`)")
    (code,) = (code for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL) if f"import {library}" in code)
    exec(code, {})
    assert "naga" in capsys.readouterr().out
