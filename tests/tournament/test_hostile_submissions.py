"""All of tests/bad_bots through the page's upload: each ends exactly as through the terminal's `arena submit`.

The server receives what a browser sends, and what it has received is checked by the code that the checker's process runs; here
in one process and with one zygote, since every process of its own would cost more than its bot. A sixth of the bots is tried
each time; with ARENA_TEST_ALL in the environment all of them are.
"""

import functools
import io
import json
import os
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from arena.agent.submissions import Submissions
from arena.cli.main import main
from arena.engine.random_tables import variants
from arena.games import names
from arena.records import Clock
from arena.results.inbox import State
from arena.server.contest.checker import checked
from arena.server.contest.messages import Check
from arena.server.submitting.checks import Checks
from arena.tournament import bot_check
from arena.tournament.check_report import BotCheck
from helpers.attacks import ATTACKS, Attack
from helpers.command_bots import HOSTILE, hostile, is_attack
from helpers.members import Members, with_members
from helpers.one_zygote import one_zygote
from helpers.paths import BAD_BOTS

pytestmark = pytest.mark.slow
STEP = 1 if "ARENA_TEST_ALL" in os.environ else 6
FILES = (*sorted(BAD_BOTS.glob("*.py")), *ATTACKS.values())[::STEP]
COMMANDS = sorted(filter(is_attack, HOSTILE.glob("*.py")))[3 % STEP :: STEP]  # these end soon
HURRIED = Clock(move=0.2, bank=0.1, start=5.0)
"""The clock for bots whose time runs out: a match takes as long as it has."""


class Outcome(NamedTuple):
    """How a submission ended, without what differs: seeds, times, how many matches were played, what the file is called."""

    is_kept: bool
    refusals: tuple[str, ...]
    endings: frozenset[str]


class Line:
    """Takes what the checker says to the server."""

    def send(self, message: msgspec.Struct) -> None:
        """Take a message."""


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Members]:
    """A server that receives, and whose checks are made by the test; one zygote for all of them."""
    with pytest.MonkeyPatch.context() as patch, one_zygote(names()):
        patch.setattr(bot_check, "variants", lambda game, seats: variants(game, seats)[:1])  # test_bot_check.py plays them all
        patch.setattr(Checks, "start", lambda self: None)
        with with_members(tmp_path_factory.mktemp("archive")) as found:
            yield found


@pytest.mark.parametrize("bot", FILES, ids=lambda bot: f"locked-{bot.name}" if isinstance(bot, Attack) else bot.stem)
def test_a_bad_bot_ends_as_in_the_terminal(
    members: Members, bot: Path | Attack, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bot.bot(tmp_path) if isinstance(bot, Attack) else bot
    name = f"bad_{path.stem}"
    hurry(path, monkeypatch)
    assert uploaded(members, name, path.read_bytes()) == submitted(path, name, tmp_path / "out", capsys)


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.stem)
def test_a_bad_command_bot_ends_as_in_the_terminal(
    members: Members, path: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = hostile(path, tmp_path)
    with (folder / "bot.toml").open("a") as settings:
        settings.write('games = ["naga"]\n')  # one is enough
    name = f"command_{path.stem}"
    hurry(path, monkeypatch)
    assert uploaded(members, name, zipped(folder)) == submitted(folder, name, tmp_path / "out", capsys)


def hurry(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a bot that uses up its time a short one."""
    if "Expected: timeout" in path.read_text().splitlines()[0]:
        monkeypatch.setattr(bot_check, "check_bot", functools.partial(bot_check.check_bot, clock=HURRIED))


def uploaded(members: Members, name: str, content: bytes) -> Outcome:
    """Send a bot as a page does, check it as the server does, and look at it as its author."""
    server = members.server.submitting
    answer = members.organiser.put(f"/api/bots/{name}", content=content)
    assert answer.status_code == 201, answer.text
    sent = server.inbox.begin()
    assert sent is not None and sent.id == answer.json()["id"]
    file, results = str(server.inbox.path_of(sent)), str(members.server.library.out)
    asked = Check(submission=sent.id, bot=name, file=file, results=results, contest=None)
    found = checked(asked, Line())  # type: ignore[arg-type]
    assert found.report is not None, found.trouble
    ended = server.checks._ended(sent, found)
    assert ended is not None and not server.inbox.path_of(sent).exists()
    shown = members.organiser.get(f"/api/submissions/{sent.id}").json()
    assert shown["submission"]["state"] == ("accepted" if found.version else "refused")
    assert (ended.state is State.ACCEPTED) == (found.version is not None)
    return outcome(found.report, found.version is not None, members.server.library.out, name)


def submitted(bot: Path, name: str, out: Path, capsys: pytest.CaptureFixture[str]) -> Outcome:
    """Submit a bot in the terminal."""
    code = main(["submit", str(bot), "--name", name, "--format", "json", "--out", str(out)])
    found = json.loads(capsys.readouterr().out)
    assert code == (0 if found["submitted"] else 1)
    return outcome(msgspec.convert(without_verdict(found["check"]), BotCheck), found["submitted"], out, name)


def outcome(report: BotCheck, is_kept: bool, results: Path, name: str) -> Outcome:
    assert report.may_enter == is_kept == bool(Submissions(results).versions(name))
    refusals = tuple(re.sub(r"\d+ in \d+ matches|^\w+(?=\.py: )", "", text) for text in report.refusals)
    return Outcome(is_kept, refusals, frozenset(str(fault.ending) for fault in report.faults))


def without_verdict(check: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in check.items() if name != "may_enter"}


def zipped(folder: Path) -> bytes:
    """A folder as the page packs it."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder))
    return packed.getvalue()
