"""Bots that reach for more than their turn: the record, the opponent and the worker are not hurt."""

import sys
from pathlib import Path
from typing import Any

import pytest

from arena.agent import Agent, EndInfo, StartInfo, View
from arena.errors import printable
from arena.games import load
from arena.match import Answer
from arena.match.in_process import InProcessSeat
from arena.match.single_match import play_match
from arena.records import Clock, Ending, MatchRecord


class Plain(Agent):
    def act(self, view: View) -> str:
        return view.legal[0]


def against_plain(bot: type[Agent] | Path, **settings: object) -> MatchRecord:
    return play_match("naga", [bot, Plain], seed=1, **settings)  # type: ignore[arg-type]


def endings(record: MatchRecord) -> list[str]:
    return [seat.ending.value for seat in record.seats]


def test_what_a_bot_does_to_its_result_changes_no_record() -> None:
    class Forger(Plain):
        def end(self, result: EndInfo) -> None:
            result.places[:] = [1, 2]  # type: ignore[index]

    assert against_plain(Forger).seats == against_plain(Plain).seats or endings(against_plain(Forger)) == ["played"] * 2
    assert [seat.place for seat in against_plain(Forger).seats] == [seat.place for seat in against_plain(Plain).seats]


def test_what_a_bot_does_to_its_options_and_view_reaches_nobody() -> None:
    class Vandal(Plain):
        def start(self, info: StartInfo) -> None:
            info.options.clear()  # type: ignore[attr-defined]

        def act(self, view: View) -> str:
            choice = view.legal[0]
            view.state.hand[:] = 0
            view.legal.clear()
            view.events.clear()
            view.position.clear()
            return choice

    record = against_plain(Vandal)
    assert record.actions == against_plain(Plain).actions and record.options == against_plain(Plain).options


def test_parameters_are_a_copy_for_each_seat() -> None:
    class Greedy(Plain):
        def start(self, info: StartInfo) -> None:
            self.params.setdefault("depth", 3)  # type: ignore[attr-defined]

    given: dict[str, int] = {}
    seat = InProcessSeat(lambda: _Loaded(Greedy), 1, given)
    with seat:
        assert seat.start(StartInfo("naga", {}, 2, 0, Clock(1, 1))) is None
    assert given == {}


class _Loaded:
    def __init__(self, agent_class: type[Agent]) -> None:
        self.agent_class = agent_class

    def __enter__(self) -> "_Loaded":
        return self

    def __exit__(self, *_: object) -> None:
        pass


def test_a_keyboard_interrupt_of_a_bot_in_a_worker_is_a_crash() -> None:
    class Interrupter(Plain):
        def act(self, view: View) -> str:
            raise KeyboardInterrupt

    with InProcessSeat(lambda: _Loaded(Interrupter), 1, {}) as seat:
        seat.start(StartInfo("naga", {}, 2, 0, Clock(1, 1)))
        game = load("naga")
        states = game.deal(2, game.resolve_options({}, 2), 1)
        seat.ask(game.view(game, states, 0, codes=game.legal_list(states), events=list, clock=Clock(1, 1)))
        answer = seat.answer()
        assert not isinstance(answer, Answer) and answer.ending is Ending.CRASH
    with pytest.raises(KeyboardInterrupt):  # outside a worker it is the user's
        against_plain(Interrupter)


def test_a_text_with_code_of_its_own_is_taken_without_it() -> None:
    class Trap(str):
        def trap(self, *_: object) -> Any:
            raise SystemExit

        __hash__ = __eq__ = __str__ = __repr__ = __len__ = __getitem__ = __contains__ = encode = split = trap  # type: ignore

    class Trapper(Plain):
        def act(self, view: View) -> str:
            return Trap(view.legal[0])

    record = against_plain(Trapper)
    assert record.actions == against_plain(Plain).actions and endings(record) == ["played"] * 2


def test_an_integer_with_code_of_its_own_is_asked_once_while_the_bots_time_runs() -> None:
    class Trap:
        def __index__(self) -> int:
            raise SystemExit

    class Trapper(Plain):
        def act(self, view: View) -> Any:
            return Trap()

    assert endings(against_plain(Trapper)) == ["crash", "played"]


@pytest.mark.parametrize("message", ["\ud800", "\x1b[2J", "x" * 5_000_000, "a\x00b\r\n" * 10])
def test_notes_are_safe_to_store_and_to_print(message: str) -> None:
    class Shouter(Plain):
        def act(self, view: View) -> str:
            raise ValueError(message)

    (note,) = against_plain(Shouter).notes
    assert len(note) < 2200 and all(line.isprintable() for line in note.splitlines())
    note.encode()


@pytest.mark.parametrize("text", ["", "plain", "日本", "a\nb"])
def test_plain_text_is_kept(text: str) -> None:
    assert printable(text) == text


def test_a_sleeper_meets_the_wall_backstop(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    class Sleeper(Plain):
        def act(self, view: View) -> str:
            time.sleep(0.05)
            return view.legal[0]

    monkeypatch.setattr("arena.match.in_process.BACKSTOP_SECONDS", 0.0)
    monkeypatch.setattr("arena.match.in_process._is_short_of_cpu", lambda: False)
    record = against_plain(Sleeper, clock=Clock(0.01, 0.0))
    assert endings(record) == ["timeout", "played"] and not record.seats[0].reproducible


def test_files_and_paths_of_one_bot_do_not_reach_another(tmp_path: Path) -> None:
    played = []
    for name, choice in (("one", 0), ("two", -1)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "choice.py").write_text(f"PLACE = {choice}\n")
        (folder / "__init__.py").write_text(
            "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent))\nimport choice\n"
            "from arena.agent import Agent\n\nclass Bot(Agent):\n    def act(self, view):\n"
            "        return view.legal[choice.PLACE]\n"
        )
        before = (list(sys.path), set(sys.modules))
        played.append(against_plain(folder).actions)
        assert (list(sys.path), "choice" in sys.modules) == (before[0], False)
    assert played[0] != played[1]


def test_an_agent_may_live_in_a_module_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "__init__.py").write_text("from .mind import Mind\n")
    (tmp_path / "bot" / "mind.py").write_text(
        "from arena.agent import Agent\n\nclass Mind(Agent):\n    def act(self, view):\n        return view.legal[0]\n"
    )
    assert against_plain(tmp_path / "bot").actions == against_plain(Plain).actions
