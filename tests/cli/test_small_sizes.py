"""Topics whose size can be chosen end well at the smallest sizes, for people and for programs."""

import json
import os

import pytest

from arena.cli.main import main
from helpers.one_zygote import one_zygote

SMALL = {
    "scale": ["--matches", "200", "--backend", "local"],
    "channels": ["--trials", "1", "--game", "naga"],
    "env": ["--game", "naga", "--seconds", "0.01"],
}


FORMS = [(topic, form) for topic in SMALL for form in ("table", "json") if topic != "scale"]
"""Of the longest topic, which measures whole tournaments, made-up figures show the table (tests/cli/test_forms.py)."""
if "ARENA_TEST_ALL" in os.environ:
    FORMS.append(("scale", "json"))


@pytest.mark.slow
@pytest.mark.parametrize("topic, form", FORMS)
def test_a_topic_ends_well_at_a_small_size(topic: str, form: str, capsys: pytest.CaptureFixture[str]) -> None:
    with one_zygote(["naga"]):
        assert main(["bench", topic, *SMALL[topic], "--format", form]) in (0, 1)
    said = capsys.readouterr()
    assert said.out.strip() and "Traceback" not in said.err
    if form == "json":
        assert json.loads(said.out)


def test_a_size_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["scale", "--matches", "0"],
        ["env", "--seconds", "nan"],
    ):
        assert main(["bench", *words]) == 2, words
        assert capsys.readouterr().err
