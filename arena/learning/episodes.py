"""Episodes of learning programs as stored matches: `arena replay` shows them, and so does the server."""

import hashlib
from pathlib import Path

from msgspec.structs import replace

from arena.audit.match_audit import LoggedSeat, own_decisions
from arena.errors import ConfigError
from arena.learning.tables import Tables
from arena.match import MatchSetup, Player, play, void
from arena.match.seeds import key_of_cards, single_match_id
from arena.match.single_match import agree
from arena.records import MatchRecord
from arena.results.people import EPISODES
from arena.server.people.store import keep


def keep_episode(tables: Tables, table: int, results: Path, learner: str = "learner") -> str:
    """Store the episode that ended last at a table as a match outside any tournament; gives its id.

    `results`: the folder of all results; `learner`: the name of who learns. Raises ConfigError for an episode that is no whole
    match or whose actions were not kept, and StoreError if the folder cannot be written.
    """
    record = episode_record(tables, table, learner)
    return keep(results, record, key_of_cards(tables.deal_seed(table, ended=True))).match_id


def episode_record(tables: Tables, table: int, learner: str = "learner") -> MatchRecord:
    """The episode that ended last at a table as the referee plays it, from its cards and its actions. Raises ConfigError."""
    if not tables.keeps_logs:
        raise ConfigError("logs: False; to keep episodes as matches, make the tables or the environment with logs=True")
    if tables.episode != "match" or tables.final_illegal[table]:
        raise ConfigError('only a whole match can be kept: episode="match", and no illegal action in it')
    actions = tables.log(table, ended=True)
    if not actions:
        raise ConfigError(f"table {table}: no episode has ended here yet")
    game, setup = tables.game, _setup(tables, table, learner, actions)
    logged = replace(void(game, setup, 1, ""), actions=tuple(actions))
    return play(game, setup, [LoggedSeat(log, None) for log in own_decisions(game, logged, setup)])


def _setup(tables: Tables, table: int, learner: str, actions: list[int]) -> MatchSetup:
    names = [learner if name is None else name for name in tables.names(table, ended=True)]
    cards = tables.deal_seed(table, ended=True)
    return replace(
        agree(tables.game.name, names, options=tables.options),
        match_id=single_match_id(key_of_cards(cards), names, actions),
        pool=f"{EPISODES}/{tables.game.name}",
        players=tuple(Player(name, hashlib.sha256(name.encode()).hexdigest()) for name in names),
        deal_seed=cards,
    )
