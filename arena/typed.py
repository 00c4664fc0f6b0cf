"""Plain data, as YAML and TOML files hold it, as typed data: every mistake is refused with its key and what would be right."""

from typing import Any, TypeVar, get_args

import msgspec

from arena.errors import ConfigError, nearest

T = TypeVar("T")


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
