"""Plays a card that it has not. Expected: illegal; blame: bot."""


def attack(reply):
    return {"id": reply["id"], "action": "field 4 \x1b[2J"}
