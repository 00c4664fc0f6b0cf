"""The notebook that ships: its cells run in order, and what they end with draws itself."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from helpers.paths import DOCS

NOTEBOOK = DOCS / "notebook.ipynb"
DRAWN = ["MatchRecord", "Results", "StoredMatch", "NagaView", "NagaView"]
"""The classes of what the cells show, in order."""


def cells() -> list[str]:
    """The code of the notebook, cell by cell."""
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def shown(code: str, names: dict[str, Any]) -> object:
    """Run a cell as a notebook does; returns the value of the expression at its end, if it ends with one."""
    tree = ast.parse(code)
    *_, last = tree.body
    if not isinstance(last, ast.Expr):
        exec(code, names)
        return None
    tree.body.pop()
    exec(compile(tree, NOTEBOOK.name, "exec"), names)
    return eval(compile(ast.Expression(last.value), NOTEBOOK.name, "eval"), names)


def test_its_cells_run_and_what_they_end_with_draws_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    found = [value for code in cells() if (value := shown(code, names)) is not None]
    assert [type(value).__name__ for value in found] == DRAWN
    assert all(value._repr_html_().startswith("<iframe srcdoc=") for value in found)  # type: ignore[attr-defined]
    assert names["found"].best in capsys.readouterr().out
    (again,) = [code for code in cells() if "run_tournament" in code]
    assert shown(again, names).manifest == found[1].manifest, "the cell can be run again"  # type: ignore[attr-defined]


def test_it_is_stored_without_what_a_machine_has_put_out() -> None:
    notebook = json.loads(NOTEBOOK.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == [] and cell["execution_count"] is None
