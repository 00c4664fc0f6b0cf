"""What a language model is asked in a match of each game: bytes, calls, and what asking costs this machine, without a model.

`PYTHONPATH=tests .venv/bin/python -m lab models`. The answers are those of a house bot, so that matches are as long as those
of somebody who plays sensibly; a token is taken for BYTES_OF_A_TOKEN bytes.
"""

import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from arena import games
from arena.agent import LoadedBot, read_bot
from arena.agent.loading import house_bots
from arena.llm.calls import Question, Reply
from arena.match import Seat, model_seat, play
from arena.match.single_match import UNHURRIED, agree, bot_seat, named
from helpers.stub_model import action, model_folder

BYTES_OF_A_TOKEN = 4
PLAYERS = {game: f"{game}_greedy" for game in ("naga", "yaniv", "hisatsu", "nanatoridori", "nertz")}
MATCHES = 3


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What a seat is asked in matches of one game with its default options."""

    game: str
    seats: int
    calls: float
    """Calls of a match, on average."""
    head_bytes: int
    first_bytes: int
    """Bytes of the rest of the first prompt."""
    largest_bytes: int
    cached_share: float
    """The share of all bytes that is the head."""
    tokens: int
    """Tokens of the prompts of a match, on average."""
    overhead_ms_median: float
    """CPU time of a decision without the model; ms."""
    overhead_ms_p99: float


class _Answering:
    """Stands for the process that asks: the house bot of the game answers."""

    def __init__(self, key_env: str) -> None:
        self.seat: model_seat.ModelSeat | None = None
        self.agent: Any = None

    def put(self, question: Question) -> None:
        self.asked = question

    def wait(self, end: float) -> Reply:
        assert self.seat is not None and self.seat._turn is not None
        view = self.seat._turn.view
        chosen = self.agent.act(view)
        return Reply(text=action(chosen if isinstance(chosen, str) else view.legal[chosen]), finish_reason="stop", model="m")

    def close(self) -> None:
        """Nothing runs."""


def measure() -> list[Figures]:
    """The figures of all games."""
    return [_game(name) for name in games.names() if name in PLAYERS]


def _game(name: str) -> Figures:
    seats = games.load(name).seats[0]
    heads: list[int] = []
    rests: list[int] = []
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(MATCHES):
            _match(name, seats, seed, Path(folder), heads, rests, times)
    return Figures(
        game=name, seats=seats, calls=len(rests) / MATCHES, head_bytes=heads[0], first_bytes=rests[0], largest_bytes=max(rests),
        cached_share=round(sum(heads) / (sum(heads) + sum(rests)), 3),
        tokens=round((sum(heads) + sum(rests)) / MATCHES / BYTES_OF_A_TOKEN),
        overhead_ms_median=round(1000 * statistics.median(times), 3),
        overhead_ms_p99=round(1000 * sorted(times)[int(0.99 * len(times))], 3),
    )  # fmt: skip


def _match(name: str, seats: int, seed: int, folder: Path, heads: list[int], rests: list[int], times: list[float]) -> None:
    setup = agree(name, [f"bot{seat}" for seat in range(seats)], seed=seed, clock=UNHURRIED)
    seat = model_seat.ModelSeat(read_bot(model_folder(folder, "http://127.0.0.1:9/v1")), seed=1)
    asker = _Answering("")
    asker.seat, seat._process = seat, asker  # type: ignore[assignment]
    answering = asker.wait
    spent = [0.0]

    def wait(end: float) -> Reply:
        began = time.process_time()
        found = answering(end)
        spent[0] += time.process_time() - began
        return found

    asker.wait = wait  # type: ignore[method-assign]
    ask, answer = seat.ask, seat.answer

    def timed_ask(view: Any) -> None:
        began = time.process_time()
        ask(view)
        times.append(time.process_time() - began)
        assert seat._turn is not None
        sizes = [len(message["content"].encode()) for message in seat._turn.messages]
        heads.append(sizes[0])
        rests.append(sum(sizes[1:]))

    def timed_answer() -> Any:
        began, spent[0] = time.process_time(), 0.0
        found = answer()
        times[-1] += time.process_time() - began - spent[0]
        return found

    seat.ask, seat.answer = timed_ask, timed_answer  # type: ignore[method-assign]
    with LoadedBot(read_bot(house_bots()[PLAYERS[name]])) as loaded:
        agent = loaded.agent_class()
        agent._seed, agent.params = 1, {}
        asker.agent = agent
        others = [bot_seat(named(f"house:{PLAYERS[name]}", folder), own) for own in setup.bot_seeds[1:]]
        chairs: Sequence[Seat] = [seat, *others]  # type: ignore[list-item]
        play(games.load(name), setup, chairs)
