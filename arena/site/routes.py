"""What can be asked for: each subject has one view, whose data are the page and the JSON of the address below `/api`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from arena.site.library import Library
from arena.site.views.home import Home, HomeQuery, home
from arena.site.views.rules import RulesList, RulesQuery, RulesText, rules_list, rules_text

View = Callable[[Library, dict[str, str], Any], msgspec.Struct]
"""Finds the data of an address: its named parts, and its parameters as the subject's query type."""


@dataclass(frozen=True)
class Subject:
    """An address, what it shows, and how."""

    path: str
    """The address of the page; `/api` and the same is its JSON. Named parts are in braces."""
    about: str
    view: View
    query: type[msgspec.Struct]
    """The parameters after the question mark, with their bounds."""
    answer: type[msgspec.Struct]
    template: str | None
    """The template of the page; None: there is JSON only."""


SUBJECTS = (
    Subject("/", "All tournaments, those being played first.", home, HomeQuery, Home, "home"),
    Subject("/rules", "All games that have rules to read.", rules_list, RulesQuery, RulesList, "rules_list"),
    Subject("/rules/{game}", "The rules of a game, in Markdown.", rules_text, RulesQuery, RulesText, "rules"),
)
"""All subjects; of two that fit an address the first one answers."""
