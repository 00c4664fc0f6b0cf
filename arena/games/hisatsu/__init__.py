"""Hisatsu Shigotonin: rules, notation and the view for bots. Bots import `HisatsuView` and its parts from here."""

from arena.games.hisatsu.view import HisatsuView, PlacedCard, Slot

__all__ = ["HisatsuView", "PlacedCard", "Slot"]
