"""Which formats there are: every module of this folder that sets FORMAT to a subclass of `Format`."""

import functools
import operator
import pkgutil
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from arena.tournament.formats.format import Format

DEFAULT = "round_robin"
"""What is played where a config names no format."""


@functools.cache
def formats() -> Mapping[str, type[Format]]:
    """All formats by name."""
    names = sorted(module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]))
    kinds = [getattr(import_module(f"arena.tournament.formats.{name}"), "FORMAT", None) for name in names]
    return {kind.name(): kind for kind in kinds if kind is not None}


@functools.cache
def keys() -> Mapping[str, Any]:
    """The keys of configs that belong to a format, or to several that agree on the type, and their types."""
    found: dict[str, Any] = {}
    for kind in formats().values():
        for key, of_key in kind.KEYS.items():
            assert found.setdefault(key, of_key) == of_key, f"formats do not agree on {key}"
    return found


def default_format() -> Format:
    """What is played where a plan names no format."""
    return formats()[DEFAULT]()


def read_format(document: object) -> Format:
    """A format as a stored plan tells it. Raises msgspec.ValidationError."""
    found: Format = msgspec.convert(document, functools.reduce(operator.or_, formats().values()))
    return found
