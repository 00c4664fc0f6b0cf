"""A guided first round of a game."""

import msgspec

from arena.errors import ConfigError
from arena.reports.pages.lessons import Lesson, lesson
from arena.server.asked import Asked
from arena.server.problems import Problem
from arena.server.views.rules import titles_of


class LearnQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The lesson takes no parameters."""


class Lessons(msgspec.Struct, frozen=True, kw_only=True):
    """The lesson of a game."""

    game: str
    titles: dict[str, str]
    """The title of its rules, by language."""
    lesson: Lesson


def learn(asked: Asked[LearnQuery]) -> Lessons:
    """The data of `/learn/GAME`. Raises Problem 404 for an unknown game, and for one without a lesson."""
    game = asked.place["game"]
    try:
        found = lesson(game)
    except ConfigError as error:
        raise Problem(404, "refusal_said", text=error) from None
    if found is None:
        raise Problem(404, "refusal_no_lesson", game=game)
    return Lessons(game=game, titles=titles_of(game), lesson=found)
