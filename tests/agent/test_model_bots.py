"""The bot.toml of a language model: read strictly, and part of nothing else."""

from pathlib import Path
from typing import Any

import pytest

from arena.agent import read_bot
from arena.errors import BotError
from helpers.stub_model import model_folder

ADDRESS = "http://127.0.0.1:9/v1"


def test_a_folder_with_a_table_llm_is_a_language_model(tmp_path: Path) -> None:
    path = model_folder(tmp_path, ADDRESS, temperature=0.5, effort="low", legal="list", memory="notes", language="ja")
    (path / "secret.py").write_text("print('no code of the author belongs to it')")
    bot = read_bot(path)
    assert bot.command is None and bot.model is not None
    assert (bot.model.llm.base_url, bot.model.llm.legal, bot.model.llm.rethinks) == (ADDRESS, "list", 2)
    assert list(bot.files) == ["bot.toml"]
    other = read_bot(
        model_folder(tmp_path, ADDRESS, temperature=0.6, effort="low", legal="list", memory="notes", language="ja")
    )
    assert other.sha256 != bot.sha256, "its settings are its identity"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"legal": "lst"}, r"llm.legal: 'lst' is not one of omit, on_retry, list"),
        ({"memory": "all"}, "llm.memory: 'all' is not one of none, notes, history"),
        ({"language": "fr"}, "llm.language: 'fr' is not one of en, ja"),
        ({"temperature": 3.0}, "llm.temperature: a number from 0 to 2 is needed, not 3"),
        ({"max_tokens": 0}, "llm.max_tokens: a number from 1 to 1e\\+06"),
        ({"rethinks": -1}, "llm.rethinks: a number from 0 to 20"),
        ({"timeout_s": 0.0}, "llm.timeout_s: a number from 0.1"),
        ({"key_env": "sk-123"}, "llm.key_env: the name of an environment variable"),
        ({"base_url": "ftp://x"}, "llm.base_url: an address such as"),
        ({"base_url": "https://me:secret@example.com/v1"}, "without a password"),
        ({"model": " "}, "llm.model: the name of a model is needed"),
        ({"temprature": 1.0}, "temprature"),
        ({"max_tokens": "many"}, "llm.max_tokens"),
    ],
)
def test_every_mistake_is_named(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(BotError, match=said):
        read_bot(model_folder(tmp_path, **{"address": ADDRESS, **_renamed(settings)}))


def _renamed(settings: dict[str, Any]) -> dict[str, Any]:
    return {("address" if key == "base_url" else key): value for key, value in settings.items()}


def test_a_program_beside_it_is_refused(tmp_path: Path) -> None:
    path = model_folder(tmp_path, ADDRESS)
    text = (path / "bot.toml").read_text()
    (path / "bot.toml").write_text('command = ["python3", "bot.py"]\n' + text)
    with pytest.raises(BotError, match="command"):
        read_bot(path)
