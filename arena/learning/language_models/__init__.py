"""Matches as exchanges of texts, in which language models learn (docs/llm-training.md).

settings.py says what is played and what is rewarded, table.py deals, episode.py is one match with the seats that learn asked in
texts, exchange.py has the hall's referee wait for them, rivals.py seats the others, evaluation.py is the fixed evaluation.
`arena.learning.openenv` and `arena.learning.verifiers` are doors to it.
"""

from arena.learning.language_models.episode import Asked, Episode, Outcome
from arena.learning.language_models.settings import EVALUATION, TRAINING, EpisodeSettings
from arena.learning.language_models.table import Table

__all__ = ["EVALUATION", "TRAINING", "Asked", "Episode", "EpisodeSettings", "Outcome", "Table"]
