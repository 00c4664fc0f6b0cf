"""What is made in the kits is what its sources say: the types of the protocol's schema, the transcripts of the rules."""

import json
from pathlib import Path

import pytest

from arena.match import protocol
from helpers.paths import KITS
from lab.kits.kit_types import types
from lab.kits.schema import read
from lab.kits.transcripts import transcripts

ANEW = "if that is meant, write it anew: PYTHONPATH=tests python -m lab.kits"


@pytest.mark.parametrize("path", types())
def test_the_types_of_a_kit_are_those_of_the_schema(path: str) -> None:
    assert (KITS / path).read_text("utf-8") == types()[path], ANEW


def test_the_transcripts_are_what_the_hall_sends() -> None:
    made = transcripts()
    assert {path.name for path in (KITS / "transcripts").iterdir()} == {"check.py", *(Path(path).name for path in made)}
    for path, text in made.items():
        assert (KITS / path).read_text("utf-8") == text, ANEW


def test_a_key_that_the_schema_gains_comes_to_every_kit() -> None:
    schema = protocol.schema()
    schema["$defs"]["Act"]["properties"]["deadline"] = {"type": "number"}
    schema["$defs"]["Act"]["required"].append("deadline")
    (act,) = (record for record in read(schema).records if record.name == "Act")
    assert act.fields[-1].name == "deadline"
    for path, text in types(json.loads(json.dumps(schema))).items():
        assert "deadline" in text.lower(), path


def test_a_message_that_no_kit_knows_is_refused() -> None:
    schema = protocol.schema()
    schema["$defs"]["Pause"] = schema["$defs"]["Ready"]
    with pytest.raises(ValueError, match="Pause"):
        read(schema)
