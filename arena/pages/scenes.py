"""A finished match, played again from its action log: the positions one after the other, and what was played between them.

`arena replay` and the frames of a page both show these scenes, so a decision has the same number in both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from arena.audit.stored_log import check_log
from arena.engine.options import OptionValue
from arena.engine.room import Document, Game, States
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
    states = game.deal(len(record.seats), options, deal_seed)
    number, now = 0, states.tobytes()
    yield Scene(0, now)
    for actions in _batches(game, states, game.timed_log(record.actions, record.delays)):
        played: list[Played] = []
        for action in actions:
            played.append(Played(number, int(game.engine.current_seat(states)), action, now))
            number += 1
            ended = game.from_bytes(now)
            game.engine.step(ended, action)
            game.engine.advance(states, action)
            now = states.tobytes()
        if game.engine.is_round_over(ended):
            yield Scene(number, ended.tobytes(), played, is_end_of_round=True)
            if not game.engine.is_terminal(ended):
                yield Scene(number, now)
        else:
            yield Scene(number, now, played, is_cut=number == len(record.actions))


def position(game: Game, scene: Scene, eyes: int | None) -> Document | None:
    """The position as a seat sees it, or with all cards open for None. A room may have none where a round is over."""
    seen = _seen(game, scene, eyes)
    try:
        return game.text.to_position(seen[0]) if eyes is None else game.text.masked_position(seen[0], eyes)
    except ValueError:
        if scene.is_end_of_round:
            return None
        raise


def description(game: Game, scene: Scene, eyes: int | None) -> str:
    """The position as a few lines for people, as a seat sees it or with all cards open for None."""
    return game.text.describe(_seen(game, scene, eyes)[0], eyes)


def events(game: Game, played: Played, eyes: int | None) -> list[tuple[int, str]]:
    """What a seat learns of a decision, or all of it for None: (who, text)."""
    states = game.from_bytes(played.before)
    if eyes is None:
        return [(played.seat, game.action_text(states, played.action))]
    seen = game.engine.seen_action(states, played.action, eyes)
    return list(game.text.event_texts(states[0], seen)) if seen else []


def _seen(game: Game, scene: Scene, eyes: int | None) -> States:
    states = game.from_bytes(scene.state)
    return states if eyes is None else game.observed(states, eyes)


def _batches(game: Game, states: States, actions: Sequence[int]) -> Iterator[list[int]]:
    """The log cut into decisions that are made at the same time. The caller plays each batch in `states` before the next."""
    at = 0
    while at < len(actions):
        batch = [actions[at]]
        mover = game.engine.current_seat(states)
        if game.engine.is_simultaneous(states):
            ahead = game.from_bytes(states.tobytes())
            while at + len(batch) < len(actions):
                game.engine.step(ahead, batch[-1])
                follower = game.engine.current_seat(ahead)
                if game.engine.is_round_over(ahead) or follower <= mover or not game.engine.is_simultaneous(ahead):
                    break
                batch.append(actions[at + len(batch)])
                mover = follower
        at += len(batch)
        yield batch
