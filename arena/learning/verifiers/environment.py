"""Matches as tasks of verifiers: a task is an episode, its seats that learn are played by the agent `player`."""

import asyncio
import itertools
from collections.abc import Iterator
from contextlib import AsyncExitStack
from typing import Any

import msgspec
import verifiers.v1 as vf
from pydantic import create_model

from arena import games
from arena.learning.language_models import TRAINING, Asked, Episode, EpisodeSettings, Table
from arena.learning.language_models.settings import settings_from
from arena.learning.language_models.table import table_of
from arena.learning.verifiers.harness import MatchHarness
from arena.llm.answer import FAULTS

_FIELDS: Any = {
    one.name: (one.type, one.default_factory() if callable(one.default_factory) else one.default)
    for one in msgspec.structs.fields(EpisodeSettings)
    if not one.required
}
_FIELDS["rivals"] = (list[str], list(_FIELDS["rivals"][1]))  # its command line knows lists alone
_FIELDS["learners"] = (list[int] | None, None)
_FIELDS["game"] = (str, "")  # verifiers makes a config with the taskset's name alone, too; no table is set for it


class _SplitConfig(vf.TasksetConfig):  # type: ignore[misc]  # verifiers need not be installed
    split: str = TRAINING
    """Which deals: `training`, without end, or `evaluation`."""


MatchConfig: Any = create_model("MatchConfig", __base__=_SplitConfig, __module__=__name__, **_FIELDS)
"""The settings of an episode as `--env.taskset.game`, `--env.taskset.rivals` and so on."""


class MatchData(vf.TaskData):  # type: ignore[misc]
    """One episode. The model sees the system prompt and nothing else of it."""

    number: int
    split: str
    settings: str
    """EpisodeSettings as JSON."""


class MatchTask(vf.Task[MatchData]):  # type: ignore[misc]
    """An episode; its rewards are recorded when the match is over."""


class MatchTaskset(vf.Taskset[MatchTask, MatchConfig]):  # type: ignore[misc]
    """The episodes of a split, in order: the same deal from every seat in turn, where one seat learns at a time."""

    def __init__(self, config: Any) -> None:
        """Check everything. Raises as Table does."""
        super().__init__(config)
        self._settings = settings_from({name: getattr(config, name) for name in _FIELDS})
        self._episodes = Table(self._settings).episodes(config.split)
        self.INFINITE = self._episodes is None

    def load(self) -> Iterator[MatchTask]:
        """The tasks."""
        settings = msgspec.json.encode(self._settings).decode()
        table = table_of(settings)
        for number in itertools.count() if self._episodes is None else range(self._episodes):
            name = f"{table.game.name}-{self.config.split}-{number}"
            yield MatchTask(
                MatchData(name=name, system_prompt=table.head, number=number, split=self.config.split, settings=settings),
                self.config.task,
            )


class MatchEnvConfig(vf.EnvConfig):  # type: ignore[misc]
    """The players of an episode, as `--env.player.model` and so on."""

    player: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())
    """The model that learns; on all seats that learn, each with a trace of its own."""


class MatchEnv(vf.Env[MatchEnvConfig]):  # type: ignore[misc]
    """Plays an episode to its end, and rewards each trace with what the match was worth to its seat."""

    async def run(self, task: MatchTask, agents: vf.Agents) -> None:
        """Play one episode. What goes wrong with the model's server is on the trace, which then has no reward."""
        episode = await asyncio.to_thread(table_of(task.data.settings).begin, task.data.number, task.data.split)
        try:
            async with AsyncExitStack() as stack:
                players = {
                    seat: _Player(
                        await stack.enter_async_context(agents.player.interaction(task)),
                        isinstance(agents.player.harness, MatchHarness),
                    )
                    for seat in episode.learners
                }
                while not episode.is_over:
                    asked = list(episode.asked.values())
                    answers = await asyncio.gather(*(players[one.seat].answer(one) for one in asked))
                    if any(player.trace.errors for player in players.values()):
                        return
                    for one, (text, is_cut) in zip(asked, answers):
                        await asyncio.to_thread(episode.answer, one.seat, text, is_cut=is_cut)
            for seat, player in players.items():
                _record(episode, seat, player.trace)
        finally:
            episode.close()


class _Player:
    """The model on one seat."""

    def __init__(self, exchange: vf.Interaction, is_direct: bool) -> None:
        """`is_direct`: each segment is to have all messages that the model shall see, not only the new one."""
        self.trace: vf.Trace = exchange.trace
        self._exchange = exchange
        self._is_direct = is_direct
        self._said: list[vf.Message] = []  # at this decision
        self._is_over = False

    async def answer(self, asked: Asked) -> tuple[str, bool]:
        """Return the model's answer, and whether it was cut off. Empty once the model has reached a limit of its run."""
        if self._is_over:
            return "", False
        if not asked.attempt:
            self._said = []
        self._said.append(vf.UserMessage(content=asked.prompt))
        segment = await self._exchange.turn(self._said if self._is_direct else self._said[-1:])
        if segment.terminated:
            self._is_over = True
            return "", False
        text = segment.last_reply
        self._said.append(vf.AssistantMessage(content=text))
        return text, self.trace.calls[-1].finish_reason == "length"


def _record(episode: Episode, seat: int, trace: vf.Trace) -> None:
    """Write on a trace what the match was worth to its seat, and how well its answers were read."""
    found, legality = episode.outcome, episode.legality[seat]
    trace.record_reward("match", found.rewards[seat])
    trace.record_metrics(
        {
            "share": found.shares[seat],
            "place": found.places[seat],
            "decisions": legality.decisions,
            "legal_first_try": legality.first_try / max(1, legality.decisions),
            "faults": legality.faults,
            **{f"wrong_{kind}": legality.wrong[kind] for kind in FAULTS},
        }
    )
    if games.has_luck(episode.game.name):
        trace.record_metric("luck", episode.luck[seat])
    trace.info["arena"] = {"deal": episode.setup.deal, "seat": seat}
