"""What `python -m lab rows` measures: real commands on made-up matches in the real format."""

from pathlib import Path

import pytest

from arena.cli.main import main
from arena.results import parquet
from lab import rows
from lab.rows import Run, rows_cost, write_rows


def test_every_step_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """In this process, where the laboratory starts one for each step."""

    def measured(words: list[str]) -> tuple[Run, bytes]:
        if words[0] == "-m":
            assert main(words[2:]) == 0
        elif len(words) == 3:
            write_rows(Path(words[1]), int(words[2]))
        else:
            parquet.write_totals(Path(words[1]))
        return Run(1.0, 0.5, 100.0), capsys.readouterr().out.encode()

    monkeypatch.setattr(rows, "_measured", measured)
    cost = rows_cost(tmp_path, 40, lambda _: None)
    assert cost.rows == 160 and cost.write == cost.online == cost.batch == cost.totals == cost.board
    models = {rating.model for rating in parquet.read_ratings(tmp_path / "rows")}
    assert models == {"trueskill", "trueskill-batch"} and parquet.read_totals(tmp_path / "rows")
