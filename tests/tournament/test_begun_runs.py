"""A run holds on to the bots that it began with, and one bot that cannot be loaded stops nobody else."""

from pathlib import Path

import pytest
import yaml

from arena.agent import BotFiles
from arena.agent.submissions import Submissions
from arena.errors import BotError, ConfigError, StoreError
from arena.match.probe import Profile
from arena.records import Ending
from arena.results import parquet
from arena.tournament import field
from arena.tournament import run as tournament_run
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Interrupted, Observer, Progress, Results, Settings
from helpers.paths import BAD_BOTS, HOUSE_BOTS

pytestmark = pytest.mark.usefixtures("one_zygote")
GREEDY = (HOUSE_BOTS / "naga_greedy.py").read_bytes()
BROKEN = b"import no_such_module\n"


class Broadcaster(Observer):
    """Keeps what is said, and interrupts the run after so many matches."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.said: list[str] = []
        self._stop_at = stop_at

    def say(self, text: str) -> None:
        self.said.append(text)

    def progress(self, progress: Progress) -> None:
        if self._stop_at is not None and progress.played_now >= self._stop_at:
            raise KeyboardInterrupt


def submitted(folder: Path, name: str, source: bytes) -> None:
    Submissions(folder).submit(name, BotFiles("x.py", {"x.py": source}), ("naga",))


def write(folder: Path, bots: list[object], **changes: object) -> Path:
    path = folder / "cup.yaml"
    config = {"name": "cup", "seed": 1, "games": [{"game": "naga", "seats": 2}], "bots": bots, "deals": 10, **changes}
    config["ratings"] = {"luck": False}  # few tests are about it, and it takes longer than the matches
    path.write_text(yaml.safe_dump(config))
    return path


def played(config: Path, broadcaster: Broadcaster, **changes: object) -> Results:
    return run_tournament(config, Settings(out=config.parent, backend=LOCAL, workers=1, **changes), broadcaster)  # type: ignore[arg-type]


ALL = [{"path": "submitted:all", "trusted": True}, {"path": "house:random_bot", "trusted": True}]


def test_a_run_that_is_stopped_while_its_board_is_written_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    config = write(tmp_path, [{"path": "house:random_bot", "trusted": True}, {"path": "house:naga_greedy", "trusted": True}])
    with monkeypatch.context() as patched:
        patched.setattr(tournament_run, "decide", interrupted)
        with pytest.raises(Interrupted, match=r"^stopped; 20 of 20 .* The same command goes on\. \(The board was not"):
            played(config, Broadcaster())
    assert played(config, Broadcaster()).manifest.finished


def test_a_stopped_run_goes_on_with_the_versions_it_began_with(tmp_path: Path) -> None:
    submitted(tmp_path, "alice", GREEDY)
    submitted(tmp_path, "carol", GREEDY + b"# carol\n")
    config, broadcaster = write(tmp_path, ALL), Broadcaster()
    with pytest.raises(Interrupted):
        played(config, Broadcaster(stop_at=1))
    submitted(tmp_path, "alice", GREEDY + b"# better\n")
    submitted(tmp_path, "bob", GREEDY)
    Submissions(tmp_path).withdraw("carol")
    results = played(config, broadcaster)
    assert {(bot.name, bot.version) for bot in results.manifest.bots} == {("alice", 1), ("carol", 1), ("random_bot", 1)}
    assert results.manifest.finished and results.manifest.played == 3 * 10 * 2
    news = "\n".join(broadcaster.said)
    assert "alice: version 2 joins the next run" in news
    assert "bob: version 1 joins the next run" in news
    fresh = played(config, Broadcaster(), fresh=True)
    assert {(bot.name, bot.version) for bot in fresh.manifest.bots} == {("alice", 2), ("bob", 1), ("random_bot", 1)}


def test_a_changed_config_is_still_another_plan(tmp_path: Path) -> None:
    submitted(tmp_path, "alice", GREEDY)
    config = write(tmp_path, ALL)
    with pytest.raises(Interrupted):
        played(config, Broadcaster(stop_at=1))
    write(tmp_path, [*ALL, {"path": str(HOUSE_BOTS / "naga_greedy.py"), "trusted": True}])
    with pytest.raises(StoreError, match=r"another plan .*bots: naga_greedy"):
        played(config, Broadcaster())
    games = [{"game": "naga", "seats": 2}, {"game": "yaniv", "seats": 2}]
    other: dict[str, object] = {"path": "house:random_bot", "name": "other", "trusted": True}
    third: dict[str, object] = {"path": "house:yaniv_greedy", "trusted": True}
    config = write(tmp_path, [*ALL, other, third], games=games, name="two")
    with pytest.raises(Interrupted):
        played(config, Broadcaster(stop_at=1))
    write(tmp_path, [*ALL, {**other, "games": ["naga"]}, third], games=games, name="two")
    with pytest.raises(StoreError, match="another plan"):
        played(config, Broadcaster())


def test_versions_side_by_side_and_other_names_go_on_too(tmp_path: Path) -> None:
    for number in (1, 2):
        submitted(tmp_path, "alice", GREEDY + b"# %d\n" % number)
    bots: list[object] = [
        {"path": "submitted:alice@1", "trusted": True}, {"path": "submitted:alice", "trusted": True},
        {"path": "submitted:alice@1", "name": "old", "trusted": True},
    ]  # fmt: skip
    config = write(tmp_path, bots)
    with pytest.raises(Interrupted):
        played(config, Broadcaster(stop_at=1))
    submitted(tmp_path, "alice", GREEDY + b"# 3\n")
    results = played(config, Broadcaster())
    assert [(bot.name, bot.version) for bot in results.manifest.bots] == [("alice", 1), ("alice", 2), ("old", 1)]


def test_a_bot_that_was_loaded_once_plays_on_although_it_cannot_be_loaded_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submitted(tmp_path, "alice", GREEDY)
    config = write(tmp_path, ALL)
    with pytest.raises(Interrupted):
        played(config, Broadcaster(stop_at=1))
    monkeypatch.setattr(field, "probe", lambda bots, _seconds: [Profile(error="no memory") for _ in bots])
    assert {bot.name for bot in played(config, Broadcaster()).manifest.bots} == {"alice", "random_bot"}


def test_a_submitted_bot_that_cannot_be_loaded_is_left_out_with_its_reason(tmp_path: Path) -> None:
    submitted(tmp_path, "alice", GREEDY)
    submitted(tmp_path, "broken", BROKEN)
    config, broadcaster = write(tmp_path, ALL, deals=2), Broadcaster()
    results = played(config, broadcaster)
    assert {bot.name for bot in results.manifest.bots} == {"alice", "random_bot"}
    (out,) = results.manifest.left_out
    assert out.name == "broken" and "No module named 'no_such_module'" in out.reason
    assert any("warning: broken is left out, because it cannot be loaded" in text for text in broadcaster.said)
    submitted(tmp_path, "broken", GREEDY + b"# mended\n")
    again = played(config, broadcaster)
    assert again.manifest.results_sha256 == results.manifest.results_sha256 and again.manifest.left_out == (out,)


def test_it_forfeits_where_the_config_says_so(tmp_path: Path) -> None:
    submitted(tmp_path, "broken", BROKEN)
    results = played(write(tmp_path, ALL, deals=2, broken_bots="forfeit"), Broadcaster())
    assert {seat.ending for record in results.records() for seat in record.seats if seat.bot == "broken"} == {Ending.STARTUP}
    with pytest.raises(ConfigError, match="broken_bots: leave_out or forfeit, not 'ignore'"):
        played(write(tmp_path, ALL, broken_bots="ignore"), Broadcaster())


def test_a_strangers_bot_by_path_is_left_out_too_but_not_ones_own(tmp_path: Path) -> None:
    bots: list[object] = ["house:random_bot", "house:naga_greedy", str(BAD_BOTS / "import_error.py")]
    results = played(write(tmp_path, bots, deals=1), Broadcaster())
    assert [one.name for one in results.manifest.left_out] == ["import_error"]
    with pytest.raises(BotError, match=r"import_error.py: .*No module named"):
        played(write(tmp_path, [*bots[:2], {"path": bots[2], "trusted": True}], name="own"), Broadcaster())
    assert not (tmp_path / "own").exists()


def test_a_field_that_gets_too_small_is_refused_with_the_reason(tmp_path: Path) -> None:
    submitted(tmp_path, "broken", BROKEN)
    with pytest.raises(ConfigError, match=r"there are 1; broken cannot be loaded: .*No module named 'no_such_module'"):
        played(write(tmp_path, ALL), Broadcaster())


def test_the_files_of_a_bot_are_those_of_its_author_in_what_is_said(tmp_path: Path) -> None:
    submitted(
        tmp_path, "alice", b"from arena.agent import Agent\n\nclass A(Agent):\n    def act(self, view):\n        return 1 / 0\n"
    )
    results = played(write(tmp_path, ALL, deals=1), Broadcaster())
    reasons = {fault.reason for fault in parquet.read_faults(results.folder)}
    assert all('File "alice.py", line 5, in act' in reason for reason in reasons) and reasons
