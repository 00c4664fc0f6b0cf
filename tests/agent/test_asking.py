"""What a bot's sources say about the parts of a game that it asks for."""

import ast
import tracemalloc

import pytest

from arena.agent import BotFiles, read_bot
from arena.agent.asking import SOURCE_BYTES, parts_asked
from helpers.paths import HOUSE_BOTS, TEST_BOTS


def bot(source: str, **others: str) -> BotFiles:
    return BotFiles("bot.py", {"bot.py": source.encode(), **{f"{name}.py": text.encode() for name, text in others.items()}})


def test_house_bots() -> None:
    asked = {path.stem: parts_asked(read_bot(path), {}) for path in HOUSE_BOTS.glob("*.py")}
    assert {name: parts for name, parts in asked.items() if parts} == {
        "champion": {"ismcts"}, "ismcts": {"ismcts"}, "pimc": {"pimc"}, "scholar": {"ismcts"},
        "learner": {"encoding", "ismcts"},
    }  # fmt: skip
    assert parts_asked(read_bot(TEST_BOTS / "studious_bot.py"), {}) == {"sampling"}
    assert parts_asked(read_bot(TEST_BOTS / "learnt_bot.py"), {}) == {"encoding"}


@pytest.mark.parametrize(
    ("source", "params", "asked"),
    [
        ("view.search(iterations=5)", {}, {"ismcts"}),
        ("view.search(iterations=5, method='flat')", {}, {"flat"}),
        ("view.search(**SETTINGS)", {}, {"ismcts"}),
        ("view.search(**params)", {"method": "pimc"}, {"pimc"}),
        ("view.search(**params)", {"openings": [{"by": "pimc"}, "flat"]}, {"pimc", "flat"}),
        ("view.search(iterations=5); view.search(method='flat', time=1)", {}, {"ismcts", "flat"}),
        ("view.search(method=METHOD); METHOD = 'pi' 'mc'", {}, {"pimc"}),
        ("from arena.search import search", {}, {"ismcts"}),
        ("getattr(view, 'search')(iterations=5)", {}, {"ismcts"}),
        ("'''Knows no view.search(); flat and pimc are not for it.'''  # search", {}, set()),
        ("a = 'flat'", {"method": "pimc"}, set()),
        ("room.engine.play_random(world, rng, out, 9)", {}, {"sampling"}),
        ("WEIGHTS @ view.features()", {}, {"encoding"}),
        ("view.action_features() @ WEIGHTS", {}, {"encoding"}),
        ("view.has_policy and view.policy()", {}, {"encoding"}),
        ("view.search(", {}, set()),
        ("\0", {}, set()),
    ],
)
def test_a_source(source: str, params: dict[str, object], asked: set[str]) -> None:
    assert parts_asked(bot(source), params) == asked


def test_all_files_of_a_bot_are_read_unless_they_are_large() -> None:
    assert parts_asked(bot("from . import mind", mind="view.search(time=1)"), {}) == {"ismcts"}
    assert parts_asked(bot("view.search(time=1)", data="x = 0\n" * SOURCE_BYTES), {}) == {"ismcts"}
    assert parts_asked(bot("from . import mind", mind="view.search(time=1)" + "\n" * SOURCE_BYTES), {}) == frozenset()


def test_a_source_is_read_as_its_syntax_tree_says() -> None:
    for path in [*HOUSE_BOTS.glob("*.py"), *TEST_BOTS.glob("*.py"), *HOUSE_BOTS.parent.glob("arena/games/*/*.py")]:
        source = path.read_text()
        asked = parts_asked(bot(source), {})
        assert asked >= parts_asked(bot("\n".join(map(_plainly, ast.walk(ast.parse(source))))), {}), path


def _plainly(node: ast.AST) -> str:
    """A node as a line that asks for the same."""
    if isinstance(node, ast.Attribute):
        return f"a.{node.attr}"
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return repr(node.value)
    return f"from a import {', '.join(one.name for one in node.names)}" if isinstance(node, ast.ImportFrom) else ""


@pytest.mark.parametrize("unit", ["1,", "(", "-", "[", "x.search(", "'", "\\", '"""', "f'{", "a=b;", "**", "from a import "])
def test_a_source_of_a_stranger_takes_little_memory(unit: str) -> None:
    """A syntax tree takes 200 bytes for each of the text, and what nests has made parsers take for ever."""
    source = unit * (SOURCE_BYTES // 16 // len(unit))
    tracemalloc.start()
    parts_asked(bot(source), {})
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20 * len(source) + (1 << 20)
