"""Leduc hold'em: rules, notation and the view for bots. Bots import `LeducView` from here."""

from poker_rooms.leduc.view import LeducView

__all__ = ["LeducView"]
