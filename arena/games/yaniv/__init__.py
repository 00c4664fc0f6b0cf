"""Yaniv: rules, notation and the view for bots. Bots import `YanivView` from here."""

from arena.games.yaniv.view import YanivView

__all__ = ["YanivView"]
