"""Matches as an environment of OpenEnv (`pip install 'arena-hall[openenv]'`).

`python -m arena.learning.openenv GAME` serves it.
"""

from arena.learning.openenv.environment import MatchAction, MatchEnvironment, MatchObservation, MatchState, SeatAsked, app

__all__ = ["MatchAction", "MatchEnvironment", "MatchObservation", "MatchState", "SeatAsked", "app"]
