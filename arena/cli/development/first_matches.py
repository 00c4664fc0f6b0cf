"""The first matches of a bot that was just saved: does it load, is it legal, how fast is it? A few seconds, not `arena check`.

As in a tournament it is locked in and has a clock; house bots sit at the other seats. The first fault ends it.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean

import msgspec

from arena import games
from arena.agent import BotFiles
from arena.cli.development.faults import FaultFound, first_fault_of
from arena.errors import ArenaError, nearest
from arena.match import HostTrouble, MatchSetup, Player, Seat, play
from arena.match.choose import open_seat
from arena.match.holder import Holder
from arena.match.seeds import key_from_seed, seed_of_part
from arena.match.single_match import agree
from arena.match.watched import WatchedSeat
from arena.records import DEFAULT_LIMITS, MatchRecord
from arena.tournament.bot_check import rivals
from arena.tournament.check_report import CLOCK
from arena.tournament.workers.compiling import needs_at, warm_games

MATCHES = 4
"""Matches of a game, by turns at its smallest and its largest table."""
SECONDS = 5.0
"""No further match is begun after so long, but one of each game: a bot that thinks for long is to be compared soon, too."""


@dataclass
class FirstMatches:
    """What the first matches of a bot have shown."""

    games: list[str] = field(default_factory=list)
    """The games that it plays, of those that were asked for."""
    refusal: str = ""
    """Why it does not load, or plays nothing; empty if it does."""
    is_locked: bool = True
    """Whether it was locked in; False where this machine cannot."""
    matches: int = 0
    cpu_seconds: list[float] = field(default_factory=list)
    """The CPU seconds of each decision that it answered."""
    fault: FaultFound | None = None
    """The first fault; None: it made none."""

    @property
    def text(self) -> str:
        """What it has shown, in words."""
        matches = "1 match" if self.matches == 1 else f"{self.matches} matches"
        faults = "0 faults" if self.fault is None else "1 fault"
        speed = f", {1000 * fmean(self.cpu_seconds):.2f} ms a decision" if self.cpu_seconds else ""
        return f"loads, plays {matches}, {faults}{speed}"


class Checker:
    """Plays the first matches of versions of one bot. A context manager: what locks bots in takes a second to start."""

    def __init__(self, name: str, chosen: Sequence[str] = (), news: Callable[[str], None] = lambda text: None) -> None:
        """`name`: the bot's; `chosen`: the only games, empty for all that it plays; `news` hears what is compiled."""
        self._name, self._chosen, self._news = name, list(chosen), news
        self._opened = ExitStack()
        self._holder: Holder | None = None
        self._games = self._chosen  # those that the holder knows

    def __enter__(self) -> "Checker":
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    def play(self, bot: BotFiles, seed: int, tick: Callable[[], None] = lambda: None) -> FirstMatches:
        """Play the first matches of a version.

        `seed`: of the deals and of all bots; `tick` is called before each decision of the bot, and may raise what ends it all.
        Raises ArenaError if the machine failed, not the bot.
        """
        found = FirstMatches()
        try:
            profile = self._holder_of(self._games).profile(bot, CLOCK.start)
            claims = list(profile.games) or games.names()
            found.games = [game for game in claims if not self._chosen or game in self._chosen]
            found.refusal = profile.error or _refusal(claims, found.games, self._chosen)
            if not found.refusal:
                for game in found.games:
                    warm_games(needs_at(game, [(bot, {}), *((rival, {}) for rival in rivals(game).values())]), self._news)
                self._play(found, self._holder_of(found.games), bot, seed, tick)
        except HostTrouble as trouble:
            raise ArenaError(f"the machine failed, not the bot: {trouble}") from None
        return found

    def _holder_of(self, names: list[str]) -> Holder:
        """What locks bots in that play these games: the one that there is, if it will do."""
        if self._holder is None or self._games != names:
            self._opened.close()
            self._holder, self._games = self._opened.enter_context(Holder(names, limits=DEFAULT_LIMITS)), names
        return self._holder

    def _play(self, found: FirstMatches, holder: Holder, bot: BotFiles, seed: int, tick: Callable[[], None]) -> None:
        began = time.monotonic()
        found.is_locked = not holder.not_locked
        for setup, own in _setups(found.games, self._name, bot, seed):
            if found.matches >= len(found.games) and time.monotonic() - began > SECONDS:
                return
            record, seconds = holder.play(partial(_match, holder, setup, own, bot, tick), self._news)
            found.matches += 1
            found.cpu_seconds += seconds
            found.fault = first_fault_of(games.load(setup.game), record, setup, self._name)
            if found.fault is not None:
                return


def _refusal(claims: Sequence[str], played: Sequence[str], chosen: Sequence[str]) -> str:
    """Why a bot with these claims cannot be tried; empty if it can."""
    for claim in claims:
        if claim not in games.names():
            return f'it says that it plays "{claim}"; {nearest(claim, games.names())}'
    return "" if played else f"it plays {', '.join(claims)}, not {', '.join(chosen)}"


def _setups(all_games: Sequence[str], name: str, bot: BotFiles, seed: int) -> Iterator[tuple[MatchSetup, int]]:
    """The matches with the bot's seat in each; of all games the first ones, then the second ones."""
    for number in range(MATCHES):
        for game in all_games:
            sizes = games.load(game).seats
            seats = sizes[0] if number % 2 == 0 else sizes[-1]
            own, others = number // 2 % seats, list(rivals(game))
            names = [name if seat == own else others[(number + seat) % len(others)] for seat in range(seats)]
            deal = seed_of_part(key_from_seed(seed), "first matches", game, number)
            setup = agree(game, names, seed=deal, clock=CLOCK)
            players = (Player(one, bot.sha256 if seat == own else rivals(game)[one].sha256) for seat, one in enumerate(names))
            yield msgspec.structs.replace(setup, players=tuple(players)), own


def _match(
    holder: Holder, setup: MatchSetup, own: int, bot: BotFiles, tick: Callable[[], None]
) -> tuple[MatchRecord, list[float]]:
    """Play a match; with the CPU seconds of each decision of the bot."""
    with ExitStack() as opened:
        held = holder.seat(bot, setup.bot_seeds[own], {})
        opened.callback(held.close)
        watched = WatchedSeat(held, say=lambda decision: tick())
        seats: list[Seat] = [
            watched if seat == own else opened.enter_context(_rival(setup, seat)) for seat in range(len(setup.players))
        ]
        record = play(games.load(setup.game), setup, seats)
    return record, watched.cpu_seconds


def _rival(setup: MatchSetup, seat: int) -> AbstractContextManager[Seat]:
    """The house bot at a seat."""
    return open_seat(rivals(setup.game)[setup.players[seat].bot], seed=setup.bot_seeds[seat], params={})
