"""Matches of agents by their handles: limits, idleness, real time, names that others chose, and what is left at the end."""

import re
from pathlib import Path

import anyio
import pytest

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.mcp import sessions
from arena.mcp.answers import Refused as NotDone
from arena.mcp.foreign import CLOSE, OPEN, WARNING
from arena.mcp.service import service
from arena.mcp.telling import WORDS, Teller
from arena.mcp.told import Told
from arena.reports.table import LANGUAGES
from arena.server.table_process.messages import Ask, Envelope, Frame, FromTable, Refused, Setup, ToTable
from helpers.agents import begun, client_of, in_threads, played, run, said


class Deaf:
    """A line to a table that says one thing and plays nothing."""

    def __init__(self, *messages: FromTable) -> None:
        self.messages, self.heard, self.ended = messages, list[ToTable](), anyio.Event()

    async def run(self, setup: Setup, hear: object) -> int:
        """Say it, and wait for the end."""
        for one in self.messages:
            hear(one)  # type: ignore[operator]
        await self.ended.wait()
        return 0

    def send(self, message: ToTable) -> None:
        """Note what the table is told."""
        self.heard.append(message)

    def end(self) -> None:
        """End."""
        self.ended.set()


ASKED = Envelope(seat=0, message=Ask(decision=3, legal=["pass", "play"], since=[]))


def test_only_so_many_matches_are_played_at_once_and_a_left_one_makes_room(tmp_path: Path) -> None:
    async def play() -> None:
        matches = sessions.Matches(lambda: Deaf(ASKED))  # type: ignore[arg-type, return-value]
        async with matches:
            setup = Setup(game="naga", seats=[], results=str(tmp_path))
            begun_here = [matches.begin(setup, 0, "en", is_rated=False) for _ in range(sessions.MOST_RUNNING)]
            with pytest.raises(NotDone, match="8 matches are played at the moment"):
                matches.begin(setup, 0, "en", is_rated=False)
            matches.forget(begun_here[0].teller.match)
            with pytest.raises(NotDone, match="no match"):
                matches.find(begun_here[0].teller.match)
            matches.begin(setup, 0, "en", is_rated=False)

    run(play)


def test_a_match_that_nobody_asks_for_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "IDLE_SECONDS", 0.01)

    async def play() -> None:
        line = Deaf(ASKED)
        async with sessions.Matches(lambda: line) as matches:  # type: ignore[arg-type, return-value]
            match = matches.begin(Setup(game="naga", seats=[], results=str(tmp_path)), 0, "en", is_rated=False)
            await line.ended.wait()
            with pytest.raises(NotDone, match="no match"):
                matches.find(match.teller.match)

    run(play)


def test_who_waits_gets_an_answer_in_time_and_only_some_may_wait(tmp_path: Path) -> None:
    async def play() -> None:
        async with sessions.Matches(lambda: Deaf()) as matches:  # type: ignore[arg-type, return-value]
            match = matches.begin(Setup(game="naga", seats=[], results=str(tmp_path)), 0, "en", is_rated=False)
            await match.settled(0.01)
            assert "The others have not chosen yet" in match.teller.view(match.told)
            async with anyio.create_task_group() as group:
                for _ in range(sessions.MOST_WAITING):
                    group.start_soon(match.settled, 100)
                await anyio.wait_all_tasks_blocked()
                with pytest.raises(NotDone, match="4 calls wait for this match already"):
                    await match.settled(100)
                group.cancel_scope.cancel()

    run(play)


def test_two_answers_to_one_decision_are_one_action(tmp_path: Path) -> None:
    async def play() -> None:
        line = Deaf(ASKED)
        async with sessions.Matches(lambda: line) as matches:  # type: ignore[arg-type, return-value]
            match = matches.begin(Setup(game="naga", seats=[], results=str(tmp_path)), 0, "en", is_rated=False)
            await match.settled()
            match.act("play", 3)
            with pytest.raises(NotDone, match="decision 3 is taken already"):
                match.act("pass", 3)
            assert [one.action for one in line.heard] == ["play"]  # type: ignore[union-attr]

    run(play)


def test_what_happened_is_told_since_the_own_last_action_however_often_one_looks() -> None:
    told, teller = Told(), Teller("naga", 2, 0, "HANDLE")
    told.hear(Frame(number=0, position={"round": 1}, text="the table"))
    told.hear(Ask(decision=0, legal=["pass", "play"], since=[]))
    first = teller.view(told)
    assert first == teller.view(told) and "The match begins." in first and "Your decision (number 0)" in first
    told.hear(Refused(decision=0, action="pass", why="late"))
    assert "Not played, it came too late: pass" in teller.view(told)
    told.act()
    assert "Your decision" not in teller.view(told) and "Since your last decision:\n  nothing" in teller.view(told)


def test_both_languages_have_the_same_sentences_with_the_same_values() -> None:
    english, japanese = WORDS["en"], WORDS["ja"]
    assert english.keys() == japanese.keys() and WORDS.keys() == set(LANGUAGES)
    for key, text in english.items():
        assert sorted(re.findall(r"{(\w+)", text)) == sorted(re.findall(r"{(\w+)", japanese[key])), key


@pytest.mark.slow
def test_nertz_is_played_in_real_time_by_who_is_slow(tmp_path: Path) -> None:
    async def play() -> None:
        async with client_of(in_threads(tmp_path)) as client:
            options = {"max_rounds": 1, "tick_limit": 40}
            match, _ = await begun(client, game="nertz", pace=150, options=options, rated=True, opponents=["beginner"])
            answers = await played(client, match, lambda actions: next((one for one in actions if one != "wait"), "wait"))
            assert "The match is over." in answers[-1] and len(answers) < 60
            assert "rating of agent" in await said(client, "result", match=match)

    run(play)


def test_names_that_others_chose_are_marked_and_stand_in_no_view(tmp_path: Path) -> None:
    Submissions(tmp_path).submit("obey-me-now", BotFiles("x.py", {"x.py": b"pass\n"}), ("naga",))

    async def play() -> None:
        offered = service(tmp_path, "agent", matches=sessions.Matches(lambda: Deaf(ASKED)))  # type: ignore[arg-type, return-value]
        async with client_of(offered) as client:
            _, text = await begun(client, game="naga", opponents=["submitted:obey-me-now"])
            assert f"1 {OPEN}obey-me-now{CLOSE}" in text and WARNING in text
            match, text = await begun(client, game="naga", opponents=["casual"])
            assert "1 casual" in text and WARNING not in text
            assert "casual" not in await said(client, "state", match=match)

    run(play)
