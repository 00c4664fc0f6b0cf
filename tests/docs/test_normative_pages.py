"""The normative pages say what the code does: endings, manifest keys, config keys, positions."""

import json
import re
from pathlib import Path

import msgspec
import pytest

from arena.audit.laws.traces import trace_lines
from arena.engine.options import OptionValue
from arena.engine.position import COMMON_KEYS
from arena.games import load, names
from arena.records import DEFAULT_LIMITS, Ending
from arena.results.manifest import Manifest
from arena.tournament.config import BotConfig, ClockConfig, Config, GameConfig, check_config
from arena.tournament.formats.format import formats
from arena.userfiles import read_yaml
from helpers.paths import DOCS, ROOT

FORMATS = (DOCS / "formats.md").read_text()
NOTATION = (DOCS / "notation.md").read_text()
TITLES = {
    "nanatoridori": "Nana Toridori",
    "naga": "Naga",
    "hisatsu": "Hisatsu Shigotonin",
    "nertz": "Nertz",
    "yaniv": "Yaniv",
}

TABLES: list[tuple[str, int, dict[str, OptionValue]]] = [
    ("nanatoridori", 2, {}),
    ("nanatoridori", 3, {"variant": "basic"}),
    ("nanatoridori", 3, {"variant": "advanced"}),
    ("naga", 2, {}),
    ("hisatsu", 3, {"pass_discard": "face_down", "deck": [[f"animal {number}", 0, 5, 1] for number in range(9)]}),
    ("nertz", 2, {"latency": "declared", "max_rounds": 1}),
    ("yaniv", 2, {"mode": "elim201", "slap_down": True}),
]


def section(text: str, title: str) -> str:
    """What stands under a heading, up to the next one of any level."""
    found = re.search(rf"^#+ {re.escape(title)}\n(.*?)(?=^#|\Z)", text, re.DOTALL | re.MULTILINE)
    assert found, f"no section {title!r}"
    return found[1]


def rows(text: str) -> list[list[str]]:
    """The rows of the first table in a section, without its head."""
    lines = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)[0].splitlines()  # type: ignore[index]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def quoted(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def test_the_endings_are_listed_with_their_blame() -> None:
    described = {quoted(row[0])[0]: row[1] for row in rows(section(FORMATS, "Endings"))}
    assert list(described) == [ending.value for ending in Ending]
    for ending in Ending:
        assert (described[ending.value] == "bot") == (ending.blame == "bot"), ending


def test_the_keys_of_the_manifest_are_listed() -> None:
    described = [name for row in rows(section(FORMATS, "manifest.json")) for name in quoted(row[0])]
    assert sorted(described) == sorted(Manifest.__struct_fields__)


def test_the_example_config_is_accepted_and_names_every_key(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", FORMATS, re.DOTALL)
    path = tmp_path / "duel.yaml"
    path.write_text(text)
    document = read_yaml(path, lambda found: found)
    assert isinstance(document, dict)
    everywhere = "\n".join([text, section(FORMATS, "Formats of tournaments")])
    for key in Config.__struct_fields__:
        assert re.search(rf"\b{key}\b", everywhere), f"the config key {key} is not described"
    for key in (*GameConfig.__struct_fields__, *BotConfig.__struct_fields__):
        assert f"`{key}`" in section(FORMATS, "Configs"), f"the key {key} is not described"
    document["bots"] = ["bots/random_bot.py", "bots/yaniv_greedy.py", "bots/nanatoridori_greedy.py"]  # nothing is submitted
    accepted = check_config(document, ROOT)
    plain = {"name": "duel", "games": document["games"], "bots": document["bots"], "seed": document["seed"]}
    assert accepted == check_config(plain, ROOT), "the values of the page are not the defaults"
    assert document["clock"] == msgspec.to_builtins(ClockConfig())


def test_authors_are_told_the_clock_and_the_memory_that_a_config_gives_by_default() -> None:
    page = (DOCS / "writing-a-bot.md").read_text()
    assert f"| memory | {DEFAULT_LIMITS.memory // 1_000_000} MB |" in page
    move, bank, start = (text.removesuffix("s") for text in msgspec.structs.astuple(ClockConfig()))
    assert f"| CPU time | {move} s a decision, plus {bank} s a match" in page and f"; {start} s to start |" in page


@pytest.mark.parametrize(("name", "seats", "given"), TABLES)
def test_every_key_of_a_position_is_described(name: str, seats: int, given: dict[str, OptionValue]) -> None:
    game = load(name)
    common = [key for row in rows(section(NOTATION, "Positions")) for key in quoted(row[0])]
    assert set(COMMON_KEYS) <= set(common)
    page = section(NOTATION, TITLES[name])
    for line in trace_lines(game, seats, game.resolve_options(given, seats), seed=1):
        position = json.loads(line).get("position", {})
        missing = [key for key in position if key not in common and f"`{key}`" not in page]
        assert not missing, f"{name}: {missing} not described"


@pytest.mark.parametrize("name", TITLES)
def test_every_option_of_a_game_is_described(name: str) -> None:
    page = (load(name).folder / "RULES.md").read_text()
    for option in load(name).rules.OPTIONS:
        assert re.search(rf"`{option.name}\b", page), f"{name}: {option.name} is not described"


def test_every_game_is_described() -> None:
    assert sorted(TITLES) == names()


def test_every_format_is_listed_with_its_keys_and_an_example() -> None:
    listed = {quoted(row[0])[0]: row for row in rows(section(FORMATS, "Formats of tournaments"))}
    assert set(listed) == set(formats())
    for name, kind in formats().items():
        for key in kind.KEYS:
            assert f"`{key}" in listed[name][2], f"{name}: the key {key} is not described"
        assert listed[name][3].startswith("`configs/")
