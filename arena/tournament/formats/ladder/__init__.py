"""`format: ladder`: a rating list that goes on, run after run.

Its settings and words are in format.py, what its plan holds in legs.py, its decisions in schedule.py, what it remembers between
runs in state.py.
"""

from arena.tournament.formats.ladder.format import Ladder
from arena.tournament.formats.ladder.legs import Leg

__all__ = ["FORMAT", "Ladder", "Leg"]

FORMAT = Ladder
