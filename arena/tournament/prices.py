"""What calls of language models cost, by the user's own list: a YAML file of dated prices. No other prices are known here."""

import datetime
import math
from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.errors import ConfigError
from arena.records import CallRecord
from arena.userfiles import read_yaml, typed

PER = 1_000_000
"""How many tokens a price is for."""


class Price(msgspec.Struct, frozen=True, kw_only=True, rename={"since": "from"}):
    """What tokens of a model cost from some day on; each price is for a million tokens."""

    since: datetime.date
    prompt: float
    completion: float
    """The price of tokens of answers, those of thoughts included."""
    cached: float | None = None
    """The price of those tokens of prompts that the server had kept; None: as of others."""


class PriceList(msgspec.Struct, frozen=True, kw_only=True):
    """A list of prices."""

    currency: str
    models: dict[str, list[Price]]
    """The prices by the name that a model has in bot.toml, oldest first."""

    def cost(self, model: str, call: CallRecord, day: datetime.date) -> float | None:
        """What a call cost, in the list's currency; None: the list has no price of the model for that day."""
        price = self._price(model, day)
        if price is None:
            return None
        cached = price.prompt if price.cached is None else price.cached
        fresh = call.prompt_tokens - call.cached_tokens
        return (fresh * price.prompt + call.cached_tokens * cached + call.completion_tokens * price.completion) / PER

    def missing(self, models: Sequence[str], day: datetime.date) -> list[str]:
        """The models that have no price for that day."""
        return [model for model in models if self._price(model, day) is None]

    def _price(self, model: str, day: datetime.date) -> Price | None:
        return next((price for price in reversed(self.models.get(model, [])) if price.since <= day), None)


def read_prices(path: Path) -> PriceList:
    """Read a list of prices. Raises ConfigError that names the file and the key."""
    return read_yaml(path, _checked)


def _checked(document: object) -> PriceList:
    if not isinstance(document, dict):
        raise ConfigError("a list of prices is a YAML mapping with currency and models")
    prices = typed(document, PriceList)
    for model, listed in prices.models.items():
        if [price.since for price in listed] != sorted({price.since for price in listed}):
            raise ConfigError(f"models.{model}: prices stand in the order of their days, each day once")
        for place, price in enumerate(listed):
            for key in ("prompt", "completion", "cached"):
                value = getattr(price, key)
                if value is not None and not (math.isfinite(value) and value >= 0):
                    raise ConfigError(f"models.{model}[{place}].{key}: a price of 0 or more is needed, not {value}")
    return prices
