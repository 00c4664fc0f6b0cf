"""A match, stored or live, as scenes: the positions one after the other, and what was played between them.

`arena replay`, the frames of a page and a live table all show these scenes, so a decision has the same number in all of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType

from arena import games
from arena.engine.game import Document, Game, States
from arena.engine.options import OptionValue
from arena.engine.outcomes import Fact, RoundResult
from arena.match.log import check_log
from arena.records import MatchRecord


@dataclass(frozen=True)
class Played:
    """A decision of the log."""

    number: int
    """The decision's index in the log."""
    seat: int
    """The seat that made it."""
    action: int
    """The action as `step` takes it."""
    before: bytes
    """The state in which it was made."""


@dataclass(frozen=True)
class Scene:
    """A position of a match at which everybody can look: between two decisions, or between two simultaneous ones."""

    number: int
    """How many decisions were made before: the number of the next one."""
    state: bytes
    """The true state."""
    played: list[Played] = field(default_factory=list)
    """What led here from the scene before; empty for a new deal."""
    is_end_of_round: bool = False
    is_cut: bool = False
    """Whether the log ends here although the match does not."""


def scenes(game: Game, record: MatchRecord, options: dict[str, OptionValue], deal_seed: int) -> Iterator[Scene]:
    """The scenes of a match, its deal first. `options`: all, resolved. Raises StoreError for a log that the rules do not allow.

    Where a round ends, there is a scene of its end, and one of the new deal with the same number.
    """
    check_log(game, record, options, deal_seed)
    story = Replay(game, game.deal(len(record.seats), options, deal_seed))
    yield story.opening
    for action in game.timed_log(record.actions, record.delays):
        for scene in story.play(action):
            is_last = scene.number == len(record.actions) and bool(scene.played) and not scene.is_end_of_round
            yield replace(scene, is_cut=True) if is_last else scene
    if story.open:  # the log ends within a simultaneous choice
        yield replace(story.scene(), is_cut=True)


class Replay:
    """The scenes of a match as it is played, stored or live: each decision adds to them."""

    def __init__(self, game: Game, states: States) -> None:
        """`states`: the deal, which the story then owns."""
        self.open: list[Played] = []
        """The decisions since the last scene: those of a simultaneous choice that is not complete yet."""
        self._game = game
        self._states = states
        self._now = states.tobytes()
        self._number = 0
        self.opening = Scene(0, self._now)
        """The scene of the deal."""

    def play(self, action: int) -> list[Scene]:
        """Go on by a decision, as `step` takes it. Returns the scenes that it completes; none within a simultaneous choice."""
        engine, states = self._game.engine, self._states
        mover, is_together = int(engine.current_seat(states)), bool(engine.is_simultaneous(states))
        self.open.append(Played(self._number, mover, action, self._now))
        self._number += 1
        ended = self._game.from_bytes(self._now)
        engine.step(ended, action)
        engine.advance(states, action)
        self._now = states.tobytes()
        if engine.is_round_over(ended):
            scenes = [Scene(self._number, ended.tobytes(), self.open, is_end_of_round=True)]
            if not engine.is_terminal(ended):
                scenes.append(Scene(self._number, self._now))
        elif is_together and engine.is_simultaneous(states) and int(engine.current_seat(states)) > mover:
            return []
        else:
            scenes = [self.scene()]
        self.open = []
        return scenes

    def return_to(self, scene: Scene) -> None:
        """Go back to a scene of this match that was the present one: what was played since is taken back."""
        self._states, self._now, self._number = self._game.from_bytes(scene.state), scene.state, scene.number
        self.open = []

    def scene(self) -> Scene:
        """The position as it is, as a scene."""
        return Scene(self._number, self._now, self.open)

    def choosing(self) -> list[int]:
        """The seats that choose next, all of them where they choose together; none at the end of the match.

        Called at a scene. That a seat chooses, too, does not depend on what those before it choose (arena/match/referee.py).
        """
        game, engine = self._game, self._game.engine
        ahead = game.from_bytes(self._now)
        if engine.is_terminal(ahead):
            return []
        seats = [int(engine.current_seat(ahead))]
        while engine.is_simultaneous(ahead):
            engine.step(ahead, game.legal_list(ahead)[0])
            follower = int(engine.current_seat(ahead))
            if engine.is_round_over(ahead) or follower <= seats[-1] or not engine.is_simultaneous(ahead):
                break
            seats.append(follower)
        return seats


def position(game: Game, scene: Scene, eyes: int | None) -> Document | None:
    """The position as a seat sees it, or with all cards open for None.

    Where a round is over, the table as it then stood, all hands open; None for a game that has none.
    """
    if scene.is_end_of_round and (outcomes := _outcomes(game.name)) is not None:
        table: Document = outcomes.table(game.from_bytes(scene.state)[0])
        return table
    seen = _seen(game, scene, eyes)
    try:
        return game.text.to_position(seen[0]) if eyes is None else game.text.masked_position(seen[0], eyes)
    except ValueError:
        if scene.is_end_of_round:
            return None
        raise


def result(game: Game, scene: Scene) -> RoundResult | None:
    """Return how the round ended that ends with the scene; None: none does, or the game does not say."""
    outcomes = _outcomes(game.name) if scene.is_end_of_round and scene.played else None
    if outcomes is None:
        return None
    last = scene.played[-1]
    found: RoundResult = outcomes.result(game.from_bytes(last.before)[0], last.action, game.from_bytes(scene.state)[0])
    return found


def consequences(game: Game, scene: Scene, eyes: int | None) -> list[Fact]:
    """Return what the decisions of a scene led to, as a seat knows it, or with all cards open for None.

    The game is told what the seat saw before, what it heard, and what it sees now, so it cannot say more than the seat knows.
    """
    outcomes = _outcomes(game.name) if scene.played else None
    if outcomes is None:
        return []
    around = (game.from_bytes(scene.played[0].before), game.from_bytes(scene.state))
    before, after = around if eyes is None else (game.observed(states, eyes) for states in around)
    heard = [event for one in scene.played for event in events(game, one, eyes)]
    found: list[Fact] = outcomes.led_to(before[0], heard, after[0])
    return found


def scene_ends_match(game: Game, scene: Scene) -> bool:
    """Return whether the match is over with the scene."""
    return bool(game.engine.is_terminal(game.from_bytes(scene.state)))


@cache  # to find a module takes longer than all else that is done for a frame
def _outcomes(game: str) -> ModuleType | None:
    return games.outcomes(game)


def description(game: Game, scene: Scene, eyes: int | None) -> str:
    """The position as a few lines for people, as a seat sees it or with all cards open for None."""
    return game.text.describe(_seen(game, scene, eyes)[0], eyes)


def events(game: Game, played: Played, eyes: int | None) -> list[tuple[int, str]]:
    """Return what a seat learns of a decision, or all of it for None: (who, text)."""
    states = game.from_bytes(played.before)
    if eyes is None:
        return [(played.seat, game.action_text(states, played.action))]
    seen = game.engine.seen_action(states, played.action, eyes)
    return list(game.text.event_texts(states[0], seen)) if seen else []


def _seen(game: Game, scene: Scene, eyes: int | None) -> States:
    states = game.from_bytes(scene.state)
    return states if eyes is None else game.observed(states, eyes)
