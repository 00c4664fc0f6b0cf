"""The index of an action code, for programs that read notation and write indices."""

import pytest

from arena.errors import ConfigError
from arena.games import encoding, load
from arena.learning.gymnasium.environments import index_of


def test_the_place_among_all_codes_is_the_index() -> None:
    naga = encoding(load("naga"))
    assert naga.codes is not None
    assert [index_of(naga, code) for code in naga.codes] == list(range(15)) and index_of(naga, 28) == 14
    with pytest.raises(ConfigError, match="no code 4 in this game, which has 15"):
        index_of(naga, 4)


def test_without_a_small_set_it_is_the_place_in_the_legal_list() -> None:
    yaniv = encoding(load("yaniv"))
    assert index_of(yaniv, 70, [3, 70, 90]) == 1
    with pytest.raises(ConfigError, match="no code 4 among the legal actions, which has 3"):
        index_of(yaniv, 4, [3, 70, 90])
