"""A finished match as readable text: every decision, as one seat saw it or with all cards open."""

from collections.abc import Iterator, Sequence

from arena.audit.stored_log import check_log
from arena.engine.options import OptionValue
from arena.engine.room import Game, States
from arena.errors import quoted
from arena.records import MatchRecord
from arena.report.selection.names import shown

RULE = "-" * 72


def replay_lines(
    game: Game, record: MatchRecord, options: dict[str, OptionValue], deal_seed: int, seat: int | None = None
) -> Iterator[str]:
    """A match from its action log, as lines of text. Raises StoreError for a log that the rules do not allow.

    `options`: all, resolved; `seat`: who looks, None for all cards open.
    """
    check_log(game, record, options, deal_seed)
    names = [shown(row.bot) for row in record.seats]
    yield f"{game.name} {record.match_id}  " + "  ".join(f"seat {place}: {name}" for place, name in enumerate(names))
    states = game.deal(len(names), options, deal_seed)
    number = 0
    for actions in batches(game, states, game.timed_log(record.actions, record.delays)):
        yield RULE
        yield _scene(game, states, seat)
        for action in actions:
            mover = game.engine.current_seat(states)
            for text in _events(game, states, action, seat, mover):
                yield f"{number:5}  {text}"
            number += 1
            ended = game.from_bytes(states.tobytes())
            game.engine.step(ended, action)
            if game.engine.is_round_over(ended):
                yield RULE
                yield _scene(game, ended, seat)
            game.engine.advance(states, action)
    yield from result_lines(record, seat)


def result_lines(record: MatchRecord, seat: int | None = None) -> Iterator[str]:
    """The places, best first, then the notes on faults: all notes, or those of one seat."""
    for place, row in sorted(enumerate(record.seats), key=lambda item: item[1].place):
        fault = f"  {row.ending.value} at decision {row.fault_decision}" if row.ending.blame == "bot" else ""
        yield f"place {row.place}  seat {place} {shown(row.bot)}  score {row.score:g}{fault}"
    yield from (f"note: {quoted(note)}" for note in record.notes if seat is None or note.startswith(f"seat {seat} "))


def batches(game: Game, states: States, actions: Sequence[int]) -> Iterator[list[int]]:
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


def _scene(game: Game, states: States, seat: int | None) -> str:
    seen = states if seat is None else game.observed(states, seat)
    return game.text.describe(seen[0], seat)


def _events(game: Game, states: States, action: int, seat: int | None, mover: int) -> list[str]:
    if seat is None:
        return [f"seat {mover}  {game.action_text(states, action)}"]
    seen = game.engine.seen_action(states, action, seat)
    return [f"seat {who}  {text}" for who, text in game.text.event_texts(states[0], seen)] if seen else []
