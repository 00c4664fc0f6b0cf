"""docs/commands.md names every command as the table of commands does, and no option that does not exist."""

import re
import shlex

import pytest

from arena.cli.commands import BENCH, PANELS, TOPICS, VERBS
from helpers.commands import COMMANDS, one_line, options, parameters
from helpers.paths import DOCS

TEXT = (DOCS / "commands.md").read_text("utf-8")
SECTIONS = dict(re.findall(r"^### arena ([\w -]+)\n(.*?)(?=^##|\Z)", TEXT, re.DOTALL | re.MULTILINE))


def test_every_command_has_its_section_in_the_order_of_the_table() -> None:
    topics = [f"{BENCH} {topic}" for topic in TOPICS]
    assert list(SECTIONS) == [*VERBS, *topics]
    chapters = re.findall(r"^## (.*)$", TEXT, re.MULTILINE)
    assert chapters[1:-1] == list(PANELS)


@pytest.mark.parametrize("name", [*COMMANDS, BENCH])
def test_a_section_begins_with_what_the_table_says(name: str) -> None:
    assert " ".join(SECTIONS[name].split()).startswith(one_line(name)), one_line(name)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_section_names_real_options_only(name: str) -> None:
    assert set(re.findall(r"--[a-z][a-z-]*", SECTIONS[name])) <= {*options(name), "--help"}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_section_has_an_example_that_can_be_parsed(name: str) -> None:
    (block,) = re.findall(r"^```bash\n(.*?)^```$", SECTIONS[name], re.DOTALL | re.MULTILINE)
    words = shlex.split(block)
    program = ["arena", *name.split()]
    assert words[: len(program)] == program
    known = {option: parameter.is_flag for option, parameter in options(name).items()}
    arguments, rest = [], iter(words[len(program) :])
    for word in rest:
        if not word.startswith("--"):
            arguments.append(word)
        elif not known[word]:
            next(rest)
    slots = [parameter for parameter in parameters(name) if parameter.param_type_name == "argument"]
    assert len(arguments) >= sum(parameter.required for parameter in slots)
    assert len(arguments) <= len(slots) or any(parameter.nargs == -1 for parameter in slots)


def test_shared_options_and_exit_codes_are_those_of_the_code() -> None:
    shared = set(re.findall(r"^\| `(--[a-z]+)", TEXT.partition("## For authors")[0], re.MULTILINE))
    everywhere = {option for name in COMMANDS for option in options(name)}
    assert shared <= everywhere and {"--out", "--to", "--format"} <= shared
    from arena.cli.shared import exit_codes

    codes = {value for name, value in vars(exit_codes).items() if name.isupper()}
    assert set(map(int, re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE))) == codes
