"""What an environment of PettingZoo is made with, checked; the names and spaces that follow from it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gymnasium import spaces

from arena.engine.options import OptionValue
from arena.errors import ConfigError
from arena.learning.rendering import RENDER_MODES
from arena.learning.single import Seating, seating
from arena.learning.spaces import MASKS
from arena.learning.spaces import observation_space as observed

Observation: TypeAlias = Any
"""An array of features; or a dict with it, the mask and the features of the actions."""
_CHOICES = {
    "mask": MASKS,
    "illegal": ("lose", "raise"),
    "render_mode": (None, *RENDER_MODES),
    "render_view": ("agent", "all"),
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How a game is played and shown as an environment."""

    game: str
    seats: int | None = None
    """How many play; None: the fewest that the game has."""
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """Rule options of the game that are not as its defaults."""
    mask: str = "observation"
    """The mask of legal actions stands as `action_mask` in the `observation`, which then is a dict, or in the `info`."""
    action_features: bool = False
    """Whether `action_features`, a row for each action, stand beside the mask."""
    illegal: str = "lose"
    """What an illegal action does: it loses the match, or raises ValueError and changes nothing."""
    max_cycles: int | None = None
    """Decisions after which the episode is truncated, those that fall together counted as one; None: never."""
    render_mode: str | None = None
    render_view: str = "agent"
    """What is rendered of an AEC environment: what the agent to choose knows, or everything."""

    def check(self) -> Seating:
        """What is played. Raises ConfigError that names the setting."""
        for name, allowed in _CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise ConfigError(f'{name}: "{value}" is none of {", ".join(str(choice) for choice in allowed)}')
        if self.max_cycles is not None and self.max_cycles < 1:
            raise ConfigError(f"max_cycles: a whole number from 1, or None, not {self.max_cycles}")
        return seating(self.game, self.seats, self.options)


def agent_names(played: Seating) -> list[str]:
    """The agents, by seat."""
    return [f"player_{seat}" for seat in range(played.seats)]


def observation_space(settings: Settings, played: Seating) -> spaces.Space[Any]:
    """What an agent observes."""
    return observed(played.encoding, played.actions, settings.mask, has_action_features=settings.action_features)


def action_space(played: Seating) -> spaces.Discrete[Any]:
    """What an agent chooses from."""
    return spaces.Discrete(played.actions)
