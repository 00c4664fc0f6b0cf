"""Bots that try to tell their next match, or another seat, which cards they hold: for `arena bench channels`."""
