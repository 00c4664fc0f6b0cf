"""A module of the bot."""


def choose(legal: list[str], weights: list[int]) -> str:
    return legal[sum(weights) % len(legal)]
