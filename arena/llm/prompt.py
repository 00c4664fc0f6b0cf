"""What a language model is asked at a decision: texts that are made of what one seat may know, and of nothing else.

`head` is the fixed part: rules, notation, options of the table and the form of the answer. It is the same, byte for byte, for
every seat, decision and match of such a table, so that a provider can keep it. `situation` is the rest. Both take plain
things and return a text: a game, its resolved options, the seen state (`Game.observed`) and the seat, the history as
(seat, text) of each event since the deal (`Decision.since_deal` in match/history.py), the legal actions as texts. `again`
says what was wrong with an answer (answer.py). No text gives advice, names a bot, or speaks of one opponent.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from arena.agent.model_bot import LANGUAGES
from arena.engine.game import Game, States
from arena.engine.options import OptionValue
from arena.llm.answer import AMBIGUOUS, EMPTY, ILLEGAL, TRUNCATED, Answer
from arena.llm.rule_text import notation, rules
from arena.llm.words import check_language, said
from arena.records import canonical_json

Event = tuple[int, str]
"""A seat, and its action as the seat that is asked learns of it."""
MOST_EVENTS = 4_000
"""How many events a prompt shows at most: the last ones. Only rounds of Nertz with many seats have so many."""
MOST_NOTES = 2_000
"""How many characters of a model's notes are kept from one decision to the next."""
_HEADS = 64  # kept: a worker plays few tables
_IN_HEAD = ("game", "options", "seats")


class Round(msgspec.Struct, frozen=True):
    """What one seat learnt of the actions of one round."""

    number: int
    events: Sequence[Event]


def head(
    game: Game, seats: int, options: Mapping[str, OptionValue], *, language: str = LANGUAGES[0], takes_notes: bool = False
) -> str:
    """The fixed part of every prompt at such a table. `options`: resolved; `takes_notes`: the model may leave itself notes.

    Raises ConfigError for a language that there is not.
    """
    check_language(language)
    return _head(game, seats, canonical_json(options), language, takes_notes)


def situation(
    game: Game,
    seen: States,
    seat: int,
    *,
    history: Sequence[Event],
    earlier: Sequence[Round] = (),
    legal: Sequence[str] | None = None,
    notes: str = "",
    language: str = LANGUAGES[0],
) -> str:
    """What a seat knows at its decision: the history, the masked position, its turn.

    `seen`: the state as `observe` shows it to the seat; `history`: the events of this round; `earlier`: those of rounds before,
    if the model is to see them; `legal`: the legal actions, if it is to see them; `notes`: what it noted at its last decision.
    """
    position = game.text.masked_position(seen[0], seat)
    rounds = [*earlier, Round(position["round"], history)]
    parts = [*(_round(one, seat, language) for one in rounds)]
    parts += [f"{said('position', language, seat=seat)}\n{_json_of(position)}"]
    if notes:
        parts.append(f"{said('notes', language)}\n{notes[:MOST_NOTES]}")
    if legal is not None:
        parts.append("\n".join([said("legal", language), *legal]))
    parts.append(said("turn", language, seat=seat))
    return "\n\n".join(parts)


def again(answer: Answer, *, legal: Sequence[str] | None = None, language: str = LANGUAGES[0]) -> str:
    """What a model is told after an answer that was no action: what was wrong, and to answer once more.

    `legal`: the legal actions, if it is to see them.
    """
    parts = [_wrong(answer, language)]
    if legal is not None:
        parts.append("\n".join([said("legal", language), *legal]))
    return "\n\n".join([*parts, said("again", language)])


@lru_cache(maxsize=_HEADS)
def _head(game: Game, seats: int, options: str, language: str, takes_notes: bool) -> str:
    given: dict[str, Any] = msgspec.json.decode(options)
    listed = ", ".join(f"{name} = {canonical_json(value)}" for name, value in given.items()) or "-"
    form = [said("form_action", language), *([said("form_notes", language, most=MOST_NOTES)] if takes_notes else [])]
    how = notation(game, language)
    parts = [
        said("play", language),
        f"# {said('rules', language)}\n\n{rules(game, language)}",
        *([f"# {said('notation', language)}\n\n{how}"] if how else []),
        "\n".join(
            [
                f"# {said('table', language)}\n",
                said("seats", language, seats=seats, last=seats - 1),
                said("options", language, options=listed),
            ]
        ),
        "\n".join([f"# {said('form', language)}\n", *form]),
    ]
    return "\n\n".join(parts) + "\n"


def _round(one: Round, seat: int, language: str) -> str:
    events, left_out = one.events[-MOST_EVENTS:], len(one.events) - MOST_EVENTS
    lines = [said("round", language, round=one.number, seat=seat)]
    if left_out > 0:
        lines.append(said("earlier", language, count=left_out))
    lines += [f"{other}: {text}" for other, text in events] or [said("nothing", language)]
    return "\n".join(lines)


def _json_of(position: Mapping[str, Any]) -> str:
    return msgspec.json.encode({key: value for key, value in position.items() if key not in _IN_HEAD}).decode()


def _wrong(answer: Answer, language: str) -> str:
    if answer.kind == ILLEGAL:
        key = "illegal_why" if answer.why else "illegal_rule" if answer.rule else "illegal"
        return said(key, language, action=answer.raw, why=answer.why, section=answer.rule)
    if answer.kind == AMBIGUOUS:
        return said("ambiguous", language, action=answer.raw, actions="; ".join(answer.candidates))
    if answer.kind in (TRUNCATED, EMPTY):
        return said(answer.kind, language)
    return said("unparsable", language, reason=said(answer.why, language), end=answer.raw)
