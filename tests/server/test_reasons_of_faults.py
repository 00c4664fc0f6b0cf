"""Why a bot failed: a traceback shows lines of its source, which nobody but its author and the organisers may see."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.agent import read_bot
from arena.agent.submissions import Submissions
from arena.records import MatchRecord
from helpers.members import Members, with_members
from helpers.paths import BAD_BOTS, TEST_BOTS
from helpers.tournaments import run

SECRET = "no idea"
"""What stands in the source of the bot that fails."""


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MatchRecord]:
    """A match in which Aya's bot fails against Ben's."""
    folder = tmp_path_factory.mktemp("failed")
    store = Submissions(folder / "out")
    store.submit("ayas", read_bot(BAD_BOTS / "raises.py"), ())
    store.submit("bens", read_bot(TEST_BOTS / "counting_bot.py"), ())
    bots = [{"path": f"submitted:{name}", "trusted": True} for name in ("ayas", "bens")]
    record = next(iter(run(folder, name="cup", bots=bots, deals=1).records()))
    return folder / "out", record


@pytest.fixture(scope="module")
def members(played: tuple[Path, MatchRecord]) -> Iterator[Members]:
    with with_members(played[0], is_checking=False) as found:
        for who, bot in (("aya", "ayas"), ("ben", "bens")):
            found.server.submitting.inbox.receive(found.account(who).id, bot, b"#", ".py", is_taken=False, is_organiser=False)
        yield found


def addresses(record: MatchRecord) -> list[str]:
    match = f"m/{record.match_id}"
    return [
        f"/api/{match}/faults",
        f"/api/{match}",
        f"/{match}",
        f"/api/{match}?seat=0",
        f"/api/{match}?seat=1",
        "/api/t/cup",
        "/t/cup",
    ]


@pytest.mark.parametrize("who", ["ben", "gus"])
def test_nobody_else_sees_lines_of_the_source(members: Members, played: tuple[Path, MatchRecord], who: str) -> None:
    for address in addresses(played[1]):
        answer = getattr(members, who).get(address)
        assert answer.status_code == 200 and SECRET not in answer.text, address
    fault = getattr(members, who).get(addresses(played[1])[0]).json()["faults"][0]
    assert (fault["ending"], fault["reason"], fault["output"]) == ("crash", "", "")


def test_a_page_elsewhere_shows_none_either(members: Members, played: tuple[Path, MatchRecord]) -> None:
    answer = members.stranger.get(f"/embed/m/{played[1].match_id}.json")
    assert answer.status_code == 200 and SECRET not in answer.text


@pytest.mark.parametrize("who", ["aya", "organiser", "host"])
def test_its_author_and_organisers_see_them(members: Members, played: tuple[Path, MatchRecord], who: str) -> None:
    faults, match, *_ = addresses(played[1])
    for address in (faults, match, "/api/t/cup"):
        assert SECRET in getattr(members, who).get(address).text, address
