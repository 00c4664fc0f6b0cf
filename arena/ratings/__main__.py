"""Compile the ratings into the cache: `python -m arena.ratings`; tournaments do it beside the rules."""

from arena.engine import jit
from arena.ratings.standings import warm

with jit.compiling(jit.RATINGS):
    warm()
    jit.mark_warm(jit.RATINGS)
