"""Naga: rules, notation and the view for bots. Bots import `NagaView` from here."""

from arena.games.naga.view import NagaView

__all__ = ["NagaView"]
