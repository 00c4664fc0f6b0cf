"""YAML files: what is no YAML is refused with its place, and every message about what is in one names the file."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import yaml

from arena.errors import BotError, ConfigError, StoreError, printable

T = TypeVar("T")
SHOWN = 40  # characters of a value that cannot be read


def read_yaml(path: Path, check: Callable[[object], T]) -> T:
    """What `check` makes of a YAML file. Raises ConfigError, BotError or StoreError that name the file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not a UTF-8 text file") from None
    try:
        return check(yaml.load(text, _Loader))
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {_one_line(error)}") from None
    except (ConfigError, BotError, StoreError) as error:
        raise type(error)(f"{path}: {error}") from None


def _one_line(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f"line {mark.line + 1}: " if mark else ""
    return where + str(getattr(error, "problem", None) or error).replace("\n", " ")


class _Loader(yaml.SafeLoader):
    """YAML that refuses a key given twice instead of dropping the first one, and says where a value cannot be read."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """The value of a node, always with all that is in it: the library makes lists that contain themselves otherwise."""
        if node in self.recursive_objects:
            raise _mistake("this contains itself", node)
        try:
            value = super().construct_object(node, deep=True)
            if isinstance(value, int):
                str(value)  # Python refuses to write numbers of thousands of digits, but reads them if they are hexadecimal
            return value
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):  # the library leaves these as they come
            raise _mistake(f'"{printable(str(node.value), SHOWN)}" is no {node.tag.rpartition(":")[2]}', node) from None

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, str) and key in seen:
                raise _mistake(f'the key "{key}" is there twice', key_node)
            seen.add(key if isinstance(key, str) else None)
        return cast("dict[Any, Any]", super().construct_mapping(node, deep=deep))


def _mistake(text: str, node: yaml.Node) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, text, node.start_mark)
