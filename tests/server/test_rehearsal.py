"""Before people sit down, a few actions of another deal load all that the first click needs."""

import pytest

from arena.games import names
from arena.server.table_process.arranging import arrange
from arena.server.table_process.broadcaster import Broadcaster
from arena.server.table_process.process import ACTIONS, rehearse
from helpers.scripted_tables import SEATS, setup


@pytest.mark.parametrize("game", names())
def test_people_are_asked_and_told_as_in_a_match_and_nobody_hears_of_it(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    sent: list[object] = []

    def noted(name: str) -> None:
        real = getattr(Broadcaster, name)

        def call(self: Broadcaster, *arguments: object) -> object:
            done.append(name)
            self.send = sent.append
            return real(self, *arguments)

        monkeypatch.setattr(Broadcaster, name, call)

    for name in ("ask", "played"):
        noted(name)
    table = arrange(setup(game, [None, *["house:random_bot"] * (SEATS[game] - 1)], seed=1))
    before = table.setup
    rehearse(table)
    assert done.count("played") == ACTIONS and done.count("ask") >= 1
    assert {type(message).__name__ for message in sent} <= {"Ready", "Envelope"} and len(sent) > 5
    assert table.setup is before
