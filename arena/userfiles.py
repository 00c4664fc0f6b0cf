"""Files that people wrote: plain ones alone, of bounded size; YAML and TOML read strictly; paths.

Every mistake becomes one message that says where it is and what would be right. A pipe or a device in a file's place would be
read for ever, and nothing would end it: what is checked is what was opened.
"""

import codecs
import errno
import io
import os
import re
import stat
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast, get_args

import msgspec
import yaml

from arena.errors import SHOWN, BotError, ConfigError, StoreError, nearest, printable

MOST_BYTES = 64 << 20  # of a file that is read whole
LINE_BYTES = 16 << 20  # of a line of a file that is read line by line

_OPEN = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # not blocking: what is a plain file now may be a pipe when it is opened
UTF16 = "UTF-16 text; save it as UTF-8"


class Unfit(OSError):
    """A file that is there and is not read; `strerror` says why."""

    def __init__(self, path: Path | str, why: str) -> None:
        super().__init__(errno.EINVAL, why, str(path))


def check_plain(path: Path) -> None:
    """Raise Unfit for a pipe, a device or a folder, and OSError for what is not there."""
    _check(path, os.stat(path))  # noqa: PTH116  # of a path that the system refuses it raises OSError, too


def opened(path: Path) -> BinaryIO:
    """A plain file, open for reading. The path may lead through links. Raises OSError, of which one is Unfit."""
    try:
        check_plain(path)  # a device may do something when it is opened
        descriptor = os.open(path, _OPEN)
    except ValueError:  # a zero character, half a character
        raise Unfit(path, "no name of a file") from None
    try:
        _check(path, os.fstat(descriptor))
        return io.BufferedReader(_Content(descriptor, path))
    except BaseException:
        os.close(descriptor)
        raise


def content(path: Path, most: int = MOST_BYTES) -> bytes:
    """All bytes of a plain file of at most `most`. Raises OSError, of which one is Unfit."""
    with opened(path) as file:
        found = file.read(most + 1)
    if len(found) > most:
        raise Unfit(path, f"longer than {most:,} bytes")
    return found


def read_text(path: Path, most: int = MOST_BYTES) -> str:
    """The text of a plain file of at most `most` bytes. Raises OSError, of which one is Unfit."""
    return decoded(content(path, most), path)


def lines(path: Path) -> Iterator[str]:
    """The lines of a plain file of any length. Raises OSError, of which one is Unfit."""
    with opened(path) as file:
        line = file.readline(LINE_BYTES + 1).removeprefix(codecs.BOM_UTF8)
        while line:
            if len(line) > LINE_BYTES:
                raise Unfit(path, f"a line of more than {LINE_BYTES:,} bytes")
            yield decoded(line, path)
            line = file.readline(LINE_BYTES + 1)


def decoded(found: bytes, path: Path | str) -> str:
    """A text that people write: UTF-8, with or without the mark that Windows puts before it. Raises Unfit."""
    if is_utf16(found):
        raise Unfit(path, UTF16)
    try:
        return found.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        raise Unfit(path, "not a UTF-8 text file") from None


def is_utf16(found: bytes) -> bool:
    """Return whether a text is as some editors of Windows call "Unicode", with a mark before it or without."""
    return found.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or found[:2].count(0) == 1


class _Content(io.FileIO):
    """What a file holds now: some of the kernel's seem plain, and who reads them waits for what comes."""

    def __init__(self, descriptor: int, path: Path) -> None:
        super().__init__(descriptor, "rb")
        self._path = path

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer. Raises Unfit where nothing is there yet, and more may come."""
        found = super().readinto(buffer)
        if found is None:
            raise Unfit(self._path, "not a plain file")
        return found


def _check(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise Unfit(path, "not a plain file")


T = TypeVar("T")

FILE_LETTERS = 1 << 20  # characters of a file that people write
UNFOLDED_LETTERS = 1 << 24  # characters of a YAML file with every alias written out
_LETTER_BYTES = 4  # at most
_OTHER_BASE = re.compile(r"[-+]?(0[0-7_]+|.*:.*)$")  # 010 is 8, and 1:30 is 90
_HINTS = {  # of a value that the language takes for another kind than its writer
    r"Expected `str( \| null)?`": "; quote it, so that it is taken as text",
    r"Expected `(int|float)( \| \w+)*`, got `str`": "; it is taken for text: write it in digits, without quotes",
}
_NODE_LETTERS = 32  # what an empty value counts: it takes memory, too


def read_yaml(path: Path, check: Callable[[object], T]) -> T:
    """Read a YAML file and pass its content to `check`, whose result is returned.

    Raises ConfigError if the file is not valid YAML. Puts the file's name before the message of every ConfigError, BotError
    and StoreError that `check` raises.
    """
    try:
        text = read_text(path, _LETTER_BYTES * FILE_LETTERS)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if len(text) > FILE_LETTERS:
        raise ConfigError(f"{path}: longer than {FILE_LETTERS:,} characters")
    try:
        return check(yaml.load(text, _Loader))
    except RecursionError:
        raise ConfigError(f"{path}: nested too deeply") from None
    except yaml.YAMLError as error:
        raise ConfigError(f"{path}: not valid YAML: {_one_line(error)}") from None
    except (ConfigError, BotError, StoreError) as error:
        raise type(error)(f"{path}: {error}") from None


def parse_toml(content: bytes) -> dict[str, Any]:
    """The content of a TOML file as plain data. Raises ConfigError, which does not name the file."""
    try:
        return tomllib.loads(decoded(content, ""))
    except Unfit as error:
        raise ConfigError(error.strerror) from None
    except RecursionError:
        raise ConfigError("nested too deeply") from None
    except ValueError as error:  # also of a number with thousands of digits
        raise ConfigError(f"not valid TOML: {error}") from None


def typed(document: dict[Any, Any], kind: type[T]) -> T:
    """`document` as a Struct of type `kind`.

    Raises ConfigError for an unknown key, a missing key and a value of a wrong type; the message names the key.
    """
    _check_keys(document, kind, "")
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$")
        key = where.strip("`").lstrip(".")
        for expected, hint in _HINTS.items():
            what += hint if re.match(expected, what) else ""
        raise ConfigError(f"{key}: {what}" if key else what) from None


def existing_path(text: str, folders: Sequence[Path], what: str) -> Path:
    """The path `text`, taken relative to the first of `folders` in which it exists.

    Raises ConfigError that names all candidates; `what` begins the message, such as "no such bot".
    """
    candidates = [folder / text for folder in folders]
    for path in candidates:
        if _exists(path):
            return path
    tried = [str(path) for path in dict.fromkeys(Path(os.path.abspath(path)) for path in candidates)]  # noqa: PTH100 - resolve() opens the path
    raise ConfigError(f"{what}: neither {' nor '.join(tried)} exists" if len(tried) > 1 else f"{what}: {tried[0]}")


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # too long, a zero character, half a character: no file has such a name
        return False


def _check_keys(value: object, kind: Any, path: str) -> None:
    """Refuse unknown keys, naming the nearest known one, and missing keys. `path`: where `value` stands in the document."""
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
    """Refuses a key that is given twice, where the library would drop the first one, and says where a value cannot be read."""

    def get_single_node(self) -> Any:
        """The tree of the file, unless its aliases make it grow beyond all bounds when they are written out."""
        node = super().get_single_node()
        if node is not None and _unfolded(node, {}) > UNFOLDED_LETTERS:
            raise _mistake("its aliases unfold to too much", node)
        return node

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        """The value of a node, always with all that is in it: the library makes lists that contain themselves otherwise."""
        if node in self.recursive_objects:
            raise _mistake("this contains itself", node)
        try:
            if node.tag.endswith(":int") and _OTHER_BASE.match(node.value):
                shown = printable(node.value, SHOWN)
                raise _mistake(
                    f"YAML reads {shown} with another base than 10; write no zeros before a number, or quote it", node
                )
            value = super().construct_object(node, deep=True)
            if isinstance(value, str):
                value.encode()  # half a character, as an escape may write it, can be neither stored nor sent
            elif isinstance(value, int):
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


def _unfolded(node: yaml.Node, known: dict[int, int]) -> int:
    """Return how many characters a node is with every alias written out.

    `known`: of the nodes that were met before, by identity.
    """
    if id(node) not in known:
        known[id(node)] = 0  # of a node in itself; it is refused later
        inner = _parts(node)
        own = len(node.value) if isinstance(node.value, str) else 0
        known[id(node)] = _NODE_LETTERS + own + sum(_unfolded(part, known) for part in inner)
    return known[id(node)]


def _parts(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        for pair in node.value:
            yield from pair
    elif isinstance(node, yaml.SequenceNode):
        yield from node.value


def _mistake(text: str, node: yaml.Node) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, text, node.start_mark)
