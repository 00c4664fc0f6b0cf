"""What every game must pass, public: a new game is tested by being there (tests/audit/test_game_laws.py runs all of this).

`LAWS` are checked on a `Table`, a seeded match of random legal actions (`make_table`); `options_are_exact`,
`compiled_once` and `fingerprint` judge a game as a whole; `playthrough` writes down a round as every seat sees it.
"""

from arena.audit.laws.game import compiled_once, fingerprint, options_are_exact
from arena.audit.laws.laws import LAWS
from arena.audit.laws.playthrough import playthrough
from arena.engine.random_tables import Decision, Table, decisions, final_states, make_table, random_options

__all__ = [
    "LAWS",
    "Decision",
    "Table",
    "compiled_once",
    "decisions",
    "final_states",
    "fingerprint",
    "make_table",
    "options_are_exact",
    "playthrough",
    "random_options",
]
