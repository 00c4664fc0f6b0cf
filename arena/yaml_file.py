"""YAML files: what is no YAML is refused with its place, and every message about what is in one names the file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import yaml

from arena.errors import BotError, ConfigError, StoreError

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
