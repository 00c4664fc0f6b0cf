"""The fixed evaluation: so many held-out deals, each from every seat, and how sure the result is."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from arena import games
from arena.engine.contract import Numbers
from arena.errors import ConfigError
from arena.learning.language_models.episode import Asked, Episode, Legality
from arena.learning.language_models.settings import EVALUATION, EpisodeSettings, settings_from
from arena.learning.language_models.table import Table
from arena.ratings.error_bars import half_width, share_interval, without_luck
from arena.server.people.levels import measurement

Model = Callable[[str, Asked], str]
"""Answers `(head, asked)` with a text."""


class Played(msgspec.Struct, frozen=True):
    """What one episode counts in the evaluation."""

    deal: int
    share: float
    """The share of its rivals that the model beat, mean of the seats that learn."""
    luck: float
    """What the cards gave it of that."""


class Evaluated(msgspec.Struct, frozen=True, kw_only=True):
    """The result of an evaluation; intervals are of 95 %, over deals."""

    matches: int
    deals: int
    share: float
    """The mean share of its rivals that the model beat, a tie counting half."""
    low: float
    high: float
    skill: float
    """The same without what the cards gave."""
    skill_low: float
    skill_high: float

    def __str__(self) -> str:
        """The result in a line."""
        return (
            f"beats {self.share:.1%} ({self.low:.1%} to {self.high:.1%}) of its rivals, without luck {self.skill:.1%} "
            f"({self.skill_low:.1%} to {self.skill_high:.1%}); {self.deals} deals, {self.matches} matches"
        )


def fixed(game: str, **told: Any) -> EpisodeSettings:
    """The settings of a game's fixed evaluation: the table at which its levels were measured, and the level `casual`.

    `told`: what the model is told and asked, such as `language`, `legal`, `rethinks`; or another level, `rivals=("club",)`.
    Raises ConfigError.
    """
    games.package(game)  # a game that there is
    measured = measurement().games.get(game)
    table = {} if measured is None else {"seats": measured.seats, "options": measured.options}
    return settings_from({**table, "game": game, **told})


def evaluate(
    table: Table,
    model: Model,
    *,
    deals: int | None = None,
    say: Callable[[int, int], object] = lambda done, all_of_them: None,
) -> tuple[Evaluated, Legality]:
    """Let a model play the evaluation at a table, one match after the other; its result, and how well its answers were read.

    `deals`: only the first so many; `say` gets how many matches of how many are played. Raises what `Table.begin` raises, and
    whatever the model raises.
    """
    if len(table.learners(0)) == table.seats:
        raise ConfigError("learners: all seats learn, so that nobody is left to beat; leave it out")
    matches = table.episodes(EVALUATION) or 0
    if deals is not None:
        if deals < 1:
            raise ConfigError(f"deals: 1 or more, not {deals}")
        matches = min(matches, deals * table.turns)
    found, legality = [], Legality()
    for number in range(matches):
        episode = table.begin(number, EVALUATION)
        try:
            while not episode.is_over:
                for seat, asked in episode.asked.items():
                    episode.answer(seat, model(episode.head, asked))
        finally:
            episode.close()
        found.append(played(episode))
        for one in episode.legality.values():
            legality.add(one)
        say(number + 1, matches)
    return summary(found), legality


def played(episode: Episode) -> Played:
    """What a finished episode counts. Raises ConfigError before its end."""
    seats = list(episode.learners)
    shares, luck = np.array(episode.outcome.shares), np.array(episode.luck)
    return Played(episode.setup.deal, float(shares[seats].mean()), float(luck[seats].mean()))


def summary(episodes: Iterable[Played]) -> Evaluated:
    """The result of episodes that were played anywhere. Raises ConfigError for none."""
    by_deal: dict[int, list[Played]] = {}
    for one in episodes:
        by_deal.setdefault(one.deal, []).append(one)
    if not by_deal:
        raise ConfigError("evaluation: no episode was played")
    groups = [by_deal[deal] for deal in sorted(by_deal)]
    shares, luck = _means(groups, "share"), _means(groups, "luck")
    clean = without_luck(shares, luck)
    low, high = share_interval(shares)
    half = half_width(clean, np.arange(len(clean)))
    skill = float(clean.mean())
    return Evaluated(
        matches=sum(map(len, groups)), deals=len(groups), share=float(shares.mean()), low=low, high=high, skill=skill,
        skill_low=skill - half, skill_high=skill + half,
    )  # fmt: skip


def _means(groups: Sequence[Sequence[Played]], field: str) -> Numbers:
    return np.array([np.mean([getattr(one, field) for one in group]) for group in groups])
