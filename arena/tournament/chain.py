"""A chain of comparisons: is each bot better than the one before it? One tournament of `format: compare` for each step.

    format: compare
    chain:                                       # from the weakest to the strongest
      - {bot: random_bot}
      - {bot: greedy, deals: 100}                # against random_bot, on 100 deals at most
      - {bot: planner, deals: 400, share: 0.6}   # against greedy; better is who is so in more than 60 % of the matches

At a table of a step sit its two bots, and bots of the config that are not in the chain where there are more seats. Every step
has a folder of its own, `NAME-BOT`, and is resumed, audited and shown like any other comparison.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from arena.errors import ConfigError, nearest
from arena.tournament.config import Tournament, check_config, check_tournament_name
from arena.tournament.formats.compare import Compare, Evidence, between, bound_of, comparison_of, share_of
from arena.tournament.run import run_tournament
from arena.tournament.session import Observer, Results, Settings
from arena.userfiles import read_yaml, typed

CHAIN = "chain"
_MILLISECONDS = 60_000  # of a minute


class Link(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of `chain`: a bot that should be better than the one before it."""

    bot: str
    deals: int | None = None
    """The most deals of this step; default: the config's `deals`."""
    share: float | None = None
    """Replaces `share` of `compare` in this step."""


class Chain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of a config that describe the chain."""

    chain: list[Link]


@dataclass(frozen=True)
class Step:
    """One step of a chain: is a bot better than the one before it?"""

    better: str
    than: str
    share: float
    """The share of matches in which the bot must finish before the other; a shared place counts half."""
    tournament: Tournament


@dataclass(frozen=True)
class StepResult:
    """The result of a step."""

    step: Step
    evidence: Evidence
    """The evidence of all games of the config together."""
    outcome: str | None
    """The outcome in words; None: no decision yet."""
    matches: int
    cpu_minutes: float
    """The CPU minutes of all bots' decisions."""
    ms_per_decision: float
    """CPU milliseconds of a decision of the bot that should be better, on average."""

    @property
    def shares(self) -> tuple[float, float, float]:
        """The estimated share of matches in which the better bot finishes before the other, and the interval for it."""
        found = self.evidence
        return share_of(found.estimate or 0.0), share_of(found.low), share_of(found.high)


def read_steps(path: Path, settings: Settings) -> list[Step]:
    """The steps of a chain's config; none for any other comparison. Raises ConfigError or BotError."""
    return read_yaml(path, lambda document: check_steps(document, path.parent, settings))


def check_steps(document: object, folder: Path, settings: Settings) -> list[Step]:
    """Check a config given as plain data; paths in it are relative to `folder` or to the current folder."""
    if not isinstance(document, dict) or CHAIN not in document:
        return []
    links = typed({CHAIN: document[CHAIN]}, Chain).chain
    if len(links) < 2:
        raise ConfigError(f"{CHAIN}: at least two bots are needed, from the weakest to the strongest")
    if "candidates" in document or document.get("format") != Compare.name():
        raise ConfigError(f"{CHAIN}: in place of candidates, with format: {Compare.name()}")
    rest = {key: value for key, value in document.items() if key != CHAIN}
    whole = check_config({**rest, "candidates": [links[0].bot, links[1].bot]}, folder, settings.out)
    whole = msgspec.structs.replace(whole, name=settings.name or whole.name)
    _check_links(links, whole)
    return [_step(whole, [link.bot for link in links], place, links[place]) for place in range(1, len(links))]


def run_steps(steps: Sequence[Step], settings: Settings, observer: Observer) -> Iterator[StepResult]:
    """Play each step, or what is left of it. Raises Interrupted."""
    for number, step in enumerate(steps, 1):
        observer.say(f"step {number} of {len(steps)}: is {step.better} better than {step.than}?")
        yield _result(step, run_tournament(step.tournament, replace(settings, name=None), observer))


def _result(step: Step, results: Results) -> StepResult:
    schedule = comparison_of(results.schedule)
    totals = results.totals()
    own = [total for total in totals if total.bot == step.better]
    each = sum(total.cpu_ms for total in own) / max(1, sum(total.decisions for total in own))
    cpu = sum(total.cpu_ms for total in totals) / _MILLISECONDS
    return StepResult(step, schedule.evidence()[0], schedule.outcome, results.manifest.played, cpu, each)


def _check_links(links: list[Link], whole: Tournament) -> None:
    names = [bot.name for bot in whole.bots]
    for place, link in enumerate(links):
        key = f"{CHAIN}[{place}]"
        if link.bot not in names:
            raise ConfigError(f'{key}.bot: no bot is called "{link.bot}"; {nearest(link.bot, names)}')
        if link.bot in [other.bot for other in links[:place]]:
            raise ConfigError(f'{key}.bot: "{link.bot}" is there twice')
        if place == 0 and (link.deals is not None or link.share is not None):
            raise ConfigError(f"{key}: the first bot is compared with nobody: deals and share belong to the next ones")
        if link.deals is not None and link.deals < 1:
            raise ConfigError(f"{key}.deals: at least 1, not {link.deals}")


def _step(whole: Tournament, chain: list[str], place: int, link: Link) -> Step:
    """The comparison of bot `place` of the chain with the one before it."""
    below = chain[place - 1]
    bots = tuple(bot for bot in whole.bots if bot.name in (link.bot, below) or bot.name not in chain)
    names = [bot.name for bot in bots]
    asked = None if link.share is None else bound_of(link.share, f"{CHAIN}[{place}].share")
    format, bound = between(whole.format, (names.index(link.bot), names.index(below)), asked)
    name = f"{whole.name}-{link.bot}"
    check_tournament_name(name, f"name and {CHAIN}[{place}].bot, which together name the step's folder")
    tournament = msgspec.structs.replace(
        whole,
        name=name,
        bots=bots,
        entries=tuple(msgspec.structs.replace(entry, deals=link.deals or entry.deals) for entry in whole.entries),
        format=format,
    )
    return Step(link.bot, below, share_of(bound), tournament)
