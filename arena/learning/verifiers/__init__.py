"""Matches as an environment of verifiers (`pip install 'arena-hall[verifiers]'`), which knows it as `arena-hall`."""

from arena.learning.verifiers.environment import MatchEnv, MatchTaskset
from arena.learning.verifiers.harness import MatchHarness

__all__ = ["MatchEnv", "MatchHarness", "MatchTaskset"]
