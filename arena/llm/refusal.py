"""Why an action is not legal: the sentence and the section of the rules, where the game knows them (its explanations.py)."""

from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec
from msgspec.structs import replace

from arena import games
from arena.agent.model_bot import LANGUAGES
from arena.agent.view import View
from arena.llm.answer import ILLEGAL, Answer, is_card, normalised


def explained(answer: Answer, view: View, *, language: str = LANGUAGES[0]) -> Answer:
    """An answer with why its action is illegal, as far as the game knows; any other answer as it is.

    `view`: of the seat that answered, at its decision.
    """
    if answer.kind != ILLEGAL:
        return answer
    module = games.explanations(view.game)
    refusals: Sequence[tuple[Any, ...]] = () if module is None else module.refusals(view)
    cards = {word for word in normalised(answer.raw).split(" ")[1:] if is_card(word)}
    for _, card, why, rule, values, *_ in refusals:
        if normalised(card.rpartition(":")[2]) in cards:
            return replace(answer, why=_sentence(view.game, why, values, language), rule=rule)
    rules = {refusal[3] for refusal in refusals}
    return replace(answer, rule=rules.pop()) if len(rules) == 1 else answer


def _sentence(game: str, key: str, values: dict[str, Any], language: str) -> str:
    """The game's own sentence, with its values in place."""
    words = _words(game)
    text = words.get(language, words[LANGUAGES[0]]).get(key, "")
    for name, value in values.items():
        cards = [str(card).rpartition(":")[2] for card in value] if isinstance(value, list) else [str(value)]
        text = text.replace(f"{{{name}}}", ", ".join(cards))
    return text


@cache
def _words(game: str) -> dict[str, dict[str, str]]:
    """The words of a game's page by language; English without any for a game that draws no table."""
    path = games.load(game).folder / "page" / "words.json"
    if not path.exists():
        return {LANGUAGES[0]: {}}
    return msgspec.json.decode(path.read_bytes(), type=dict[str, dict[str, str]])
