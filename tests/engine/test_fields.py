"""Fields of states as plain values: they are those of the record, whatever their type and shape."""

import numpy as np
import pytest

from arena import games
from arena.engine.position import Fields


@pytest.mark.parametrize("name", games.names())
def test_fields_are_those_of_the_record(name: str) -> None:
    kind = games.load(name).rules.STATE
    record = np.frombuffer(np.random.default_rng(1).bytes(kind.itemsize), kind)[0]
    fields = Fields(record)
    for field in kind.names:
        assert getattr(fields, field) == record[field].tolist(), field
    assert Fields(fields).record is record


def test_a_state_of_other_numbers_is_read_too() -> None:
    kind = np.dtype((np.record, [("share", "f4", (2, 1, 2)), ("flag", "?"), ("small", "u1", (3,)), ("large", ">i8")]))
    record = np.zeros(1, kind)[0]
    record.share[1, 0, 1], record.flag, record.small[2], record.large = 0.5, True, 255, -7
    fields = Fields(record)
    assert (fields.share, fields.flag) == ([[[0.0, 0.0]], [[0.0, 0.5]]], True)
    assert (fields.small, fields.large) == ([0, 0, 255], -7)
    with pytest.raises(AttributeError, match="nothing"):
        _ = fields.nothing
