"""What is played with language models, and what their answers are worth."""

import msgspec

from arena.agent.model_bot import LEGAL, MEMORY, PromptSettings
from arena.engine.options import OptionValue
from arena.errors import ConfigError
from arena.llm.words import check_language
from arena.match.faults import FORFEIT, SUBSTITUTE, FaultPolicy

TRAINING, EVALUATION = "training", "evaluation"
"""The two streams of deals; none has a deal of the other."""
PLACES, LUCK = "places", "luck"
"""What a match is worth: its places, or these without what the cards gave."""
_WORDS = {
    "reward": (PLACES, LUCK),
    "legal": LEGAL,
    "memory": MEMORY,
    "fault": (FORFEIT, SUBSTITUTE),
}


class EpisodeSettings(PromptSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table at which models learn, and what they are told and rewarded there. Raises ConfigError for a word it lacks."""

    game: str
    seats: int | None = None
    """The seats of the table; None for as few as the game allows."""
    options: dict[str, OptionValue] = msgspec.field(default_factory=dict)
    """The rule options that differ from the defaults."""
    learners: tuple[int, ...] | None = None
    """The seats that learn; empty: all seats. None: one, and each deal is played from every seat in turn."""
    rivals: tuple[str, ...] = ("casual",)
    """The players of the other seats, from the first learner's left on; fewer than seats are repeated."""
    reward: str = PLACES
    """`places`, or `luck`: without luck."""
    rethinks: int = 2
    """How often a model is asked again after an answer that was no action; then the answer is its fault."""
    illegal_cost: float = 0.0
    """What is taken off the reward for each answer that was no action."""
    fault: str = FORFEIT
    """What a fault costs: `forfeit`: the match; `substitute`: a random action is played, and the last of `max_faults` loses."""
    max_faults: int = 3

    def __post_init__(self) -> None:
        """Check what has no type of its own."""
        for name, words in _WORDS.items():
            if getattr(self, name) not in words:
                raise ConfigError(f"{name}: {' or '.join(words)}, not {getattr(self, name)!r}")
        check_language(self.language)
        if self.rethinks < 0:
            raise ConfigError(f"rethinks: 0 or more, not {self.rethinks}")
        if self.max_faults < 1:
            raise ConfigError(f"max_faults: 1 or more, not {self.max_faults}")
        if self.illegal_cost < 0.0:
            raise ConfigError(f"illegal_cost: 0 or more, as it is taken off the reward, not {self.illegal_cost:g}")

    @property
    def faults(self) -> FaultPolicy:
        """The referee's policy for faults."""
        return FaultPolicy(policy=self.fault, max_faults=self.max_faults)


def settings_from(given: object) -> EpisodeSettings:
    """Settings from plain data, such as JSON. Raises ConfigError that names the field."""
    try:
        return msgspec.convert(given, EpisodeSettings)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$.")
        raise ConfigError(f"{where.rstrip('`')}: {what}" if where else what) from None
