"""index.json: what a dataset is, for programs."""

import msgspec

from arena.learning.dataset.choice import Choice
from arena.learning.dataset.shards import Shard

INDEX_FILE = "index.json"
VERSION = 1
"""The version of a dataset's format: another one has other columns, or other meanings of them."""


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A tournament that a dataset is made from."""

    name: str
    results_sha256: str | None
    """The hash of all its matches, also of those that are left out here."""
    matches: int
    """How many of its matches are in the dataset."""
    decisions: int
    bots: list[tuple[str, int, str]]
    """The bots whose decisions are in it, by name: name, version and hash of the content."""


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """How many people's matches are not in a dataset of them."""

    without_consent: int
    """Matches with somebody at the table who has not agreed that they are published."""
    other_rules: int
    """Matches by other versions of the rules."""


class ColumnText(msgspec.Struct, frozen=True, kw_only=True):
    """A column of the decisions."""

    name: str
    kind: str
    meaning: str


class GameData(msgspec.Struct, frozen=True, kw_only=True):
    """What the numbers of a game's decisions mean."""

    game: str
    rules_version: int
    encoding_version: int
    encoding_sha256: str
    """The hash of the encoding: a network is good for the one that it was trained on."""
    features: int
    """How many numbers `features` has."""
    action_features: int
    """How many numbers a row of `action_features` has, where there are any."""
    actions: int
    """How many flags `mask` has."""
    numbering: str
    """What `action` is, in words."""


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """The content of index.json."""

    format: str = "arena-decisions"
    version: int = VERSION
    command: str
    """What makes the same dataset again from the same results."""
    packages: dict[str, str]
    choice: Choice
    tournaments: list[Source]
    columns: list[ColumnText]
    """What the decisions of all games have; how wide rows of numbers are depends on the game."""
    games: list[GameData]
    shards: list[Shard]
    people: LeftOut | None = None
    """How many of people's matches were left out; None: the dataset is made of tournaments."""

    def rows(self, game: str, kind: str) -> int:
        """How many decisions or trajectories of a game there are."""
        return sum(shard.rows for shard in self.shards if (shard.game, shard.kind) == (game, kind))
