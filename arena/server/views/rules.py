"""The rules of the games, in the languages that they are written in, and a guided first round of each."""

import functools

import msgspec

from arena.errors import ConfigError
from arena.reports.manual import game_titles, games_with_rules, guide_texts, rules_texts
from arena.reports.pages.lessons import Lesson, lesson, offer, script
from arena.server.asked import Asked
from arena.server.problems import Problem

MOST_KEPT = 64
"""Texts that are kept: the rules of all games in their languages."""


class RulesQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rules take no parameters."""


class GameTitle(msgspec.Struct, frozen=True, kw_only=True):
    """A game that has rules to read."""

    game: str
    """The name in its address, `/rules/GAME`."""
    titles: dict[str, str]
    """The title of its rules, by language."""
    about: dict[str, str]
    """What it is, by language."""
    cards: tuple[str, ...]
    """Some of its cards, as its drawing names them; empty for a game that draws none."""


class RulesList(msgspec.Struct, frozen=True, kw_only=True):
    """All games with rules to read."""

    games: tuple[GameTitle, ...]


class RulesText(msgspec.Struct, frozen=True, kw_only=True):
    """The rules of a game, in short for players or in full."""

    game: str
    texts: dict[str, str]
    """The rules in Markdown, by language; English is always there."""
    others: tuple[GameTitle, ...]
    """The other games."""
    in_full: bool
    """Whether this is the whole text, `/rules/GAME/full`, that decides every case; a game may have no other."""
    has_guide: bool
    """Whether there is a short text for players, `/rules/GAME`."""
    lesson: bool
    """Whether there is a guided first round, `/learn/GAME`."""


def rules_list(_asked: Asked[RulesQuery]) -> RulesList:
    """The data of `/rules`."""
    return RulesList(games=_titles())


def rules_guide(asked: Asked[RulesQuery]) -> RulesText:
    """The data of `/rules/GAME`: the rules in short; in full, where a game has no others."""
    return _rules(asked.place["game"], in_full=False)


def rules_text(asked: Asked[RulesQuery]) -> RulesText:
    """The data of `/rules/GAME/full`."""
    return _rules(asked.place["game"], in_full=True)


def _rules(game: str, *, in_full: bool) -> RulesText:
    try:
        whole, guide = _texts(game), _guide(game)
    except ConfigError as error:
        raise Problem(404, "refusal_said", text=error) from None
    return RulesText(
        game=game, texts=whole if in_full or not guide else guide, others=tuple(one for one in _titles() if one.game != game),
        in_full=in_full or not guide, has_guide=bool(guide), lesson=script(game) is not None,
    )  # fmt: skip


@functools.lru_cache(maxsize=MOST_KEPT)
def _guide(game: str) -> dict[str, str]:
    return guide_texts(game)


@functools.lru_cache(maxsize=MOST_KEPT)
def _texts(game: str) -> dict[str, str]:
    """The rules of a game by language, which stay as they are while the server is open. Raises ConfigError."""
    return rules_texts(game)


@functools.lru_cache(maxsize=MOST_KEPT)
def titles_of(game: str) -> dict[str, str]:
    """The title of a game's rules, by language; its name, if it has no rules to read."""
    return game_titles(game)


@functools.cache
def _titles() -> tuple[GameTitle, ...]:
    known = {game: offer(game) for game in games_with_rules()}
    return tuple(
        GameTitle(game=game, titles=titles_of(game), about=one.about, cards=tuple(one.cards)) for game, one in known.items()
    )


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
