"""What the person who asks has played: games, places, against which levels, how good that is, and the matches."""

import msgspec

from arena.results.people import PEOPLE, PEOPLE_FILE
from arena.server.asked import Asked
from arena.server.people.careers import PlayedMatch, careers
from arena.server.people.levels import NAMES
from arena.server.views.bot import RatingPoint
from arena.server.views.play import GameCard, MyTable, all_games, mine, suited_choice

MOST_LISTED = 20
"""Matches that are listed of each game, the newest ones."""
_MATCHES = (PEOPLE_FILE, f"{PEOPLE_FILE}-wal")


class MyPlayQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page takes no parameters."""


class AgainstLevel(msgspec.Struct, frozen=True, kw_only=True):
    """How the person did where bots of a level sat, too."""

    level: str
    matches: int
    wins: int


class MyGame(msgspec.Struct, frozen=True, kw_only=True):
    """What the person has played of one game."""

    card: GameCard
    matches: int
    wins: int
    places: tuple[tuple[int, int], ...]
    """The places that were reached, each with how often."""
    rating: float
    """The conservative rating by which people are ranked: mu - 3 sigma."""
    level: str
    """The level that is about as good."""
    against: tuple[AgainstLevel, ...]
    """The levels that were met, the weakest first."""
    history: tuple[RatingPoint, ...]
    """What was believed after each match."""
    best: PlayedMatch | None
    """The match that has raised the rating most; None: none has."""
    worst: PlayedMatch | None
    """The match that has cost the most; None: none has."""
    latest: tuple[PlayedMatch, ...]
    """The last matches, the newest first."""


class MyPlay(msgspec.Struct, frozen=True, kw_only=True):
    """What the person who asks has played."""

    me: str | None
    """The name of the person; None: nobody who is known."""
    tables: tuple[MyTable, ...]
    """The tables that go on."""
    games: tuple[MyGame, ...]
    """The games that were played, that of the newest match first."""
    others: tuple[GameCard, ...]
    """The games that were not."""


def my_play(asked: Asked[MyPlayQuery]) -> MyPlay:
    """The data of `/me/play`."""
    person, library = asked.visitor.person, asked.library
    name = None if person is None else person.name
    played: dict[str, list[PlayedMatch]] = {}
    if name is not None:
        played = library.kept(("career", name), library.out / PEOPLE, lambda: careers(library.out, name), _MATCHES)
    cards = {card.game: card for card in all_games()}
    found = [
        _game(cards[game], matches, suited_choice(library, game, person).partition(":")[2])
        for game, matches in played.items()
        if game in cards
    ]
    return MyPlay(
        me=name, tables=tuple(mine(table) for table in asked.tables.running(person)),
        games=tuple(sorted(found, key=lambda one: one.latest[0].ended, reverse=True)),
        others=tuple(card for game, card in cards.items() if game not in played),
    )  # fmt: skip


def _game(card: GameCard, matches: list[PlayedMatch], level: str) -> MyGame:
    last, places = matches[-1], [one.place for one in matches]
    best, worst = max(matches, key=lambda one: one.gain), min(matches, key=lambda one: one.gain)
    return MyGame(
        card=card, matches=len(matches), wins=places.count(1),
        places=tuple((place, places.count(place)) for place in sorted(set(places))), rating=last.mu - 3 * last.sigma,
        level=level,
        against=tuple(against for name in NAMES if (against := _against(name, matches)).matches),
        history=tuple(
            RatingPoint(number, number, one.mu, one.sigma) for number, one in enumerate(matches, start=1)
        ),
        best=best if best.gain > 0 else None, worst=worst if worst.gain < 0 else None,
        latest=tuple(reversed(matches[-MOST_LISTED:])),
    )  # fmt: skip


def _against(level: str, matches: list[PlayedMatch]) -> AgainstLevel:
    met = [one for one in matches if level in one.levels]
    return AgainstLevel(level=level, matches=len(met), wins=sum(one.place == 1 for one in met))
