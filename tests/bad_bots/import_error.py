"""Imports what is not there. Expected: refused before the tournament, with the line."""

import a_module_that_does_not_exist  # noqa: F401

from arena.agent import Agent


class ImportErrorBot(Agent):
    pass
