"""Submitted bots: versions by content, configs that name them, refused files, two at once, and a crash in the middle."""

import os
import threading
from pathlib import Path

import pytest
import yaml

from arena.agent import BotFiles, read_bot
from arena.agent.submissions import Submissions
from arena.cli.main import main
from arena.errors import BotError, ConfigError, StoreError
from arena.records import Ending
from arena.tournament.config import Tournament, read_config
from arena.tournament.run import run_tournament
from arena.tournament.session import LOCAL, Settings
from helpers.paths import BAD_BOTS, HOUSE_BOTS

pytestmark = pytest.mark.usefixtures("one_zygote")
GREEDY, RANDOM = HOUSE_BOTS / "naga_greedy.py", HOUSE_BOTS / "random_bot.py"
NAGA = ("naga",)


def bot(text: str) -> BotFiles:
    return BotFiles("bot.py", {"bot.py": text.encode()})


def config(folder: Path, bots: list[object], *, game: str = "naga") -> Tournament:
    path = folder / "cup.yaml"
    path.write_text(yaml.safe_dump({"name": "cup", "games": [{"game": game, "seats": 2}], "bots": bots, "deals": 2, "seed": 1}))
    return read_config(path, folder)


def test_changed_files_are_a_new_version_and_the_same_ones_are_none(tmp_path: Path) -> None:
    store = Submissions(tmp_path)
    first, second = store.submit("alice", bot("a = 1"), NAGA), store.submit("alice", bot("a = 2"), NAGA)
    assert [(found.version, is_new) for found, is_new in (first, second)] == [(1, True), (2, True)]
    assert store.submit("alice", bot("a = 2"), NAGA) == (second[0], False)
    assert store.submit("alice", bot("a = 1"), NAGA) == (first[0], False)
    renamed = BotFiles("other.py", {"other.py": b"a = 2"})
    assert store.submit("alice", renamed, NAGA) == (second[0], False)
    assert store.submit("bob", bot("a = 1"), NAGA)[0].version == 1
    assert store.names() == ["alice", "bob"] and store.versions("alice") == [first[0], second[0]]
    assert store.files(first[0]).files == {"alice.py": b"a = 1"}


def test_older_files_become_a_new_version_if_asked(tmp_path: Path) -> None:
    store = Submissions(tmp_path)
    first, second = (store.submit("alice", bot(f"a = {number}"), NAGA)[0] for number in (1, 2))
    third, is_new = store.submit("alice", bot("a = 1"), NAGA, as_new=True)
    assert is_new and (third.version, third.sha256) == (3, first.sha256)
    assert store.submit("alice", bot("a = 1"), NAGA, as_new=True) == (third, False)
    assert store.find("submitted:alice") == [third] and store.versions("alice") == [first, second, third]


def test_a_withdrawn_bot_plays_no_new_tournament_until_it_is_submitted_again(tmp_path: Path) -> None:
    store = Submissions(tmp_path)
    first, _ = store.submit("alice", bot("a = 1"), NAGA)
    other, _ = store.submit("bob", bot("b"), NAGA)
    store.withdraw("alice")
    assert store.find("submitted:all") == [other] and store.find("submitted:alice@1") == [first]
    with pytest.raises(StoreError, match=r"alice is withdrawn on .*; submitted:alice@1 still names it"):
        store.find("submitted:alice")
    with pytest.raises(StoreError, match=r"alice is withdrawn on"):
        store.withdraw("alice")
    again, is_new = store.submit("alice", bot("a = 1"), NAGA)
    assert is_new and again.version == 2 and store.find("submitted:all") == [again, other]


def test_a_renamed_bot_keeps_its_files_and_leaves_its_old_name_to_its_results(tmp_path: Path) -> None:
    store = Submissions(tmp_path)
    old, _ = store.submit("alice", bot("a = 1"), NAGA)
    store.submit("bob", bot("b"), NAGA)
    new = store.rename("alice", "carol")
    assert (new.reference, new.games) == ("submitted:carol@1", NAGA) and store.files(new).files == {"carol.py": b"a = 1"}
    assert store.files(old).files == {"alice.py": b"a = 1"}
    assert [found.name for found in store.find("submitted:all")] == ["bob", "carol"]
    with pytest.raises(StoreError, match=r"alice is called carol since .*; submitted:carol names it"):
        store.find("submitted:alice")
    with pytest.raises(StoreError, match="bob: a bot of this name is submitted already"):
        store.rename("carol", "bob")
    with pytest.raises(StoreError, match=r"no bot of this name .* did you mean"):
        store.rename("carole", "dave")


def test_withdrawals_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store, out = Submissions(tmp_path), ["--out", str(tmp_path)]
    store.submit("alice", bot("a = 1"), NAGA)
    store.submit("bob", bot("b"), NAGA)
    assert main(["rename", "alice", "carol", *out]) == 0
    assert "alice is called carol now" in capsys.readouterr().out
    assert main(["withdraw", "bob", *out]) == 0
    assert "bob plays no new tournament" in capsys.readouterr().out
    assert main(["bots", *out]) == 0
    states = {line.split()[0]: line for line in capsys.readouterr().out.splitlines()[2:]}
    assert "renamed" in states["alice"] and "withdrawn" in states["bob"] and "not played" in states["carol"]
    assert main(["withdraw", "bob", *out]) == 2 and main(["rename", "carol", "all", *out]) == 2
    assert main(["rename", "carol", "../up", *out]) == 2


def test_a_folder_with_modules_and_weights_comes_back_as_it_was(tmp_path: Path) -> None:
    files = {"__init__.py": b"from .sub import x", "sub/__init__.py": b"x = 1", "weights.npz": bytes(range(256)) * 1000}
    store = Submissions(tmp_path)
    found, _ = store.submit("deep", BotFiles("__init__.py", files), ())
    assert store.files(found) == BotFiles("__init__.py", files) and found.bytes == sum(map(len, files.values()))


def test_configs_name_submissions(tmp_path: Path) -> None:
    store = Submissions(tmp_path)
    for text, name, games in (("a = 1", "alice", NAGA), ("a = 2", "alice", NAGA), ("b", "bob", ()), ("c", "carol", ("yaniv",))):
        store.submit(name, bot(text), games)

    def named(*bots: object) -> list[tuple[str, int]]:
        return [(found.name, found.version) for found in config(tmp_path, list(bots)).bots]

    assert named("submitted:alice", "submitted:bob") == [("alice", 2), ("bob", 1)]
    assert named("submitted:alice@1", "submitted:alice") == [("alice", 1), ("alice", 2)]
    assert named("submitted:all") == [("alice", 2), ("bob", 1)]
    assert named({"path": "submitted:bob", "params": {"x": 1}}, "submitted:all") == [("bob", 1), ("alice", 2)]
    assert named({"path": "submitted:alice@1", "name": "old"}, "submitted:alice") == [("old", 1), ("alice", 2)]


@pytest.mark.parametrize(
    ("bots", "message"),
    [
        (["submitted:alicf"], 'bots[0]: submitted:alicf: no bot of this name .* did you mean "alice"?'),
        (["submitted:alice@3"], "alice has the versions 1"),
        (["submitted:alice@0"], "submitted:NAME, submitted:NAME@2 or submitted:all is needed"),
        (["submitted:"], "is needed"),
        ([{"path": "submitted:all", "name": "x"}], r"bots\[0\].name: submitted:all stands for many"),
        (["submitted:alice", "submitted:alice"], r'bots\[1\]: bots\[0\] is called "alice" too'),
    ],
)
def test_a_wrong_reference_is_refused_with_what_there_is(bots: list[object], message: str, tmp_path: Path) -> None:
    Submissions(tmp_path).submit("alice", bot("a = 1"), NAGA)
    with pytest.raises((ConfigError, StoreError), match=message.replace("bots[0]: s", r"bots\[0\]: s").replace("?", r"\?")):
        config(tmp_path, bots)


def test_without_submissions_a_config_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"nothing is submitted yet .* arena submit BOT"):
        config(tmp_path, ["submitted:all"])


def test_old_results_stay_with_the_old_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store, out = Submissions(tmp_path), ["--out", str(tmp_path)]
    assert main(["submit", str(GREEDY), "--name", "alice", *out]) == 0
    store.submit("chance", read_bot(RANDOM), ())
    config(tmp_path, ["submitted:all"])
    settings = Settings(out=tmp_path, backend=LOCAL, workers=1)
    results = run_tournament(tmp_path / "cup.yaml", settings)
    store.submit("alice", BotFiles("x.py", {"x.py": GREEDY.read_bytes() + b"# better\n"}), NAGA)
    (record, *_) = results.records()
    assert {(seat.bot, seat.bot_version, seat.ending) for seat in record.seats} == {
        ("alice", 1, Ending.PLAYED), ("chance", 1, Ending.PLAYED),
    }  # fmt: skip
    capsys.readouterr()
    assert main(["bots", *out]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[2][:3] == ["alice", "1", "replaced"] and lines[2][5] == "cup" and float(lines[2][3])
    assert lines[3][:6] == ["alice", "2", "not", "played", "-", "-"]
    assert lines[4][:3] == ["chance", "1", "played"]
    again = run_tournament(tmp_path / "cup.yaml", settings)
    assert [(bot.name, bot.version) for bot in again.manifest.bots] == [("alice", 1), ("chance", 1)]


def test_what_may_not_enter_is_not_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = BAD_BOTS / "no_agent.py"
    assert main(["submit", str(bad), "--out", str(tmp_path / "out")]) == 1
    assert capsys.readouterr().out.splitlines()[-1] == "not submitted"
    assert not (tmp_path / "out").exists()


def test_names_and_links_that_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link, capital = tmp_path / "link.py", tmp_path / "Capital.py"
    link.symlink_to(GREEDY)
    capital.write_bytes(GREEDY.read_bytes())
    for words, message in (
        ([str(GREEDY), "--name", "all"], "submitted:all means all bots"),
        ([str(capital)], "--name gives it another name: a name is"),
        ([str(link)], "a link; give the bot itself"),
    ):
        assert main(["submit", *words, "--out", str(tmp_path / "out")]) == 2
        assert message in capsys.readouterr().err


def folder_bot(folder: Path) -> Path:
    folder.mkdir()
    (folder / "__init__.py").write_text("x = 1")
    return folder


def test_a_bot_is_plain_files_of_its_own(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("secret")
    linked = folder_bot(tmp_path / "linked")
    (linked / "data.txt").symlink_to(secret)
    with pytest.raises(BotError, match=r"data.txt: a link"):
        read_bot(linked)
    nested = folder_bot(tmp_path / "nested")
    (nested / "sub").symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(BotError, match=r"sub: a link"):
        read_bot(nested)
    piped = folder_bot(tmp_path / "piped")
    os.mkfifo(piped / "pipe")
    with pytest.raises(BotError, match="pipe: not a plain file"):
        read_bot(piped)
    os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(BotError, match=r"pipe.py: not a plain file"):
        read_bot(tmp_path / "pipe.py")
    odd = folder_bot(tmp_path / "odd")
    (odd / "a\nb.txt").write_text("x")
    with pytest.raises(BotError, match="is no name for a bot's file"):
        read_bot(odd)


def test_too_much_is_refused_with_its_size_before_it_is_read(tmp_path: Path) -> None:
    heavy = folder_bot(tmp_path / "heavy")
    with (heavy / "weights.npz").open("wb") as file:
        file.truncate((64 << 20) + (1 << 20))  # sparse
    with pytest.raises(BotError, match=r"65.0 MiB of files; a bot may have 64 MiB"):
        read_bot(heavy)
    single = tmp_path / "single.py"
    with single.open("wb") as file:
        file.truncate(65 << 20)
    with pytest.raises(BotError, match=r"65.0 MiB"):
        read_bot(single)


def test_many_at_once_get_versions_of_their_own(tmp_path: Path) -> None:
    store, found = Submissions(tmp_path), []
    start = threading.Barrier(8)

    def submit(number: int) -> None:
        start.wait()
        found.append(store.submit("alice", bot(f"a = {number % 4}"), NAGA))

    threads = [threading.Thread(target=submit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(kept.version for kept, is_new in found if is_new) == [1, 2, 3, 4]
    assert [version.version for version in store.versions("alice")] == [1, 2, 3, 4]
    assert len({version.sha256 for version in store.versions("alice")}) == 4


@pytest.mark.parametrize("step", ["_write", "_store"])
def test_a_crash_in_the_middle_leaves_the_store_whole(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Submissions(tmp_path)
    kept, _ = store.submit("alice", bot("a = 1"), NAGA)

    class Crash(BaseException):
        pass

    def crash(*_: object) -> None:
        (store.folder / "content" / ".new-half").mkdir()
        raise Crash

    with monkeypatch.context() as broken:
        broken.setattr(Submissions, step, crash)
        with pytest.raises(Crash):
            store.submit("alice", bot("a = 2"), NAGA)
    assert store.versions("alice") == [kept] and store.find("submitted:all") == [kept]
    second, is_new = store.submit("alice", bot("a = 2"), NAGA)
    assert is_new and second.version == 2 and store.files(second).files == {"alice.py": b"a = 2"}
    assert not list(store.folder.rglob(".new-*"))


def test_damaged_files_are_refused_and_mended_by_submitting_again(tmp_path: Path) -> None:
    store = Submissions(tmp_path)
    kept, _ = store.submit("alice", bot("a = 1"), NAGA)
    (store.folder / "content" / kept.sha256 / "alice.py").write_text("a = 3")
    with pytest.raises(StoreError, match="damaged: these are not the files"):
        store.files(kept)
    assert store.submit("alice", bot("a = 1"), NAGA) == (kept, False)
    assert store.files(kept).files == {"alice.py": b"a = 1"}
    (store.folder / "versions" / "alice" / "1.json").write_text("{}")
    with pytest.raises(StoreError, match=r"1.json: damaged or not ours"):
        store.versions("alice")


def test_no_tournament_may_take_the_folder_of_the_submissions(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(yaml.safe_dump({"name": "submissions", "games": [{"game": "naga", "seats": 2}], "bots": [str(GREEDY)]}))
    with pytest.raises(ConfigError, match="is the folder of the submitted bots"):
        read_config(path, tmp_path)
