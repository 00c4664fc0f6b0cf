"""Adds a key that no message has. Expected: malformed; blame: bot."""


def attack(reply):
    return {**reply, "ending": "played"}
