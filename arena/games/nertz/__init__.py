"""Nertz: rules, notation and the view for bots. Bots import `NertzView` from here."""

from arena.games.nertz.view import NertzView

__all__ = ["NertzView"]
