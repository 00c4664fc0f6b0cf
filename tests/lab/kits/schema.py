"""The messages of the wire protocol as records, read from its JSON Schema: what every kit's types are written from."""

from dataclasses import dataclass
from typing import Any

INTEGER, NUMBER, TEXT, FLAG, JSON = "integer", "number", "text", "flag", "json"
"""Plain kinds of values; JSON: an object that differs from game to game, which stays as it is."""

_PLAIN = {"integer": INTEGER, "number": NUMBER, "string": TEXT, "boolean": FLAG, "object": JSON}
_CHOICES = {("Choice", "action"): "Action"}
_ROWS = {("Act", "events"): ("Event", ("seat", "action")), ("Choice", "notes"): ("Note", ("text", "number"))}
"""What is nameless in JSON: the type of a value that is a text or an index, and of rows in a list, with their places."""
_MESSAGES = ("Clock", "Start", "Act", "End", "Ready", "Choice")


@dataclass(frozen=True)
class Field:
    """A key of an object, or a place in a row."""

    name: str
    kind: str
    """A plain kind, or the name of a record or of a choice."""
    is_list: bool = False
    is_needed: bool = True
    """False: it may be left out, or be null at the end of a row."""
    default: float | None = None


@dataclass(frozen=True)
class Record:
    """An object with known keys, or a row: a JSON array with a known kind at each place."""

    name: str
    about: str
    fields: tuple[Field, ...]
    is_row: bool = False
    tag: str = ""
    """The `type` of a message that the hall sends."""
    is_reply: bool = False
    """Whether it is written by the bot; all others are read by it."""


@dataclass(frozen=True)
class Protocol:
    """All records, each after those that it holds, and the names of values that are a text or an index."""

    title: str
    records: tuple[Record, ...]
    choices: tuple[str, ...]

    @property
    def requests(self) -> list[Record]:
        """The messages that the hall sends."""
        return [record for record in self.records if record.tag]


def read(schema: dict[str, Any]) -> Protocol:
    """The records of docs/protocol.schema.json. Raises ValueError for what no kit could say in its language."""
    found: list[Record] = []
    definitions = schema["$defs"]
    if unknown := set(definitions) ^ set(_MESSAGES):
        raise ValueError(f"messages that the kits do not know, or that are gone: {', '.join(sorted(unknown))}")
    for name in _MESSAGES:
        definition = definitions[name]
        tags = definition["properties"].get("type", {}).get("enum", [""])
        is_reply = definition.get("additionalProperties") is False
        needed = definition["required"]
        keys = [*needed, *(key for key in definition["properties"] if key not in needed)]
        fields = []
        for key in keys:
            if key != "type":
                found += _row(name, key, definition["properties"][key], is_reply)
                fields.append(_field(name, key, definition["properties"][key], is_needed=key in needed))
        found.append(Record(name, definition["description"], tuple(fields), tag=tags[0], is_reply=is_reply))
    return Protocol(schema["title"], tuple(found), tuple(_CHOICES.values()))


def _field(owner: str, key: str, said: dict[str, Any], *, is_needed: bool) -> Field:
    default = said.get("default")
    if "$ref" in said:
        return Field(key, said["$ref"].rpartition("/")[2], is_needed=is_needed)
    if "anyOf" in said:
        if [one.get("type") for one in said["anyOf"]] != ["string", "integer"]:
            raise ValueError(f"{owner}.{key}: the kits know a text or an integer, no other choice")
        return Field(key, _CHOICES[owner, key], is_needed=is_needed)
    if said["type"] == "array":
        kind = _ROWS[owner, key][0] if "prefixItems" in said["items"] else _PLAIN[said["items"]["type"]]
        return Field(key, kind, is_list=True, is_needed=is_needed)
    return Field(key, _PLAIN[said["type"]], is_needed=is_needed, default=default)


def _row(owner: str, key: str, said: dict[str, Any], is_reply: bool) -> list[Record]:
    """The record of the rows of a list; empty for any other key."""
    items = said.get("items")
    if not isinstance(items, dict) or "prefixItems" not in items:
        return []
    name, places = _ROWS[owner, key]
    fields = []
    for place, one in zip(places, items["prefixItems"], strict=True):
        kinds = [one["type"]] if isinstance(one["type"], str) else one["type"]
        fields.append(Field(place, _PLAIN[kinds[0]], is_needed="null" not in kinds))
    about = said.get("description", f"One of `{key}`: [{', '.join(places)}].")
    return [Record(name, about, tuple(fields), is_row=True, is_reply=is_reply)]
