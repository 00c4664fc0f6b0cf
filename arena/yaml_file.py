"""YAML files as typed data: every mistake is refused with its place and what would be right."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast, get_args

import msgspec
import yaml

from arena.errors import BotError, ConfigError, StoreError, nearest

T = TypeVar("T")


def read_yaml(path: Path, check: Callable[[object], T]) -> T:
    """What `check` makes of a YAML file. Raises ConfigError, BotError or StoreError that name the file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not a UTF-8 text file") from None
    try:
        document = yaml.load(text, _Loader)
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {_one_line(error)}") from None
    try:
        return check(document)
    except (ConfigError, BotError, StoreError) as error:
        raise type(error)(f"{path}: {error}") from None


def typed(document: dict[Any, Any], kind: type[T]) -> T:
    """Plain data as a Struct. Raises ConfigError that names the key, for unknown, missing and wrong ones."""
    _check_keys(document, kind, "")
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$")
        key = where.strip("`").lstrip(".")
        raise ConfigError(f"{key}: {what}" if key else what) from None


def _check_keys(value: object, kind: Any, path: str) -> None:
    """Refuse unknown keys with the nearest known one, and say which needed key is missing."""
    if isinstance(value, list):
        inner = [argument for argument in get_args(kind) if argument is not type(None)]
        for place, item in enumerate(value):
            _check_keys(item, inner[0] if inner else Any, f"{path}[{place}]")
        return
    structs = [option for option in (kind, *get_args(kind)) if isinstance(option, type) and issubclass(option, msgspec.Struct)]
    if not isinstance(value, dict) or not structs:
        return
    fields = {field.encode_name: field for field in msgspec.structs.fields(structs[0])}
    for key in value:
        if key not in fields:
            raise ConfigError(f"{_join(path, key)}: no such key; {nearest(str(key), fields)}")
    for name, field in fields.items():
        if field.required and name not in value:
            raise ConfigError(f"{_join(path, name)}: this key is needed")
        if name in value:
            _check_keys(value[name], field.type, _join(path, name))


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _one_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}: " if mark else ""
    return where + str(getattr(error, "problem", None) or error).replace("\n", " ")


class _Loader(yaml.SafeLoader):
    """YAML that refuses a key given twice instead of dropping the first one."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, str) and key in seen:
                raise yaml.constructor.ConstructorError(None, None, f'the key "{key}" is there twice', key_node.start_mark)
            seen.add(key if isinstance(key, str) else None)
        return cast("dict[Any, Any]", super().construct_mapping(node, deep=deep))
