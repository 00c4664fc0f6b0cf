"""Chooses an index of thousands of digits. Expected: illegal; blame: bot."""


def attack(reply):
    return {"id": reply["id"], "action": 10**4000}
