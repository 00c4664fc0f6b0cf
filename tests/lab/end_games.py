"""The search and the house bots beside exact play, in end games that can be solved: what `python -m lab exact` prints."""

import itertools
import statistics
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from arena.agent import StartInfo, View, bot_name, read_bot
from arena.agent.loading import house_bots
from arena.engine.game import States
from arena.errors import BotError
from arena.match import Fault
from arena.match.probe import first_error, probe
from arena.match.single_match import UNHURRIED, Named, bot_seat
from arena.search import Settings, search
from arena.tournament.bot_check import rivals
from lab.exact.moments import Moment, Solved, sample

ITERATIONS = (100, 1_000, 10_000)
POSITIONS = 12  # of each kind
IMPORT_SECONDS = 10.0  # for each bot, to say which games it plays
STYLES: dict[str, dict[str, Any]] = {"plain": {"rollout": "uniform", "evaluate": 0}, "house": {}}
"""How searches are asked. Plain ones know nothing but the rules; those of the house have the opinions of the game's rollout.py
on choices, on positions, and on how likely which worlds are (here all are alike: the positions come from random play)."""
SEARCHER, TUNED = "ismcts", ("champion", "scholar")  # house bots that play all games
ANY = "any legal action"


class SearchError(msgspec.Struct, frozen=True):
    """How far the values that searches find are from the exact ones, in one kind of end game."""

    game: str
    moment: str
    style: str
    """How the search was set: a key of STYLES."""
    unit: str
    """The unit that rewards are counted in."""
    positions: int
    looked_at: int
    """Positions that were made up to find these; the others were too large, not certain, or no choice mattered."""
    worlds: float
    """Mean number of worlds that fit the view of the seat to choose."""
    value: float
    """Mean reward of the seat to choose when all play perfectly."""
    any_value: float
    """Mean reward of the seat to choose when all choose uniformly among the legal actions."""
    errors: dict[int, float]
    """Mean absolute error of the search's value, by iterations."""
    biases: dict[int, float]
    """Mean error: above 0 the search hopes for too much."""


class Exploitability(msgspec.Struct, frozen=True):
    """What a bot gives away in one kind of end game."""

    game: str
    moment: str
    unit: str
    bot: str
    gain: float
    """What a seat gains by playing perfectly against others who all are this bot, over being this bot too: the mean over the
    seats and positions."""
    standard_error: float
    """Standard error of `gain` over the positions."""
    worst: float
    """The mean over the seats in the worst position."""
    asked: int
    """Different views that the bot was asked about."""


class Player(msgspec.Struct, frozen=True):
    """A bot as it is measured."""

    name: str
    path: Path
    params: Mapping[str, Any] = {}
    games: tuple[str, ...] = ()
    """The games that the bot plays; empty if it plays all."""

    def plays(self, game: str) -> bool:
        """Whether the bot plays `game`."""
        return not self.games or game in self.games


def house_players(game: str) -> list[Player]:
    """The rule bots of a game, the searcher at some numbers of iterations, at last without opinions, and the tuned searches.

    A game of another distribution has no rule bots here, and the tuned searches have no settings for it.
    """
    paths = house_bots()
    rule_bots = [Player(name, paths[name]) for name in rivals(game) if name.startswith(game)]
    path = paths[SEARCHER]
    searchers = [Player(f"{SEARCHER} {count:,}", path, {"iterations": count}) for count in ITERATIONS]
    searchers.append(Player("plain ismcts", path, {"iterations": ITERATIONS[-1], **STYLES["plain"]}))
    return [*rule_bots, *searchers, *(Player(name, paths[name]) for name in TUNED if rule_bots)]


def players_of(paths: Sequence[Path]) -> list[Player]:
    """Bots by their paths, each imported once in a process of its own. Raises BotError for one that cannot play."""
    profiles = probe([read_bot(path) for path in paths], IMPORT_SECONDS)
    first_error(profiles, list(map(str, paths)))
    return [Player(bot_name(path), path, games=profile.games) for path, profile in zip(paths, profiles)]


def end_games(moment: Moment, positions: int) -> list[Solved]:
    """The first ones of a kind."""
    return list(itertools.islice(sample(moment), positions))


def search_error(moment: Moment, games: Sequence[Solved], style: str) -> SearchError:
    """Searches of one style beside the exact values."""
    asked = {count: Settings(iterations=count, **STYLES[style]) for count in ITERATIONS}
    errors = {count: [searched_value(one, asked[count]) - one.value for one in games] for count in ITERATIONS}
    mean = statistics.mean
    return SearchError(
        moment.game.name, moment.name, style, moment.unit, len(games), games[-1].number + 1,
        mean(one.worlds for one in games), mean(one.value for one in games), mean(one.any_value for one in games),
        {count: mean(map(abs, found)) for count, found in errors.items()},
        {count: mean(found) for count, found in errors.items()},
    )  # fmt: skip


def searched_value(one: Solved, asked: Settings) -> float:
    """What a search expects of a position: the mean reward of the choice that it would play."""
    game = one.moment.game
    observed = game.observed(one.states, one.seat)
    found = search(game, observed, one.seat, game.legal_list(observed), asked)
    return next(choice.value for choice in found.choices if choice.action == found.best)


def exploitability(moment: Moment, games: Sequence[Solved], player: Player) -> Exploitability:
    """What a bot gives away. Raises BotError for one that fails."""
    asked = Asked(moment, player)
    gains = [statistics.mean(one.gains(asked)) for one in games]
    return _exploitability(moment, player.name, gains, len(asked.answers))


def any_exploitability(moment: Moment, games: Sequence[Solved]) -> Exploitability:
    """What players give away who play any legal action: for comparison."""
    return _exploitability(moment, ANY, [statistics.mean(one.any_gains()) for one in games], 0)


def _exploitability(moment: Moment, name: str, gains: list[float], asked: int) -> Exploitability:
    error = statistics.stdev(gains) / len(gains) ** 0.5 if len(gains) > 1 else 0.0
    return Exploitability(moment.game.name, moment.name, moment.unit, name, statistics.mean(gains), error, max(gains), asked)


class Asked:
    """A bot as a policy: each view is put to a fresh one, at its first decision, without events; the answer is kept."""

    def __init__(self, moment: Moment, player: Player) -> None:
        self._moment, self._player = moment, player
        self.answers: dict[bytes, int] = {}

    def __call__(self, observed: States, seat: int, codes: list[int]) -> int:
        """The action that the bot chooses in this view; asked once and then remembered."""
        key = bytes([seat]) + observed.tobytes()
        if key not in self.answers:
            self.answers[key] = self._ask(observed, seat, codes)
        return self.answers[key]

    def _ask(self, observed: States, seat: int, codes: list[int]) -> int:
        game = self._moment.game
        view: View = game.view(game, observed, seat, codes=codes, events=list, clock=UNHURRIED)
        with bot_seat(Named(self._player.name, read_bot(self._player.path), self._player.params), 1) as bot:
            started = bot.start(StartInfo(game.name, self._options, self._moment.seats, seat, UNHURRIED))
            if started is not None:
                raise BotError(f"{self._player.path}: {started.reason}")
            bot.ask(view)
            answer = bot.answer()
        if isinstance(answer, Fault):
            raise BotError(f"{self._player.path}: {answer.reason}")
        if answer.action not in view.legal:
            raise BotError(f"{self._player.path}: not a legal action: {answer.action!r}; legal: {', '.join(view.legal)}")
        return codes[view.legal.index(answer.action)]

    @cached_property
    def _options(self) -> Mapping[str, Any]:
        return self._moment.game.resolve_options(self._moment.options, self._moment.seats)
