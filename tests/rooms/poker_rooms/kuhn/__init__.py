"""Kuhn poker: rules, notation and the view for bots. Bots import `KuhnView` from here."""

from poker_rooms.kuhn.view import KuhnView

__all__ = ["KuhnView"]
