"""The data card of a dataset: a README.md that begins with YAML, as hubs of datasets read it, and goes on for people."""

import json
from collections.abc import Sequence

from arena.learning.dataset.index import INDEX_FILE, GameData, Index, LeftOut
from arena.learning.dataset.shards import DECISIONS, TRAJECTORIES
from arena.reports.table import Column, Table
from arena.reports.terminal import MarkdownPage
from arena.results.schema import Kind

CARD_FILE = "README.md"
_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"), (10_000_000, "1M<n<10M"))
"""The words in which hubs say how many rows there are, each with the number that it stays below."""
_MORE = "n>10M"
_TYPES: dict[str, str] = {
    Kind.TEXT: "string", Kind.INT64_LIST: "list of int64", Kind.FLOAT32_ROW: "float32, as many in each row",
    Kind.BOOL_ROW: "bool, as many in each row", Kind.FLOAT32_ROWS: "list of rows of float32",
}  # fmt: skip


def card(index: Index) -> str:
    """The text of the card: the same for the same dataset."""
    return f"{_head(index)}\n{_body(index)}"


def _head(index: Index) -> str:
    """The YAML for hubs. No licence is named: that is for whoever publishes the dataset."""
    total = sum(source.decisions for source in index.tournaments)
    size = next((word for most, word in _SIZES if total < most), _MORE)
    lines = ["---", f"pretty_name: {_quoted(_title(index))}", "task_categories:", "- reinforcement-learning"]
    lines += ["tags:", "- card-games", "- imperfect-information", *(f"- {_quoted(one.game)}" for one in index.games)]
    lines += ["size_categories:", f"- {_quoted(size)}", "configs:"]
    for one in index.games:
        files = _quoted(f"{one.game}/decisions-*.parquet")
        lines += [f"- config_name: {_quoted(one.game)}", "  data_files:", "  - split: train", f"    path: {files}"]
    return "\n".join([*lines, "---", ""])


def _body(index: Index) -> str:
    page = MarkdownPage()
    page.say(_title(index))
    page.say(
        f"Decisions of {_whose(index)} at card games: what the seat knew, what it might do, what it did, and what came of it. "
        "A row is one decision. Its features are made of what the seat was shown and of nothing else."
    )
    page.heading("How it was made")
    page.say(f"{index.command}: from the stored matches, each played again by its log. The same results give the same bytes.")
    _table(page, ("package", "version"), list(index.packages.items()))
    _table(
        page, ("tournament", "matches", "decisions", "results_sha256"),
        [(one.name, f"{one.matches:,}", f"{one.decisions:,}", one.results_sha256 or "-") for one in index.tournaments],
    )  # fmt: skip
    bots = sorted({bot for one in index.tournaments for bot in one.bots})
    _table(page, ("bot", "version", "sha256 of its content"), [(name, str(version), digest) for name, version, digest in bots])
    page.heading("What to know before learning from it")
    page.say("All rotations of a deal have the same cards: split by `tournament`, `options` and `deal`, not by row.")
    page.say(
        "Decisions with one legal action are there, too. Where `fallback` is true, chance may have chosen instead of the bot."
    )
    page.say(_of_people(index.people))
    page.say(
        "The features change with the encoding; whoever trains on them keeps its sha256. `arena rules GAME --encoding` tells "
        "what each number is."
    )
    for one in index.games:
        _write_game(page, index, one)
    page.heading("Columns")
    _table(
        page, ("column", "type", "meaning"), [(one.name, _TYPES.get(one.kind, one.kind), one.meaning) for one in index.columns]
    )
    page.heading("Files")
    page.say(f"{INDEX_FILE} has all of this for programs.")
    _table(
        page, ("file", "rows", "bytes", "sha256"),
        [(shard.file, f"{shard.rows:,}", f"{shard.bytes:,}", shard.sha256) for shard in index.shards],
    )  # fmt: skip
    page.heading("Licence")
    page.say("None is named here: it is for whoever owns the tournament and its bots to choose, as `license` in the head.")
    return page.text


def _write_game(page: MarkdownPage, index: Index, one: GameData) -> None:
    page.heading(one.game)
    page.say(
        f"{index.rows(one.game, DECISIONS):,} decisions by version {one.rules_version} of the rules. Encoding version "
        f"{one.encoding_version}, sha256 {one.encoding_sha256}."
    )
    rows = f"; each row of `action_features` has {one.action_features}" if index.choice.with_action_features else ""
    page.say(f"`features` has {one.features} numbers, `mask` {one.actions} flags{rows}. `action` is {one.numbering}.")
    if trajectories := index.rows(one.game, TRAJECTORIES):
        page.say(f"{trajectories:,} trajectories, all cards open: `pyspiel.Trajectory` of OpenSpiel 2.0 reads each line.")


def _title(index: Index) -> str:
    names = ", ".join(one.game for one in index.games)
    return f"Decisions of {_whose(index)} at {names}"


def _whose(index: Index) -> str:
    return "bots" if index.people is None else "people and bots"


def _of_people(left_out: LeftOut | None) -> str:
    """What to know of people's matches."""
    if left_out is None:
        return "People's matches are not in it."
    return (
        "The matches are those of people, each called `person`, all of whom agreed. Names, ids and times are left out, and the "
        "order is not that in which they were played; but whoever has seen the replay of a match may know it by its cards. "
        f"Left out for want of consent: {left_out.without_consent:,} matches; by other versions of the rules: "
        f"{left_out.other_rules:,}."
    )


def _quoted(text: str) -> str:
    """A text as YAML reads it, whatever is in it: JSON is YAML."""
    return json.dumps(text)


def _table(page: MarkdownPage, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    page.table(Table([Column(head) for head in heads], rows))
