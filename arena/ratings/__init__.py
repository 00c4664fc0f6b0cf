"""How lucky the seats of finished matches were, from their logs and for whoever played (arena/engine/chance.py says how)."""
