"""Answers to another request than the last one. Expected: protocol; blame: bot."""


def attack(reply):
    return {"id": 0, "action": 0}
