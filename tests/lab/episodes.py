"""Episodes for language models, measured without a model: what `python -m lab episodes` prints."""

import random
import time
from collections.abc import Callable
from statistics import median

import msgspec

from arena import games
from arena.learning.language_models import Table
from arena.learning.language_models.evaluation import fixed
from helpers.scripted_models import said

SEED = 1


class EpisodeCost(msgspec.Struct, frozen=True, kw_only=True):
    """What episodes of one game cost; their model plays any legal action, and takes no time."""

    game: str
    seats: int
    rival: str
    episodes: int
    episodes_per_second: float
    """By CPU time of one core."""
    steps: float
    """Decisions that the model is asked for in an episode."""
    step_ms: float
    """CPU milliseconds of a step: rivals, referee, prompt, reading the answer, and its share of the deal and the end."""
    head_bytes: int
    first_bytes: int
    """Bytes of the first prompt behind the head: the median."""
    last_bytes: int
    """The same of the last prompt."""
    longest_bytes: int


def costs(rival: str, seconds: float, say: Callable[[str], None]) -> list[EpisodeCost]:
    """Every game at the table of its fixed evaluation."""
    return [_cost(name, rival, seconds, say) for name in games.names()]


def _cost(name: str, rival: str, seconds: float, say: Callable[[str], None]) -> EpisodeCost:
    say(name)
    table, rng, sizes = Table(fixed(name, rivals=[rival])), random.Random(SEED), []
    _play(table, 0, rng)  # whatever is loaded only now
    began, spent = time.process_time(), 0.0
    while spent < seconds or len(sizes) < table.turns:
        sizes.append(_play(table, len(sizes), rng))
        spent = time.process_time() - began
    steps = sum(map(len, sizes))
    return EpisodeCost(
        game=name, seats=table.seats, rival=rival, episodes=len(sizes), episodes_per_second=len(sizes) / spent,
        steps=steps / len(sizes), step_ms=1000 * spent / steps, head_bytes=len(table.head.encode()),
        first_bytes=int(median(one[0] for one in sizes)), last_bytes=int(median(one[-1] for one in sizes)),
        longest_bytes=max(map(max, sizes)),
    )  # fmt: skip


def _play(table: Table, number: int, rng: random.Random) -> list[int]:
    """Play an episode; gives the bytes of each prompt."""
    episode, sizes = table.begin(number), []
    while not episode.is_over:
        for seat, asked in episode.asked.items():
            sizes.append(len(asked.prompt.encode()))
            episode.answer(seat, said(rng.choice(asked.legal)))
    return sizes
