"""YAML as people mean it: what the language reads otherwise is refused, with the way out."""

from pathlib import Path

import msgspec
import pytest

from arena.errors import ConfigError
from arena.userfiles import read_yaml, typed


class Part(msgspec.Struct, forbid_unknown_fields=True):
    name: str | None = None
    seed: int | None = None


class Entry(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    deals: int = 1
    bot: Part = msgspec.field(default_factory=Part)


def read(folder: Path, text: str) -> Entry:
    path = folder / "config.yaml"
    path.write_text(text)
    return read_yaml(path, lambda document: typed(document, Entry))


@pytest.mark.parametrize("number", ["010", "0777", "-010", "1:30", "0_10"])
def test_a_number_of_another_base_is_refused(number: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, f"name: x\ndeals: {number}\n")
    assert f"line 2: YAML reads {number} with another base than 10" in str(caught.value)


@pytest.mark.parametrize(("number", "value"), [("0", 0), ("10", 10), ("1_000", 1000), ("-3", -3), ("0x10", 16)])
def test_other_numbers_are_what_they_look_like(number: str, value: int, tmp_path: Path) -> None:
    assert read(tmp_path, f"name: x\ndeals: {number}\n").deals == value


@pytest.mark.parametrize("name", ["no", "on", "null", "~", "1.10", "12", "2026-11-21", ".nan"])
def test_a_name_that_yaml_takes_for_something_else_is_to_be_quoted(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"name: Expected `str`.*; quote it, so that it is taken as text"):
        read(tmp_path, f"name: {name}\n")
    assert read(tmp_path, f'name: "{name}"\n').name == name
    if name not in ("null", "~"):  # there they say what they mean
        with pytest.raises(ConfigError, match=r"bot.name: Expected `str \| null`.*; quote it, so that it is taken as text"):
            read(tmp_path, f"name: x\nbot: {{name: {name}}}\n")


def test_a_number_that_yaml_takes_for_text_is_told(tmp_path: Path) -> None:
    for number in ("1e3", '"10"', "0o10", "_1", "1e-3"):
        for line in (f"deals: {number}", f"bot: {{seed: {number}}}"):
            with pytest.raises(ConfigError, match=r"Expected `int.*`, got `str`; it is taken for text: write it in digits"):
                read(tmp_path, f"name: x\n{line}\n")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_text_in_utf_16_is_named_so_with_and_without_its_mark(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes("name: x\n".encode(encoding))
    with pytest.raises(ConfigError, match="UTF-16 text; save it as UTF-8"):
        read_yaml(path, lambda document: document)
