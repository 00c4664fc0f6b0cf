"""Has two Agent classes. Expected: refused before the tournament, naming both."""

from arena.agent import Agent


class First(Agent):
    pass


class Second(Agent):
    pass
