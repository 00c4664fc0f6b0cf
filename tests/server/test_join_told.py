"""What `arena join` tells its user, without a server: who is here, what is lost, and that a bot which always fails leaves."""

import threading

from arena.agent import BotFiles
from arena.errors import trace_below
from arena.records import Ending
from arena.server.joining.address import ServerAddress
from arena.server.joining.client import MOST_FAILURES, Joining
from arena.server.remote.messages import Result


def joining(said: list[str], tables: int = 1) -> Joining:
    server = ServerAddress("http://127.0.0.1:8000", "secret")
    return Joining(
        server, BotFiles("bot.py", {"bot.py": b""}), "bot", ["naga"], wants_forced=False, say=said.append, tables=tables
    )


def result(ending: Ending | None, match: str | None = "0" * 24) -> Result:
    return Result(match=match, game="naga", names=["Aya/bot", "club"], seat=0, place=2, ending=ending, rating=1.0, matches=1)


def test_the_bot_is_told_to_be_here_once_for_all_tables_and_again_after_a_cut() -> None:
    said = list[str]()
    bot = joining(said, tables=3)
    threads = [threading.Thread(target=bot.arrived, args=("Aya/bot",)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said == ["Aya/bot is here at 3 tables, and plays naga; Ctrl-C to leave"]
    for _ in range(3):
        bot.lost("the server is closed")
    bot.arrived("Aya/bot")
    bot.arrived("Aya/bot")
    assert said[1:] == ["the connection is lost: the server is closed; trying again", "connected again"]


def test_a_match_is_told_with_its_link_in_a_line_of_its_own() -> None:
    said = list[str]()
    joining(said).told(result(Ending.PLAYED))
    line, link = said[0].split("\n")
    assert line == "match 1: naga against club: place 2 of 2; rating 1.0 after 1 match"
    assert link == f"  http://127.0.0.1:8000/m/{'0' * 24}"


def test_a_bot_that_fails_in_every_match_leaves() -> None:
    bot = joining([])
    for _ in range(MOST_FAILURES - 1):
        bot.told(result(Ending.CRASH))
    bot.told(result(None, match=None))  # void: the bot has no part in it
    assert not bot.stopping.is_set()
    bot.told(result(Ending.TIMEOUT))
    assert bot.stopping.is_set()
    assert [str(error) for error in bot._errors] == [
        "bot has failed in 5 matches in a row, so it leaves; mend it, and join again"
    ]


def test_a_bot_that_fails_now_and_then_stays() -> None:
    bot = joining([])
    for _ in range(3):
        for _ in range(MOST_FAILURES - 1):
            bot.told(result(Ending.CRASH))
        bot.told(result(Ending.PLAYED))
    assert not bot.stopping.is_set()


def test_a_failure_is_told_from_the_bots_first_line_on() -> None:
    def act() -> None:
        raise KeyError("its mistake")

    try:
        act()
    except KeyError as error:
        lines = trace_below(error).splitlines()
    assert lines[0].endswith("in act") and lines[-1] == "KeyError: 'its mistake'" and "trace_below" not in lines[0]
