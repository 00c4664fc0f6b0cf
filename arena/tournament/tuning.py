"""Finds good settings of a bot by play: of many candidates the better half plays on, with twice as many deals.

    format: tune
    tune:
      bot: champion                 # of the bots below; its `params` are the start, and all other bots are its rivals
      space: {exploration: [0.2, 2.0]}  # see space.py
      candidates: 16                # of each generation, the start or the best of the generation before among them
      generations: 2
      final: 100                    # deals, at most, of the last comparison
    deals: 4                        # of a generation's first round

A round is a gauntlet: all candidates play the same deals, in all rotations, against the same rivals, so that luck with cards
meets all alike. What counts is the share of the rivals behind which a candidate does not finish, over all deals of its
generation so far; the better half goes on (successive halving: Z. Karnin, T. Koren, O. Somekh, "Almost optimal exploration in
multi-armed bandits", ICML 2013; K. Jamieson, A. Talwalkar, AISTATS 2016). The candidates of the next generation are near the
best of this one. Who is best in the end was lucky, too: what its settings are worth is said by a comparison with the start, on
deals that nobody has played.

Each part is a tournament of its own, in the folder of the whole, and goes on where it was stopped. All deals and candidates
come from the seed: the same config gives the same settings, however many workers play it.
"""

import math
import re
from collections import defaultdict
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np
from scipy.special import stdtrit

from arena import games
from arena.engine import rng
from arena.errors import ArenaError, ConfigError, nearest
from arena.match.seeds import key_from_seed, seed_of_part
from arena.records import Ending, MatchRecord
from arena.results.lock import FolderLock
from arena.results.parquet import read_faults
from arena.tournament.archive.folder import FINAL
from arena.tournament.config import Bot, Tournament, check_config
from arena.tournament.formats.compare import Compare, Evidence, comparison_of
from arena.tournament.formats.format import DEFAULT
from arena.tournament.formats.gauntlet import Gauntlet
from arena.tournament.formats.plan import ALL
from arena.tournament.formats.tables import orders
from arena.tournament.run import run_tournament, set_aside
from arena.tournament.session import Observer, Progress, Results, Settings
from arena.tournament.space import Point, Space, merged, read_space, settings_at, spread, start_of
from arena.userfiles import read_yaml, typed

TUNE = "tune"
START = "start"
CANDIDATE = re.compile(r"g\d+c\d+")  # names of all others
BEST_FILE = "best.yaml"
SEED = 1  # where neither config nor command line names one: the result is to be repeatable
NARROWER = 0.5  # the width of the box of a generation, as a part of the one before
ERROR, DIFFERENCE = 0.05, 0.05  # of the last comparison
_TAIL = 0.975


class TuneConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the format `tune`."""

    bot: str
    space: dict[str, Any]
    candidates: int = 16
    generations: int = 2
    final: int = 100


class _Section(msgspec.Struct, frozen=True):
    tune: TuneConfig


@dataclass
class Candidate:
    """A candidate: settings that are tried."""

    name: str
    settings: dict[str, Any]
    """The settings that differ from the start, by their names in the space."""
    point: Point
    """The candidate's point in the space."""
    scores: list[float] = field(default_factory=list)
    """The score on each deal: +1 for each rival behind, -1 for each rival ahead, averaged over matches and rivals."""

    @property
    def mean(self) -> float:
        """The mean score over the deals so far."""
        return math.fsum(self.scores) / len(self.scores) if self.scores else -1.0

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the mean by Student's t over deals. For the best of many candidates it is too high."""
        count = len(self.scores)
        if count < 2:
            return -1.0, 1.0
        half = float(stdtrit(count - 1, _TAIL)) * float(np.std(self.scores, ddof=1)) / math.sqrt(count)
        return max(-1.0, self.mean - half), min(1.0, self.mean + half)


@dataclass(frozen=True)
class Round:
    """The result of one round."""

    generation: int
    number: int
    """The number of the round within its generation."""
    candidates: tuple[tuple[Candidate, float, tuple[float, float], int], ...]
    """Each candidate with its mean, interval and number of deals after the round; the best first."""


@dataclass(frozen=True)
class Tuned:
    """The result of a tuning."""

    tuning: "Tuning"
    folder: Path
    rounds: tuple[Round, ...]
    best: Candidate
    final: Evidence | None
    """The evidence of the best candidate against the start; None: the start is the best that was found."""

    @property
    def params(self) -> dict[str, Any]:
        """All parameters of the bot, with the best settings put in."""
        return merged(self.tuning.bot.params, self.best.settings)


@dataclass(frozen=True)
class Tuning:
    """A checked config of `format: tune`."""

    base: Tournament
    """The tournament whose field is the bot and its rivals."""
    bot: Bot
    space: Space
    asked: TuneConfig
    seed: int

    @property
    def halvings(self) -> list[int]:
        """How many candidates there are in each round of a generation; one is left after the last."""
        counts = [self.asked.candidates]
        while counts[-1] > 2:
            counts.append((counts[-1] + 1) // 2)
        return counts


def read_tuning(path: Path, settings: Settings) -> Tuning:
    """Read and check a config of `format: tune`. Raises ConfigError or BotError that names file and key."""
    return read_yaml(path, lambda document: check_tuning(document, path.parent, settings))


def check_tuning(document: object, folder: Path, settings: Settings) -> Tuning:
    """Check a config given as plain data; paths in it are relative to `folder` or to the current folder."""
    if not isinstance(document, dict) or document.get("format") != TUNE:
        raise ConfigError(f"format: {TUNE} is needed here; other formats have other verbs (arena tournament, compare, ladder)")
    if TUNE not in document:
        raise ConfigError(f"{TUNE}: this key is needed, with bot and space")
    asked = typed({TUNE: document[TUNE]}, _Section).tune
    rest = {key: value for key, value in document.items() if key != TUNE}
    base = check_config({**rest, "format": DEFAULT}, folder, settings.out)
    if "luck" not in document.get("ratings", {}):  # many tournaments of a few deals, whose boards nobody reads
        base = msgspec.structs.replace(base, ratings=msgspec.structs.replace(base.ratings, luck=False))
    names = [bot.name for bot in base.bots]
    if asked.bot not in names:
        raise ConfigError(f'{TUNE}.bot: no bot is called "{asked.bot}"; {nearest(asked.bot, names)}')
    _check_names(names)
    for key, least in (("candidates", 2), ("generations", 1), ("final", 1)):
        if getattr(asked, key) < least:
            raise ConfigError(f"{TUNE}.{key}: at least {least}, not {getattr(asked, key)}")
    seed = base.seed if settings.seed is None else settings.seed
    return Tuning(
        base=msgspec.structs.replace(base, name=settings.name or base.name),
        bot=base.bots[names.index(asked.bot)],
        space=read_space(asked.space, [games.load(entry.game) for entry in base.entries], f"{TUNE}.space"),
        asked=asked,
        seed=SEED if seed is None else seed,
    )


def _check_names(names: list[str]) -> None:
    """Refuse bots whose names look like candidates': their matches would count for the candidates."""
    for name in names:
        if name == START or CANDIDATE.fullmatch(name):
            raise ConfigError(
                f'bots: "{name}" is what a candidate of the tuning is called; give the bot another name: '
                "{path: ..., name: ...}"
            )


def run_tuning(tuning: Tuning, settings: Settings, observer: Observer) -> Tuned:
    """Play the tuning, or what is left of it. Raises Interrupted, and ArenaError if all candidates fail."""
    folder = settings.out / tuning.base.name
    with ExitStack() as opened:
        opened.enter_context(FolderLock(folder))
        if settings.fresh:
            set_aside(folder, observer)
        parts = replace(settings, out=folder, name=None, seed=None, fresh=False, is_lasting=False)
        return _Run(tuning, parts, observer).run()


class _Run:
    def __init__(self, tuning: Tuning, settings: Settings, observer: Observer) -> None:
        self.tuning, self.settings = tuning, settings
        self.observer = _Whole(tuning, observer)
        self.key = key_from_seed(tuning.seed)
        self.rounds: list[Round] = []
        all_games = [games.load(entry.game) for entry in tuning.base.entries]
        self.start = Candidate(START, {}, start_of(tuning.space, tuning.bot.params, all_games))

    def run(self) -> Tuned:
        tuning, best = self.tuning, self.start
        for generation in range(1, tuning.asked.generations + 1):
            best = self._generation(generation, best)
        final = self._final(best) if best.settings else None
        return Tuned(tuning, self.settings.out, tuple(self.rounds), best, final)

    def _generation(self, generation: int, centre: Candidate) -> Candidate:
        """Play a generation and return its best; `centre`: the best of the generation before, which takes part."""
        alive = self._candidates(generation, centre)
        for number in range(1, len(self.tuning.halvings) + 1):
            self.observer.say(
                f"generation {generation} of {self.tuning.asked.generations}, round {number} of {len(self.tuning.halvings)}: "
                f"{len(alive)} candidates"
            )
            self._play(generation, number, alive)
            alive.sort(key=lambda candidate: -candidate.mean)  # stable: of equals the earlier one
            told = tuple((one, one.mean, one.interval, len(one.scores)) for one in alive)
            self.rounds.append(Round(generation, number, told))
            alive = alive[: (len(alive) + 1) // 2]
            if len(alive) == 1:  # before the last round, where the space has few settings
                break
        return alive[0]

    def _candidates(self, generation: int, centre: Candidate) -> list[Candidate]:
        """The best candidate so far, and new ones drawn near it."""
        stream = Random(rng.derive(self.key, "candidates", generation))
        width = NARROWER ** (generation - 1)
        space, count = self.tuning.space, self.tuning.asked.candidates - 1
        found = [Candidate(centre.name, centre.settings, centre.point)]
        for number, point in enumerate(spread(space, count, stream, centre.point, width), 1):
            settings = settings_at(space, point, self.start.point)
            if settings not in [other.settings for other in found]:
                name = f"g{generation}c{number:02}" if settings else START  # a later generation may come back to it
                found.append(Candidate(name, settings, point))
        return found

    def _play(self, generation: int, number: int, alive: list[Candidate]) -> None:
        """Play one round, and add the scores to the candidates."""
        base, tuning = self.tuning.base, self.tuning
        bots = [self._bot(candidate) for candidate in alive]
        rivals = [bot for bot in base.bots if bot is not tuning.bot]
        times = 1 << (number - 1)
        tournament = msgspec.structs.replace(
            base,
            name=f"generation-{generation}-round-{number}",
            seed=self._seed(generation, number),
            bots=(*bots, *rivals),
            entries=tuple(msgspec.structs.replace(entry, deals=times * entry.deals) for entry in base.entries),
            format=Gauntlet(tuple(range(len(bots)))),
        )
        results = run_tournament(tournament, self.settings, self.observer)
        self.observer.end(results.manifest.played, len(alive) * times)
        scores = _scores(results, {candidate.name for candidate in alive})
        for candidate in alive:
            candidate.scores += scores[candidate.name]
        self._look_at_faults(results, alive)

    def _look_at_faults(self, results: Results, alive: list[Candidate]) -> None:
        """Report candidates with faults. Raises ArenaError if no candidate but the start can play."""
        reasons = {fault.bot: fault.reason.splitlines()[-1] for fault in reversed(read_faults(results.folder))}
        for name, reason in reasons.items():
            self.observer.say(f"warning: {name} has faults, at first: {reason}")
        played = {total.bot for total in results.totals() if total.ending is Ending.PLAYED}
        tried = [candidate.name for candidate in alive if candidate.settings]
        if tried and played.isdisjoint(tried):
            reason = reasons.get(tried[0], "it says not why")
            raise ArenaError(f"{TUNE}.space: with such settings {self.tuning.bot.name} forfeits each match: {reason}")

    def _final(self, best: Candidate) -> Evidence:
        """Compare the best candidate with the start on new deals."""
        self.observer.say(f"final: is {best.name} better than the start?")
        base, tuning = self.tuning.base, self.tuning
        tournament = msgspec.structs.replace(
            base,
            name=FINAL,
            seed=self._seed("final"),
            bots=(self._bot(best), self._bot(self.start), *(bot for bot in base.bots if bot is not tuning.bot)),
            entries=tuple(msgspec.structs.replace(entry, deals=tuning.asked.final) for entry in base.entries),
            format=Compare((0, 1), ERROR, DIFFERENCE),
        )
        results = run_tournament(tournament, self.settings, self.observer)
        return comparison_of(results.schedule).evidence()[0]

    def _bot(self, candidate: Candidate) -> Bot:
        bot = self.tuning.bot
        return msgspec.structs.replace(bot, name=candidate.name, params=merged(bot.params, candidate.settings))

    def _seed(self, *path: object) -> int:
        """The public seed of one part of the tuning."""
        return seed_of_part(self.key, TUNE, *path)


def _scores(results: Results, names: set[str]) -> dict[str, list[float]]:
    """Each candidate's scores, deal by deal of each pool."""
    points: defaultdict[tuple[str, str, int], list[float]] = defaultdict(list)
    for record in results.records():
        if not record.is_void:
            name, score = _score(record, names)
            points[name, record.pool, record.deal].append(score)
    scores: dict[str, list[float]] = {name: [] for name in names}
    for (name, *_), found in sorted(points.items()):
        scores[name].append(math.fsum(found) / len(found))
    return scores


def _score(record: MatchRecord, names: set[str]) -> tuple[str, float]:
    """The candidate of a match and its score: +1 if all others are behind it, -1 if all are ahead."""
    own = next(row for row in record.seats if row.bot in names)
    others = [row for row in record.seats if row.unit != own.unit]
    return own.bot, math.fsum(np.sign(row.place - own.place) for row in others) / len(others)


class _Whole(Observer):
    """Reports the progress of all parts as that of one whole."""

    def __init__(self, tuning: Tuning, observer: Observer) -> None:
        self._tuning, self._observer = tuning, observer
        counts = tuning.halvings
        self._units = tuning.asked.generations * sum(count << place for place, count in enumerate(counts))
        self._units_done = 0
        self._before = Progress(tuning.base.name)
        """The progress of the finished parts together."""
        self._now = Progress(tuning.base.name)

    def say(self, text: str) -> None:
        """Pass the line on."""
        self._observer.say(text)

    def progress(self, progress: Progress) -> None:
        """Report the progress of all parts; the parts to come are estimated from this one."""
        self._now = progress
        done = self._before.done + progress.done
        total = self._before.done + progress.total
        if self._units_done < self._units:
            first = progress.total / self._tuning.asked.candidates
            each = self._before.done / self._units_done if self._units_done else first
            total = self._before.done + round(each * (self._units - self._units_done)) + self._final_matches()
        self._observer.progress(
            Progress(
                self._before.name,
                total=total,
                done=done,
                played_now=self._before.played_now + progress.played_now,
                seconds=self._before.seconds + progress.seconds,
                endings=progress.endings,
            )
        )

    def end(self, matches: int, units: int) -> None:
        """Add a finished round."""
        self._units_done += units
        self._before.done += matches
        self._before.played_now += self._now.played_now
        self._before.seconds += self._now.seconds
        self._now = Progress(self._before.name)

    def _final_matches(self) -> int:
        """The most matches of the final comparison."""
        base = self._tuning.base
        has_all = base.rotations == ALL
        each = [len(orders(entry.seats, has_all=has_all)) * (1 if has_all or entry.seats == 2 else 2) for entry in base.entries]
        return self._tuning.asked.final * sum(each)
