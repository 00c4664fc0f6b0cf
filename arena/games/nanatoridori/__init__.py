"""Nana Toridori: rules, notation and the view for bots. Bots import `NanaView` from here."""

from arena.games.nanatoridori.view import NanaView

__all__ = ["NanaView"]
