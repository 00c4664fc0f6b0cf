"""Configs: typed and strict; every mistake is one message with its place and what would be right."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from arena.agent import read_bot
from arena.agent.submissions import Submissions
from arena.cli.main import USER_ERROR, main
from arena.errors import ArenaError, ConfigError
from arena.records import DEFAULT_LIMITS, Clock, Limits
from arena.tournament import config as module
from arena.tournament.config import check_config, read_config
from arena.tournament.formats.format import formats
from arena.tournament.session import Settings
from helpers.configs import GOOD, message
from helpers.paths import CONFIGS, TEST_BOTS


def with_(**changes: object) -> dict[str, object]:
    return {**GOOD, **changes}


def test_the_folder_of_a_run_may_be_a_text() -> None:
    out: Any = "leaderboards"
    assert Settings(out=out).out == Path("leaderboards")


def test_what_is_left_out_has_its_default() -> None:
    checked = check_config(GOOD, Path())
    assert checked.clock == Clock(1.0, 10.0, 10.0) and checked.limits == DEFAULT_LIMITS and checked.seed is None
    assert [bot.name for bot in checked.bots] == ["counting_bot", "set_bot"] and not checked.bots[0].trusted
    assert checked.entries[0].deals == 8 and checked.entries[0].pool == "naga"
    assert checked.entries[0].options["series"] == "first_to:1"


def test_units_are_read() -> None:
    checked = check_config(with_(clock={"move": "500ms", "bank": "2m", "start": "1.5s"}, memory="1GiB"), Path())
    assert checked.clock == Clock(0.5, 120.0, 1.5) and checked.limits == Limits(memory=1 << 30)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"deels": 3}, 'deels: no such key; did you mean "deals"?'),
        ({"clock": {"moves": "1s"}}, 'clock.moves: no such key; did you mean "move"?'),
        ({"games": [{"game": "naga", "seat": 2}]}, 'games[0].seat: no such key; did you mean "seats"?'),
        ({"games": [{"game": "naga"}]}, "games[0].seats: this key is needed"),
        ({"games": [{"game": "naag", "seats": 2}]}, 'games[0].game: no game "naag"; did you mean "naga"?'),
        ({"games": [{"game": "naga", "seats": 7}]}, "games[0].seats: naga is played by 2 seats, not 7"),
        ({"games": []}, "games: at least one is needed"),
        ({"games": [{"game": "naga", "seats": 2, "options": {"serie": 1}}]}, 'did you mean "series"?'),
        ({"games": [{"game": "naga", "seats": 2, "options": {"series": "best:3"}}]}, "options.series: games:N or first_to:N"),
        ({"games": [{"game": "naga", "seats": 2}, {"game": "naga", "seats": 2, "label": "x"}]}, "games[1]: the same game"),
        ({"games": [{"game": "naga", "seats": 2, "label": "overall"}]}, "games[0].label"),
        ({"deals": 0}, "deals: at least 1, not 0"),
        ({"deals": "many"}, "deals: Expected `int`, got `str`"),
        ({"name": "Über"}, "name: a name is 1 to 40 of a-z"),
        ({"name": "null"}, "a-z, 0-9, _ and -, no - first, and none of false, inf, infinity, na, nan, none, null, true"),
        ({"bots": [{"path": GOOD["bots"][0], "name": "nan"}]}, "bots[0].name: a name is"),  # type: ignore[index]
        ({"games": [{"game": "naga", "seats": 2, "label": "true"}]}, "games[0].label: a name is"),
        ({"bots": [{"path": GOOD["bots"][0], "name": "inf"}]}, "bots[0].name: a name is"),  # type: ignore[index]
        ({"bots": [{"path": GOOD["bots"][0], "name": ""}]}, "bots[0].name: a name is"),  # type: ignore[index]
        ({"format": "knockout"}, 'format: "knockout" is not played by this version'),
        ({"rotations": "some"}, "rotations: cyclic or all"),
        ({"clock": {"move": "fast"}}, 'clock.move: a time such as "1s"'),
        ({"clock": {"move": "0s"}}, "clock.move: a time"),
        ({"memory": "lots"}, "memory: a size such as"),
        ({"faults": {"policy": "forgive"}}, "faults.policy: forfeit or substitute"),
        ({"faults": {"max_faults": 0}}, "faults.max_faults: at least 1"),
        ({"ratings": {"sigma": 0}}, "ratings.sigma: a positive number"),
        ({"ratings": {"draw_probability": 1.0}}, "ratings.draw_probability"),
        ({"bots": ["submitted:alice"]}, "bots[0]: submitted:alice: no"),
        ({"bots": ["house:ismtcs"]}, 'bots[0]: house:ismtcs: no house bot of this name; did you mean "ismcts"?'),
        ({"bots": [{"path": GOOD["bots"][0], "games": ["chess"]}]}, 'bots[0].games: no game "chess"'),  # type: ignore[index]
        ({"bots": [GOOD["bots"][0]] * 2}, 'bots[1]: bots[0] is called "counting_bot" too'),  # type: ignore[index]
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_its_place(changes: dict[str, object], expected: str) -> None:
    assert expected in message(with_(**changes))


def test_a_missing_bot_names_both_places_that_were_tried(tmp_path: Path) -> None:
    text = message(with_(bots=["nobody.py"]), tmp_path)
    assert text.startswith("bots[0]: no such bot: neither") and str(tmp_path / "nobody.py") in text and str(Path.cwd()) in text


def test_a_syntax_error_names_file_and_line(tmp_path: Path) -> None:
    broken = tmp_path / "broken.py"
    broken.write_text("x = 1\ndef act(:\n")
    assert f"bots[0]: {broken}: line 2: syntax error" in message(with_(bots=[str(broken)]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: [", "not valid YAML: line"),
        ("name: a\nname: b\n", 'line 2: the key "name" is there twice'),
        ("- 1", "a config is a YAML mapping"),
        ("", "a config is a YAML mapping"),
    ],
)
def test_a_file_that_is_no_config_is_refused_with_its_name(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(ArenaError, match=r"bad\.yaml") as caught:
        read_config(path)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name: 2025-02-30", 'line 1: "2025-02-30" is no timestamp'),
        ("name: x\na: 0x_", 'line 2: "0x_" is no int'),
        ("a: !!int foo", 'line 1: "foo" is no int'),
        ("a: !!int ''", 'line 1: "" is no int'),
        (f"a: {'9' * 5000}", "is no int"),
        (f"deals: -0x{'f' * 5000}", "is no int"),  # it could be read, but no message could show it
        ("a: !!bool foo", 'line 1: "foo" is no bool'),
        ("a: !!timestamp foo", 'line 1: "foo" is no timestamp'),
        ("a: !!map foo", "line 1: expected a mapping node"),
        ("games: &a [*a]", "line 1: this contains itself"),
        ("bots: [{path: a.py, params: &a {x: *a}}]", "line 1: this contains itself"),
        (f"games: {'[' * 400}{']' * 400}", "nested too deeply"),
    ],
)
def test_a_value_that_cannot_be_read_is_one_message(
    tmp_path: Path, text: str, expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    assert main(["plan", str(path)]) == USER_ERROR
    said = capsys.readouterr().err
    assert said.startswith(f"arena: {path}: ") and said.count("\n") == 1 and len(said) < 300
    assert expected in said and "Traceback" not in said


def test_lists_nested_by_references_are_refused(tmp_path: Path) -> None:
    """Each level is small, and so is what YAML reads; all of them together are too deep."""
    path = tmp_path / "deep.yaml"
    levels = [f"  - &a{level} {'[' * 40}{f'*a{level - 1}' if level else ''}{']' * 40}" for level in range(40)]
    path.write_text("\n".join(["name: x", "games:", *levels]))
    with pytest.raises(ArenaError, match=r"deep\.yaml: nested too deeply"):
        read_config(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="cannot be read: No such file"):
        read_config(tmp_path / "none.yaml")


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_configs_are_good_and_secret(path: Path, tmp_path: Path) -> None:
    Submissions(tmp_path).submit("alice", read_bot(TEST_BOTS / "set_bot.py"), ())
    checked = read_config(path, tmp_path)
    assert checked.seed is None and checked.name == path.stem


def test_paths_are_relative_to_the_config(tmp_path: Path) -> None:
    bot = tmp_path / "mine.py"
    bot.write_text((TEST_BOTS / "set_bot.py").read_text())
    config = tmp_path / "c.yaml"
    config.write_text(yaml.safe_dump(with_(bots=["mine.py", GOOD["bots"][0]])))  # type: ignore[index]
    assert read_config(config).bots[0].path == bot


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"format": "knockout"},
            f'format: "knockout" is not played by this version; possible: {", ".join(formats())}',
        ),
        ({"candidates": ["set_bot"]}, "candidates: a setting of format: compare and gauntlet, not of round_robin"),
        ({"format": "gauntlet"}, "candidates: this key is needed for format: gauntlet"),
        ({"format": "gauntlet", "candidates": ["nobody"]}, 'candidates[0]: no bot is called "nobody"'),
        ({"format": "compare", "candidates": ["set_bot"]}, "candidates: two of the bots are compared, not 1"),
        (
            {
                "format": "compare",
                "candidates": ["set_bot", "counting_bot"],
                "games": [{"game": "naga", "seats": 2, "deals": 1}],
            },
            "games[0].deals: compare plays the same number of deals of every game",
        ),
        (
            {"format": "compare", "candidates": ["set_bot", "counting_bot"], "compare": {"difference": 1e-320}},
            "compare.difference: at least 0.000001, not 1e-320",
        ),
        ({"format": "compare", "sample": 1}, "sample: a setting of format: round_robin, not of compare"),
        ({"format": "ladder", "ladder": {"sigma": 0}}, "ladder.sigma: a positive number of TrueSkill points, or null, not 0"),
        ({"format": "ladder", "ladder": {"matches": 0}}, "ladder.matches: at least 1, not 0"),
        ({"sample": 0}, "sample: at least 1, not 0"),
    ],
)
def test_settings_of_formats_are_checked(changes: dict[str, object], expected: str) -> None:
    assert expected in message(with_(**changes))


LISTS = "[x, x, x, x, x, x, x, x, x, x]"
UNFOLDING = f"a: &a {LISTS}\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 10)}]\n" for n in range(8)
)
MERGING = "a: &a {x: 1}\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} {{<<: [{', '.join([f'*{chr(97 + n)}'] * 10)}], y{n}: 1}}\n" for n in range(8)
)
PLAIN = "name: cup\ngames: [{game: naga, seats: 2}]\nbots: ['house:random_bot', 'house:naga_greedy']\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{PLAIN}deals: {10**20}", "deals: at most 2,147,483,647"),
        (f"{PLAIN}memory: 99999999999999999999GB", "memory: a size such as"),
        (f"{PLAIN}memory: 999999999999GB", "memory: at most 1,048,576GiB"),
        (f"{PLAIN}memory: {'9' * 5000}GB", "memory: a size such as"),
        (f"{PLAIN}clock: {{move: {'9' * 400}m}}", "clock.move: a time such as"),
        (f"{PLAIN}clock: {{move: 999999999m}}", "clock.move: at most 1,000,000s"),
        (f"{PLAIN}faults: {{retire_after: {10**30}}}", "faults.retire_after: at most"),
        (f"{PLAIN}ratings: {{sigma: 1.0e+300}}", "ratings.sigma: at most"),
        (f'{PLAIN}seed: "\\ud800"', "is no str"),
        (PLAIN.replace("'house:random_bot'", '{path: "house:random_bot", params: {x: "\\ud800"}}'), "is no str"),
        (PLAIN.replace("'house:random_bot'", f"{{path: 'house:random_bot', params: {{x: {10**30}}}}}"), "64 bits"),
        (PLAIN.replace("'house:random_bot'", '"\\0"'), "no such bot"),
        (PLAIN.replace("house:random_bot", "x" * 5000), "no such bot"),
        (UNFOLDING, "its aliases unfold to too much"),
        (MERGING, "its aliases unfold to too much"),
        ("#" * (1 << 23), "longer than"),
    ],
    ids=range(16),
)
def test_what_nothing_could_carry_out_is_refused(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "cup.yaml").write_text(text)
    with pytest.raises(ConfigError, match=re.escape(told)):
        read_config(tmp_path / "cup.yaml")


def test_names_are_not_compared_two_by_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte of config names 20,000 bots."""
    compared = list[str]()

    class Name(str):
        def __eq__(self, other: object) -> bool:
            compared.append(self)
            return super().__eq__(other)

        __hash__ = str.__hash__

    many = with_(bots=[{"path": GOOD["bots"][0], "name": f"b{number}"} for number in range(300)])  # type: ignore[index]
    of_path = module._bot_of_path
    monkeypatch.setattr(
        module, "_bot_of_path", lambda *arguments: msgspec.structs.replace(found := of_path(*arguments), name=Name(found.name))
    )
    assert len(check_config(many, Path()).bots) == 300 and len(compared) < 3000
