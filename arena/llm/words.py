"""What a model is told beside rules and positions, in English and Japanese: the texts of words.json."""

from functools import cache
from pathlib import Path

import msgspec

from arena.agent.model_bot import LANGUAGES
from arena.errors import ConfigError

_FILE = Path(__file__).parent / "words.json"


def said(key: str, language: str, **values: object) -> str:
    """The text of a key in a language, with its values in place.

    >>> said("seats", "en", seats=3, last=2)
    'Seats: 3, numbered from 0 to 2.'
    """
    return _texts()[language][key].format(**values)


def check_language(language: str) -> None:
    """Raise ConfigError for a language that there is not."""
    if language not in LANGUAGES:
        raise ConfigError(f"language: {' or '.join(LANGUAGES)}, not {language!r}")


@cache
def _texts() -> dict[str, dict[str, str]]:
    return msgspec.json.decode(_FILE.read_bytes(), type=dict[str, dict[str, str]])
