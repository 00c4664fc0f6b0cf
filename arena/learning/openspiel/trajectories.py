"""Stored matches as trajectories of OpenSpiel 2.0, from which `pyspiel.Trajectory` plays them again, state by state.

The format is that of OpenSpiel's open_spiel/utils/trajectories.h: a JSON object with a `header` (`game_string`, `terminal`,
`returns`, `meta_data`) and `transitions` (`player`, `action`, `legal_actions`). The game is the one that begins with the cards
of the match, all open, so its only chance outcome is 0.
"""

from collections.abc import Mapping

import msgspec
import numpy as np

from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.learning.dataset.moments import moments
from arena.learning.openspiel.game import PREFIX
from arena.learning.openspiel.setups import POSITION, packed_text, setup_of
from arena.records import MatchRecord, canonical_json

_CHANCE = -1  # OpenSpiel's number of the player that deals


def trajectory(game: Game, record: MatchRecord, options: Mapping[str, OptionValue], deal_seed: int) -> bytes | None:
    """A match as one line of JSON, without its line feed; None where time was measured, which OpenSpiel cannot play again.

    `options`: all, resolved. `returns` are what OpenSpiel says; places and scores as they count, also after faults, stand in
    `meta_data`, a text that is JSON. Raises StoreError for a log that the rules do not allow.
    """
    if game.ms_per_tick(options) is not None:
        return None
    setup = setup_of(game.name, len(record.seats), options)
    places = setup.place_of_code
    transitions: list[dict[str, object]] = [{"player": _CHANCE, "action": 0}]
    for moment in moments(game, record, options, deal_seed):
        legal = list(range(len(moment.codes))) if places is None else [places[code] for code in moment.codes]
        chosen = legal[moment.codes.index(moment.code)]
        transitions.append({"player": moment.seat, "action": chosen, "legal_actions": legal})
    states = game.deal(len(record.seats), options, deal_seed)
    position = packed_text(canonical_json(game.text.to_position(states[0])))
    codes = np.array(record.actions, np.int64)
    game.engine.play_log(states, codes, codes, game.new_actions())
    header = {
        "game_string": f"{PREFIX}{game.name}({POSITION}={position})", "terminal": True, "returns": setup.returns(states),
        "meta_data": canonical_json(_about(record)),
    }  # fmt: skip
    return msgspec.json.encode({"header": header, "transitions": transitions})


def _about(record: MatchRecord) -> dict[str, object]:
    seats = [
        {"bot": seat.bot, "version": seat.bot_version, "place": seat.place, "score": seat.score, "ending": seat.ending.value}
        for seat in record.seats
    ]
    return {"match_id": record.match_id, "rules_version": record.rules_version, "seats": seats}
