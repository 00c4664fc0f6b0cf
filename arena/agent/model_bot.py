"""Bots that are language models: a folder with a `bot.toml` that has the table `[llm]`, and no code. Read here, strictly."""

import math
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from arena.errors import BotError, ConfigError, nearest
from arena.names import NEW_NAME_RULE, may_be_given
from arena.userfiles import typed

TABLE = "llm"
"""The table of a bot.toml that makes the bot a language model."""
OMIT, ON_RETRY, LIST = "omit", "on_retry", "list"
NONE, NOTES, HISTORY = "none", "notes", "history"
LEGAL, MEMORY = (OMIT, ON_RETRY, LIST), (NONE, NOTES, HISTORY)
LANGUAGES = ("en", "ja")
"""The languages of prompts; the first is that of games without rules in the other."""
MOST_RETHINKS = 20
MOST_TOKENS = 1_000_000
MOST_SECONDS = 86_400.0
_ADDRESS = re.compile(r"https?://[^\s/@?#]+(/[^\s?#]*)?")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class PromptSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is told at its decisions beside what happens in the round."""

    legal: str = OMIT
    """Whether the model sees the legal actions: `omit` (never), `on_retry` (after an answer that is none), `list` (always)."""
    memory: str = NONE
    """What it knows of the match beyond this round: `none`, `notes` (what it wrote itself), `history` (all earlier rounds)."""
    language: str = LANGUAGES[0]
    """The language of rules and questions: `en` or `ja`."""


class ModelSettings(PromptSettings, frozen=True, kw_only=True):
    """The table `[llm]`: which model is asked, and how. All of it is part of the bot's identity."""

    base_url: str
    """The address of the server's OpenAI-compatible interface: `/chat/completions` is put behind it."""
    model: str
    """The model's name, as its server knows it."""
    key_env: str = ""
    """The name of the environment variable with the key; empty: the server wants none. The key itself stands nowhere."""
    temperature: float | None = None
    """How much chance there is in an answer, 0 to 2; None: the server's default."""
    max_tokens: int = 4096
    """How long an answer may be, in tokens, thoughts included."""
    effort: str | None = None
    """How much the model is to think, such as "low": sent as `reasoning_effort`; None: not sent."""
    rethinks: int = 2
    """How often the model is asked again in one decision after an answer that is no legal action."""
    timeout_s: float = 120.0
    """Wall seconds for a decision, all its attempts together."""
    match_timeout_s: float = 14_400.0
    """Wall seconds for all decisions of the seat in a match."""


class ModelBot(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a bot.toml with the table `[llm]`."""

    name: str
    """The bot's default name: 1 to 40 of a-z, 0-9, _ and -."""
    llm: ModelSettings
    games: list[str] = []
    """The games that the bot plays; empty: all."""


def read_model(document: dict[Any, Any], file: str) -> ModelBot:
    """Check a bot.toml that has the table `[llm]`. Raises BotError that names the key and says what would be right."""
    try:
        bot = typed(document, ModelBot)
    except ConfigError as error:
        raise BotError(f"{file}: {error}") from None
    problem = next(_problems(bot), None)
    if problem:
        raise BotError(f"{file}: {problem}")
    return bot


def _problems(bot: ModelBot) -> Iterator[str]:
    llm = bot.llm
    if not may_be_given(bot.name):
        yield f"name: a name is {NEW_NAME_RULE}, not {bot.name!r}"
    if not _ADDRESS.fullmatch(llm.base_url):
        example = '"https://api.example.com/v1", without a password'
        yield f"llm.base_url: an address such as {example}, is needed, not {llm.base_url!r}"
    if not llm.model.strip():
        yield "llm.model: the name of a model is needed"
    if llm.key_env and not _VARIABLE.fullmatch(llm.key_env):
        yield "llm.key_env: the name of an environment variable, such as MY_KEY, is needed; the key itself must not stand here"
    for key, values in (("legal", LEGAL), ("memory", MEMORY), ("language", LANGUAGES)):
        if (value := getattr(llm, key)) not in values:
            yield f"llm.{key}: {value!r} is not one of {', '.join(values)}; {nearest(value, values)}"
    bounds: tuple[tuple[str, float | None, float, float], ...] = (
        ("temperature", llm.temperature, 0.0, 2.0), ("max_tokens", llm.max_tokens, 1, MOST_TOKENS),
        ("rethinks", llm.rethinks, 0, MOST_RETHINKS), ("timeout_s", llm.timeout_s, 0.1, MOST_SECONDS),
        ("match_timeout_s", llm.match_timeout_s, 0.1, MOST_SECONDS),
    )  # fmt: skip
    for key, number, low, high in bounds:
        if number is not None and not (math.isfinite(number) and low <= number <= high):
            yield f"llm.{key}: a number from {low:g} to {high:g} is needed, not {number:g}"
