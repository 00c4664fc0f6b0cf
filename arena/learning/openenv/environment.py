"""Matches as an environment of OpenEnv: `reset` deals, `step` answers for a seat. Each client has matches of its own.

`reset(seed=7)` begins episode 7 of the training stream; with `split="evaluation"` and `index` one of the held-out episodes.
What else it takes are fields of EpisodeSettings, which hold for that episode. No observation tells the seed, nor anything that
follows from it and that the seat cannot know.
"""

import secrets
import uuid
from collections.abc import Mapping
from functools import partial
from typing import Any

import msgspec
from openenv.core.env_server import Action, Environment, Observation, State, create_app
from pydantic import Field

from arena.agent.model_bot import LIST
from arena.errors import ConfigError
from arena.learning.language_models import EVALUATION, TRAINING, Asked, Episode, EpisodeSettings
from arena.learning.language_models.rivals import POLICY, RANDOM
from arena.learning.language_models.settings import settings_from
from arena.learning.language_models.table import table_of
from arena.server.people.levels import NAMES

SESSIONS = 64
"""How many clients a server has at most, if nothing else is said."""
_SEED_BITS = 48  # of an episode for which no seed is asked
_BY_NAME = (*NAMES, RANDOM, POLICY)


class MatchAction(Action):  # type: ignore[misc]  # OpenEnv need not be installed
    """What a model wrote."""

    text: str = Field(description="The model's answer as it is; its last JSON object counts.")
    seat: int | None = Field(None, description="The seat that answers; needed where several are asked.")
    is_cut: bool = Field(False, description="Whether the answer reached its limit of length.")


class SeatAsked(msgspec.Struct, frozen=True):
    """What one seat is asked, as plain data."""

    seat: int
    attempt: int
    prompt: str
    legal: tuple[str, ...] | None
    """The legal actions, if the settings say that the model sees them; else None."""


class MatchObservation(Observation):  # type: ignore[misc]
    """What is asked now; at the end, how the match ended."""

    head: str = Field(
        "", description="After `reset`: rules, notation, table, form of the answer: the first part of every prompt."
    )
    prompt: str = Field(
        "", description="What the seat is asked, to stand behind the head; after a wrong answer, what was wrong."
    )
    seat: int | None = Field(None, description="The seat that is asked; of several the first.")
    attempt: int = Field(0, description="How many answers to this decision were no action.")
    asked: list[dict[str, Any]] = Field(
        default_factory=list, description="What each seat is asked: several if they choose together."
    )
    kind: str = Field("", description="What the last answer was: `action`, or the kind of its fault.")
    rewards: dict[int, float] = Field(
        default_factory=dict, description="At the end: the whole reward of each seat that learns."
    )
    places: list[int] = Field(default_factory=list, description="At the end: the place of each seat.")
    legality: dict[int, dict[str, Any]] = Field(
        default_factory=dict, description="At the end, by seat that learns: decisions, first_try, wrong by kind, faults."
    )


class MatchState(State):  # type: ignore[misc]
    """The match of a session, as far as a client may know it."""

    game: str = ""
    seats: int = 0
    learners: list[int] = Field(default_factory=list)


class MatchEnvironment(Environment[MatchAction, MatchObservation, MatchState]):  # type: ignore[misc]
    """One client's matches, one after the other."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, settings: EpisodeSettings) -> None:
        """`settings`: where `reset` says nothing else."""
        super().__init__()
        self._settings = settings
        self._episode: Episode | None = None
        self._state = MatchState()
        self._paid: dict[int, float] = {}  # of each seat's reward, in earlier steps

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        split: str = TRAINING,
        index: int | None = None,
        **settings: Any,
    ) -> MatchObservation:
        """Deal an episode. `seed` or `index`: which one of the split; None: one of the training stream at random.

        `settings`: fields of EpisodeSettings. Raises ConfigError.
        """
        self.close()
        number = seed if index is None else index
        if number is None and split != TRAINING:
            raise ConfigError(f"index: say which episode of the split {split}")
        table = table_of(msgspec.json.encode(_allowed(self._settings, settings)))
        self._episode = table.begin(secrets.randbits(_SEED_BITS) if number is None else number, split)
        self._paid = dict.fromkeys(self._episode.learners, 0.0)
        self._state = MatchState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0, game=table.game.name, seats=table.seats,
            learners=list(self._episode.learners),
        )  # fmt: skip
        return self._observation(self._episode, head=self._episode.head)

    def step(self, action: MatchAction, timeout_s: float | None = None, **_: Any) -> MatchObservation:
        """Answer for a seat. Raises ConfigError where no seat of that number is asked."""
        episode = self._episode
        if episode is None or episode.is_over:
            raise ConfigError("step: no episode goes on; reset first")
        asked = episode.asked
        if action.seat is None and len(asked) > 1:
            raise ConfigError(f"seat: say which of {', '.join(map(str, asked))} answers")
        seat = next(iter(asked)) if action.seat is None else action.seat
        read = episode.answer(seat, action.text, is_cut=action.is_cut)
        self._state.step_count += 1
        return self._observation(episode, kind=read.kind, reward=self._pay(episode, seat))

    @property
    def state(self) -> MatchState:
        """The match of a session, as far as a client may know it."""
        return self._state

    def close(self) -> None:
        """End the match that goes on."""
        if self._episode is not None:
            self._episode.close()
            self._episode = None

    def list_splits(self) -> list[dict[str, str]]:
        """The streams of deals."""
        return [{"name": TRAINING, "type": "train"}, {"name": EVALUATION, "type": "test"}]

    def num_tasks(self, split: str) -> int:
        """How many episodes a split has; of the endless one as many as have a number of 48 bits."""
        return table_of(msgspec.json.encode(self._settings)).episodes(split) or 1 << _SEED_BITS

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """What `reset` takes for an episode. Raises IndexError for one that the split does not have."""
        if not 0 <= index < self.num_tasks(split):
            raise IndexError(f"index: {split} has no episode {index}")
        return {"split": split, "index": index}

    def _pay(self, episode: Episode, seat: int) -> float:
        """What a seat has earned since it was paid last: costs at once, the match at its end."""
        earned = episode.outcome.rewards[seat] if episode.is_over else episode.costs(seat)
        found = earned - self._paid[seat]
        self._paid[seat] = earned
        return found

    def _observation(
        self, episode: Episode, *, head: str = "", kind: str = "", reward: float | None = None
    ) -> MatchObservation:
        if episode.is_over:
            outcome = episode.outcome
            return MatchObservation(
                done=True, reward=reward, head=head, kind=kind, rewards=dict(outcome.rewards), places=list(outcome.places),
                legality={seat: msgspec.to_builtins(one) for seat, one in episode.legality.items()},
            )  # fmt: skip
        asked = [_shown(one, episode.settings) for one in episode.asked.values()]
        return MatchObservation(
            reward=reward, head=head, kind=kind, prompt=asked[0].prompt, seat=asked[0].seat, attempt=asked[0].attempt,
            asked=[msgspec.to_builtins(one) for one in asked],
        )  # fmt: skip


def app(settings: EpisodeSettings, *, sessions: int = SESSIONS) -> Any:
    """The server's application: HTTP and WebSocket, as OpenEnv lays them out. Raises as Table does."""
    table_of(msgspec.json.encode(settings))
    return create_app(
        partial(MatchEnvironment, settings), MatchAction, MatchObservation, env_name="arena", max_concurrent_envs=sessions,
        state_cls=MatchState,
    )  # fmt: skip


def _shown(asked: Asked, settings: EpisodeSettings) -> SeatAsked:
    return SeatAsked(asked.seat, asked.attempt, asked.prompt, asked.legal if settings.legal == LIST else None)


def _allowed(ours: EpisodeSettings, asked: Mapping[str, Any]) -> EpisodeSettings:
    """The settings with what a client asks for. Only rivals that come with arena: no client names a file of the server."""
    found = settings_from({**msgspec.to_builtins(ours), **asked})
    foreign = [name for name in found.rivals if name not in ours.rivals and not _is_ours(name)]
    if foreign:
        raise ConfigError(
            f"rivals: {foreign[0]!r} is not one that a client may ask for; only the server's own settings name files"
        )
    return found


def _is_ours(name: str) -> bool:
    kind, _, rest = name.partition(":")
    return "/" not in rest and "\\" not in rest and (kind in ("house", "search") if rest else name in _BY_NAME)
