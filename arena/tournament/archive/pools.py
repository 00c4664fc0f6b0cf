"""The pools of the hall: what has the same game, seats, options and rules is rated together.

The labels of pools are each tournament's own business: two tournaments may use one label for different games.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from arena import games
from arena.errors import ConfigError
from arena.records import canonical_json, json_object


class Pool(msgspec.Struct, frozen=True, order=True):
    """A rating pool of the hall: a game with its seats, options and rules."""

    game: str
    seats: int
    options: str
    """All options, resolved; canonical JSON."""
    rules_version: int

    @property
    def name(self) -> str:
        """`game/seats`, then the options that differ from the defaults, then the version of the rules unless it is the first.

        >>> Pool("naga", 2, "{}", 1).name
        'naga/2'
        >>> Pool("whist", 4, '{"deck":"short","trumps":true}', 3).name
        'whist/4/deck=short,trumps=true/rules=3'
        """
        options = json_object(self.options)
        defaults: Mapping[str, Any] = {}
        if self.game in games.names():
            try:
                defaults = games.load(self.game).resolve_options({}, self.seats)
            except ConfigError:  # this table cannot be had without options
                defaults = {}
        chosen = [
            f"{name}={_text(value)}" for name, value in options.items() if name not in defaults or defaults[name] != value
        ]
        rules = [f"rules={self.rules_version}"] if self.rules_version > 1 else []
        return "/".join([self.game, str(self.seats), *([",".join(chosen)] if chosen else []), *rules])


def _text(value: object) -> str:
    return value if isinstance(value, str) else canonical_json(value)
