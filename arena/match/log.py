"""The action log of a stored match, checked before anything plays it.

It may come from somebody else's results, and compiled rules check nothing, so an action that is not legal would be played by
writing where it points to.
"""

import numpy as np

from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.errors import ConfigError, StoreError
from arena.records import MatchRecord, json_object

LONGEST_DELAY = (1 << 31) - 1  # ticks of an action


def checked_options(game: Game, record: MatchRecord) -> dict[str, OptionValue]:
    """The rule options of a stored match, resolved. Raises StoreError for options or seats that the game does not have."""
    try:
        game.check_seats(len(record.seats))
        return game.resolve_options(json_object(record.options), len(record.seats))
    except (ConfigError, StoreError) as error:
        raise StoreError(f"match {record.match_id}: damaged: {error}") from None


def check_log(game: Game, record: MatchRecord, options: dict[str, OptionValue], deal_seed: int) -> bool:
    """Return whether the log leads to the end of the match. `options`: from `checked_options`.

    Raises StoreError for a log that the rules do not allow.
    """
    delays = record.delays
    if len(delays) not in (0, len(record.actions)) or not all(0 <= ticks <= LONGEST_DELAY for ticks in delays):
        raise StoreError(f"match {record.match_id}: damaged: its delays are not those of its actions")
    if delays and game.ms_per_tick(options) is None:
        raise StoreError(f"match {record.match_id}: damaged: it has delays, and {game.name} measures no time")
    states = game.deal(len(record.seats), options, deal_seed)
    try:
        codes, timed = (np.array(log, np.int64) for log in (record.actions, game.timed_log(record.actions, delays)))
    except OverflowError:
        raise StoreError(f"match {record.match_id}: damaged: its log has an action of more than 64 bits") from None
    legal = game.engine.play_log(states, codes, timed, game.new_actions())
    if legal < len(codes):
        raise StoreError(f"match {record.match_id}: damaged: the action of decision {legal} is not legal")
    return bool(game.engine.is_terminal(states))
