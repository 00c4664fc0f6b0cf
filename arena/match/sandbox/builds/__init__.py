"""Locked builds: a bot's compiler runs once, without a network, and writes nothing but its own folder. See builder.py."""
