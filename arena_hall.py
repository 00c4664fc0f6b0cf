"""The name under which verifiers finds the environment: it imports a module of the environment's name."""

from arena.learning.verifiers import MatchEnv, MatchHarness, MatchTaskset

__all__ = ["MatchEnv", "MatchHarness", "MatchTaskset"]
