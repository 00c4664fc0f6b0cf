"""Models that answer by a script, and the episodes that they play."""

import json
import random
from collections.abc import Callable

from arena.learning.language_models import Asked, Episode, Table

Model = Callable[[Asked], str]


def said(action: str) -> str:
    """An answer with an action."""
    return "I take " + json.dumps({"action": action})


def anything(seed: int = 0) -> Model:
    """A model that plays any legal action."""
    rng = random.Random(seed)
    return lambda asked: said(rng.choice(asked.legal))


def first(asked: Asked) -> str:
    """A model that plays the first legal action."""
    return said(asked.legal[0])


def play_out(episode: Episode, model: Model) -> Episode:
    """Play an episode to its end, in seat order where several are asked."""
    while not episode.is_over:
        for seat, asked in episode.asked.items():
            episode.answer(seat, model(asked))
    return episode


def played(table: Table, number: int, model: Model = first) -> Episode:
    """An episode of the training stream, played to its end."""
    return play_out(table.begin(number), model)
