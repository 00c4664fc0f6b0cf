"""A person against a language model: at the owner's own table, in the terminal or the browser, and at nobody else's."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from arena.cli.main import main
from arena.match import HostTrouble
from arena.match.model_seat import ModelSeat
from arena.server.problems import Problem
from arena.server.table_process.arranging import BotSeats, arrange
from arena.server.table_process.bots import BotAtTable
from arena.server.table_process.messages import SeatPlan, Setup
from arena.server.tables.plan import Opening, planned
from helpers.server import HOST
from helpers.stub_model import at_random, model_folder, serving


def test_the_owner_names_a_model_and_nobody_else_can(tmp_path: Path) -> None:
    choice = f"model:{model_folder(tmp_path, 'http://127.0.0.1:9/v1')}"
    opening = Opening(game="naga", seats=["me", choice])
    plan = planned(opening, tmp_path, "alice", models=[choice])
    assert [(seat.name, seat.bot) for seat in plan.seats][1] == ("model", choice)
    with pytest.raises(Problem) as refused:
        planned(opening, tmp_path, "alice")
    assert refused.value.status == 400, "a path that a stranger sends is no opponent"
    odd = f"model:{tmp_path / 'nothing'}"
    with pytest.raises(Problem):
        planned(Opening(game="naga", seats=["me", odd]), tmp_path, "alice", models=[odd])


def test_it_sits_at_a_table_of_people_without_a_lock(tmp_path: Path) -> None:
    choice = f"model:{model_folder(tmp_path, 'http://127.0.0.1:9/v1')}"
    seats = [SeatPlan(name="alice", person=True), SeatPlan(name="model", bot=choice)]
    table = arrange(Setup(game="naga", options={}, seats=seats, results=str(tmp_path), pool="people"))
    assert table.asks_models
    with BotSeats(table) as opened:
        assert isinstance(opened.open(1, 5), ModelSeat)


class Queue:
    """As much of a table as a bot's seat looks at."""

    def __init__(self) -> None:
        self.asked: list[Any] = []
        self.broadcaster = self

    def begin(self) -> None:
        """Nobody watches."""


def test_where_it_cannot_be_asked_nothing_is_played_for_it(tmp_path: Path) -> None:
    from arena.match import Fault
    from arena.records import Ending

    class Unreachable:
        isolation = "llm"

        def answer(self) -> Fault:
            return Fault(Ending.HOST, "language model m: transport: no connection")

    seat = BotAtTable(Unreachable(), "model", Queue())  # type: ignore[arg-type]
    with pytest.raises(HostTrouble, match="no connection"):
        seat.answer()


def test_play_in_the_browser_prepares_a_table_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found: list[Any] = []
    monkeypatch.setattr("arena.server.server.run", lambda app, place: found.append(app))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    bot = model_folder(tmp_path, "http://127.0.0.1:9/v1")
    assert main(["play", "naga", "--against", str(bot), "--browser", "--seed", "3", "--out", str(tmp_path / "out")]) == 0
    ((token, path),) = re.findall(r"/login#token=([\w-]{43})&next=(\S+)", capsys.readouterr().out)
    with TestClient(found[0], base_url=HOST, follow_redirects=False) as client:
        client.post("/login", data={"token": token, "next": path}, headers={"origin": HOST})
        assert client.get(path).status_code == 303
        (table,) = found[0].state.server.tables._tables.values()
        assert [seat.bot for seat in table.plan.seats][1] == f"model:{bot.absolute()}"


def test_a_match_in_the_terminal_asks_it_for_this_match_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Other matches end with the same cards played again by bots; here that would cost as much as the match, and more."""
    monkeypatch.setattr("builtins.input", lambda prompt: "0")
    with serving(at_random) as stub:
        bot = model_folder(tmp_path, stub.address, legal="list")
        code = main(["play", "naga", "--against", str(bot), "--seed", "3", "--name", "alice", "--out", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert code == 0 and "stored as match" in said and "luck of the deal" not in said
    assert 1 <= len(stub.asked) <= 10


def test_a_match_says_whose_fault_it_is_that_it_cannot_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """At a table with a language model another seat can fail, too."""

    def failing(seat: int) -> Callable[..., object]:
        def play(*_: object, **__: object) -> object:
            raise HostTrouble(seat, "no such thing")

        return play

    bot = model_folder(tmp_path, "http://127.0.0.1:9/v1")
    for seat, said in ((0, "a model could not be asked: seat 0"), (1, "the bots could not be locked in: seat 1")):
        monkeypatch.setattr("arena.cli.verbs.match.play", failing(seat))
        assert main(["match", "naga", str(bot), "house:naga_greedy"]) == 2
        assert said in capsys.readouterr().err
