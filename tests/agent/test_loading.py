"""Which class of a file plays, and what it may return."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena import cache
from arena.agent import Agent, View, files, read_bot
from arena.agent.files import BotFiles, syntax_told, unpack
from arena.agent.loading import LoadedBot
from arena.errors import BotError, ConfigError, StoreError
from arena.match.sandbox import Supervisor, canary
from arena.match.single_match import play_match
from arena.records import Ending
from helpers.locked_matches import play_locked
from helpers.paths import BAD_BOTS, HOUSE_BOTS

HEAD = "from abc import ABC, abstractmethod\nfrom arena.agent import Agent\n\n"
BASE = "class Base(Agent):\n    def act(self, view):\n        return self.pick(view)\n\n"
CHILD = "class Child(Base):\n    def pick(self, view):\n        return 0\n\n"
OTHER = "class Other(Agent):\n    def act(self, view):\n        return 0\n\n"
ABSTRACT = "class Idea(Agent, ABC):\n    @abstractmethod\n    def pick(self, view): ...\n\n"


def loaded(folder: Path, source: str) -> str:
    path = folder / "some.py"
    path.write_text(HEAD + source)
    with LoadedBot(read_bot(path), folder) as bot:
        return bot.agent_class.__name__


def test_a_base_class_in_the_same_file_does_not_play(tmp_path: Path) -> None:
    assert loaded(tmp_path, BASE + CHILD) == "Child"
    assert loaded(tmp_path, ABSTRACT + OTHER) == "Other"


def test_of_several_classes_the_file_says_which_plays(tmp_path: Path) -> None:
    assert loaded(tmp_path, BASE + CHILD + OTHER + "AGENT = Other\n") == "Other"
    with pytest.raises(BotError, match="one Agent class is needed, found Child, Other; say which one plays: AGENT = Other"):
        loaded(tmp_path, BASE + CHILD + OTHER)
    with pytest.raises(BotError, match="AGENT must be the Agent class that plays, not 'Other'"):
        loaded(tmp_path, OTHER + "AGENT = 'Other'\n")


class Odd(str):
    """A text of another type."""


class Index:
    """An integer of another type."""

    def __index__(self) -> int:
        return 0


SOURCES = {
    "np.int64(0)": np.int64(0), "np.uint8(0)": np.uint8(0), "np.str_(view.legal[0])": np.str_, "Odd(view.legal[0])": Odd,
    "Index()": Index(), "True": True, "0.0": 0.0, "np.float64(0)": np.float64(0),
}  # fmt: skip


class Chooses(Agent):
    kind: Any = 0

    def act(self, view: View) -> Any:
        return self.kind(view.legal[0]) if isinstance(self.kind, type) else self.kind


@pytest.mark.parametrize("source", SOURCES)
def test_any_integer_and_any_text_will_do_locked_in_or_not(source: str, tmp_path: Path, supervisor: Supervisor) -> None:
    chooses = type("Chooses", (Chooses,), {"kind": SOURCES[source]})
    trusted = play_match("naga", [chooses, "house:naga_greedy"], seed=3)
    is_refused = source in ("True", "0.0", "np.float64(0)")
    assert trusted.seats[0].ending is (Ending.MALFORMED if is_refused else Ending.PLAYED)
    path = tmp_path / "chooses.py"
    path.write_text(
        "import numpy as np\nfrom arena.agent import Agent\n\nclass Odd(str):\n    pass\n\nclass Index:\n"
        "    def __index__(self):\n        return 0\n\n"
        f"class Chooses(Agent):\n    def act(self, view):\n        return {source}\n"
    )
    locked = play_locked(supervisor, [path, HOUSE_BOTS / "naga_greedy.py"]).record
    assert locked.seats[0].ending is trusted.seats[0].ending


def test_one_match_takes_agents_and_parameters_and_says_what_it_cannot_take() -> None:
    class Deep(Agent):
        def act(self, view: View) -> int:
            assert self.params["depth"] == 3
            return 0

    agent = Deep()
    record = play_match("naga", [agent, "house:random_bot"], seed=1, params=[{"depth": 3}, {}])
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED] * 2 and record.seats[0].bot == "Deep"
    for bots, message in (
        ([agent, agent], "one Agent sits in two seats"),
        ([agent, 7], r"bots\[1\]: a bot is a path, .* not int 7"),
        ([agent, dict], r"bots\[1\]: .* not the class dict"),
        ([agent, "submitted:nobody"], r"bots\[1\]: submitted:nobody: nothing is submitted yet"),
    ):
        with pytest.raises((ConfigError, StoreError), match=message):
            play_match("naga", bots, seed=1, results="nowhere")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="params: 1 for 2 bots"):
        play_match("naga", [agent, agent], params=[{}])


def test_a_bot_whose_classes_are_several_may_not_enter() -> None:
    with pytest.raises(BotError, match="found First, Second; say which one plays: AGENT = Second"):
        LoadedBot(read_bot(BAD_BOTS / "two_agents.py"))


@pytest.mark.parametrize("source", [b"a\0b", b"PK\x03\x04\0", b"\xff\xfe"])
def test_what_is_no_source_is_told_without_a_line_that_it_does_not_have(source: bytes) -> None:
    with pytest.raises(BotError, match=r"^z15\.py: ") as raised, syntax_told("z15.py"):
        compile(source, "z15.py", "exec")
    assert "None" not in str(raised.value)


def test_the_oldest_of_many_unpacked_bots_go_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The self-test of the lock has an empty folder there: once it was gone while another one tried the lock, and failed."""
    for module in (cache, files):
        monkeypatch.setattr(module, "cache_root", lambda: tmp_path)
    monkeypatch.setattr(files, "BOTS_KEPT", 2)
    store = tmp_path / "bots"
    for name in (canary.FOLDER, *(f".new-{number}" for number in range(3))):
        (store / name).mkdir(parents=True)
        os.utime(store / name, (0, 0))
    folders = [unpack(BotFiles("bot.py", {"bot.py": b"# %d" % number})) for number in range(4)]
    for number, folder in enumerate(folders):
        if folder.exists():
            os.utime(folder, (number + 1, number + 1))
    newest = unpack(BotFiles("bot.py", {"bot.py": b"# the newest"}))
    left = {path.name for path in store.iterdir()}
    assert canary.FOLDER in left and newest.name in left
    assert len([name for name in left if not name.startswith(".")]) == 2
    assert len([name for name in left if name.startswith(".new-")]) == 2
