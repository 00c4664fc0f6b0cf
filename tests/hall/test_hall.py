"""The lasting hall: it only grows, what is in it does not depend on the order in which it came, nothing counts twice."""

import errno
import hashlib
import os
import random
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.analysis.history import history
from arena.cli.main import USER_ERROR, main
from arena.errors import ConfigError, StoreError
from arena.hall import adding, boards
from arena.hall import rows as hall_rows
from arena.hall.adding import add_to_hall
from arena.hall.finding import find_match
from arena.hall.folder import Entry, entries, is_rated
from arena.hall.names import bot_names
from arena.hall.pools import Pool
from arena.hall.ratings import rate_hall
from arena.hall.rows import counted, read_rows
from arena.ratings.models import MODELS
from arena.ratings.settings import RatingSettings
from arena.ratings.standings import Standings
from arena.ratings.stored import COLUMNS, stored_pools
from arena.records import Ending, FaultRecord, MatchRecord
from arena.store import parquet
from arena.store.manifest import BotEntry, read_manifest, write_manifest
from arena.tournament.run import run_tournament
from arena.tournament.session import Settings
from helpers.newer_columns import LONGER, write_longer
from helpers.paths import HOUSE_BOTS
from helpers.records import make_record, make_seat, numbered
from helpers.results import make_manifest

OLD = {"alice": "a" * 64, "bob": "b" * 64}
NEW = {**OLD, "bob": "c" * 64}


def cup(
    out: Path, name: str, day: int, seed: int, *, bots: dict[str, str] = OLD, matches: int = 24, key: str = "", **match: Any
) -> list[MatchRecord]:
    """A finished tournament of two seats, as its run would leave it; `key`: the commitment, by default its own."""
    source = random.Random(seed)
    records = []
    for number in range(matches):
        order = list(bots) if number % 2 else list(bots)[::-1]
        winner = source.choice(order)
        seats = tuple(
            make_seat(bot, 1 if bot == winner else 2, unit=seat, bot_sha256=bots[bot], score=float(bot == winner))
            for seat, bot in enumerate(order)
        )
        table = {"options": "{}", "rules_version": 1} | match
        records.append(make_record(0, seats, deal=number // 2, rotation=number % 2, **table))
    commitment = key or hashlib.sha256(name.encode()).hexdigest()
    ids = [hashlib.sha256(f"{commitment}{bots}{number}".encode()).hexdigest()[:24] for number in range(matches)]
    records = [replace(record, match_id=match_id) for record, match_id in zip(numbered(records), ids)]
    if len(records) > 3:
        records[3] = replace(records[3], faults=(FaultRecord(seat=1, decision=2, ending=Ending.CRASH, reason=name),))
    folder = out / name
    folder.mkdir(parents=True)
    parquet.write_matches(folder, records)
    pool = records[0].pool if records else "naga"
    standings = Standings(RatingSettings(), {pool: [(bot, 1) for bot in bots]})
    for record in records:
        standings.add(record)
    parquet.write_ratings(folder, standings.ratings(MODELS))
    parquet.write_history(folder, history(standings.pools(), RatingSettings()))
    parquet.write_totals(folder)
    entry = {"game": "naga", "pool": pool, "options": {}, "seats": 2}
    manifest = make_manifest(
        name=name, started=f"2026-11-{day:02}T12:00:00+00:00", commitment=commitment, key="00" * 32,
        results_sha256=hashlib.sha256(repr(records).encode()).hexdigest(), matches=matches, played=matches, void=0,
        config={"entries": [entry]}, pools=(pool,), endings={"played": 2 * matches},
        bots=tuple(
            BotEntry(name=bot, version=1, sha256=sha256, params="{}", games=("naga",), trusted=True)
            for bot, sha256 in bots.items()
        ),
    )  # fmt: skip
    write_manifest(folder, manifest)
    return records


def gather(out: Path, *names: str) -> Path:
    """The hall with these tournaments, rated."""
    for name in names:
        assert add_to_hall(out / "hall", out / name) is not None
    rate_hall(out / "hall", lambda text: None)
    return out / "hall"


def board(folder: Path) -> object:
    return (
        read_manifest(folder), parquet.read_ratings(folder), parquet.read_history(folder), parquet.read_totals(folder),
    )  # fmt: skip


def three(out: Path) -> tuple[str, str, str]:
    """The second has matches of the first; the third came first, with another bob."""
    cup(out, "spring", 5, 1, key="d" * 64)
    cup(out, "summer", 6, 2, key="d" * 64, matches=40)
    cup(out, "winter", 1, 3, bots=NEW)
    return "spring", "summer", "winter"


def test_the_order_of_adding_does_not_matter(tmp_path: Path) -> None:
    for folder in (tmp_path / "one", tmp_path / "other"):
        names = three(folder)
        gather(folder, *(names if folder.name == "one" else names[::-1]))
    assert board(tmp_path / "one" / "hall") == board(tmp_path / "other" / "hall")


def test_a_board_that_grew_is_that_of_all_at_once(tmp_path: Path) -> None:
    names = three(tmp_path)
    for name in names:
        grown = gather(tmp_path, name)
    shutil.move(grown, tmp_path / "grown")
    assert board(gather(tmp_path, *names)) == board(tmp_path / "grown")


def test_one_that_is_taken_out_leaves_no_trace(tmp_path: Path) -> None:
    spring, summer, winter = three(tmp_path)
    place = gather(tmp_path, spring, winter)
    without = board(place)
    gather(tmp_path, summer)
    assert board(place) != without
    shutil.rmtree(entries(place)[2].folder)
    rate_hall(place, lambda text: None)
    assert board(place) == without


def test_what_is_there_is_never_written_again(tmp_path: Path) -> None:
    spring, summer, winter = three(tmp_path)
    place = gather(tmp_path, spring, winter)
    files = sorted((place / "tournaments").rglob("*.*"))
    before = [(path, path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()) for path in files if path.is_file()]
    gather(tmp_path, summer)
    assert [(path, path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()) for path, *_ in before] == before
    assert len(before) == 10


def test_the_same_one_twice_adds_nothing(tmp_path: Path) -> None:
    spring, *_ = three(tmp_path)
    place = gather(tmp_path, spring)
    stored = board(place)
    assert add_to_hall(place, tmp_path / spring) is None
    (tmp_path / spring).rename(tmp_path / "spring.1")  # set aside by --fresh
    assert add_to_hall(place, tmp_path / "spring.1") is None
    assert is_rated(place) and board(place) == stored


def test_one_tournament_has_its_own_ratings(tmp_path: Path) -> None:
    cup(tmp_path, "spring", 5, 1)
    own = parquet.read_ratings(tmp_path / "spring")
    ratings = parquet.read_ratings(gather(tmp_path, "spring"))
    assert [replace(rating, pool="naga" if rating.pool == "naga/2" else rating.pool) for rating in ratings] == own


def test_a_match_counts_once(tmp_path: Path) -> None:
    spring, summer, _ = three(tmp_path)
    place = gather(tmp_path, spring, summer)
    assert [(part.stored, part.rows) for part in counted(entries(place))] == [(48, 48), (80, 32)]
    assert read_manifest(place).played == 40
    rows = read_rows(entries(place), COLUMNS)
    ids = boards.read_match_ids(place, range(80))
    assert len(set(ids.values())) == 40
    stored = [record.match_id for record in parquet.read_matches(tmp_path / summer)]
    assert [ids[row] for row in range(0, 80, 2)] == stored
    winners = [record.seats[0].place for record in parquet.read_matches(tmp_path / spring)]
    assert rows.columns.numbers["place"][:48:2].tolist() == winners


def test_cards_of_other_keys_are_other_cards(tmp_path: Path) -> None:
    spring, summer, winter = three(tmp_path)
    cup(tmp_path, "autumn", 7, 4)
    pools = stored_pools(boards.read_columns(gather(tmp_path, spring, summer, "autumn"), COLUMNS), {})
    deals = pools["naga/2"].deals
    assert len(set(deals.tolist())) == 20 + 12  # spring's deals are among summer's
    del winter


def test_bots_that_differ_are_entries_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gather(tmp_path, *three(tmp_path))
    out = ("--out", str(tmp_path))
    assert main(["leaderboard", "hall", *out]) == 0
    shown = capsys.readouterr().out
    assert "bob@bbbbbb" in shown and "bob@cccccc" in shown and "alice@" not in shown
    assert shown.startswith("hall: 64 matches; tournaments: 3;")
    assert main(["leaderboard", "hall", "--history", "bob", *out]) == 0
    assert "bob@bbbbbb" in (text := capsys.readouterr().out) and "bob@cccccc" in text
    assert main(["leaderboard", "hall", "--history", "bob@cccccc", *out]) == 0
    assert "bob@bbbbbb" not in capsys.readouterr().out
    assert main(["rerate", "hall", "--without", "bob", *out]) == 0
    assert "0 of 64 matches, without bob@bbbbbb, bob@cccccc" in capsys.readouterr().out
    assert main(["leaderboard", "hall", "--explain", "bo", *out]) == USER_ERROR
    assert "no such bot in hall" in capsys.readouterr().err


def test_parameters_make_another_bot_too() -> None:
    def names(*variants: tuple[str, str]) -> list[str]:
        bots = tuple(
            BotEntry(name="bob", version=1, sha256=sha256, params=params, games=(), trusted=True) for sha256, params in variants
        )
        entries = [Entry(Path(), make_manifest(bots=(bot,))) for bot in bots]
        return [bot_names(entries)["bob", 1, *variant] for variant in variants]

    assert names(("aa" * 32, "{}"), ("aa" * 32, "{}")) == ["bob", "bob"]
    assert names(("aa" * 32, '{"n":1}'), ("aa" * 32, '{"n":2}')) == ['bob{"n":1}', 'bob{"n":2}']
    assert names(("aa" * 32, '{"n":1}'), ("aa" * 32, '{"n":2}'), ("bb" * 32, "{}")) == [
        'bob@aaaaaa{"n":1}', 'bob@aaaaaa{"n":2}', "bob@bbbbbb",
    ]  # fmt: skip
    assert names(("ab" * 32, "{}"), ("ab" * 4 + "cc" * 28, "{}")) == ["bob@ababababa", "bob@ababababc"]


def test_a_pool_is_a_table_whatever_its_label(tmp_path: Path) -> None:
    cup(tmp_path, "one", 1, 1, pool="duel", game="whist")
    cup(tmp_path, "two", 2, 2, pool="other", game="whist")
    cup(tmp_path, "three", 3, 3, pool="duel", game="whist", options='{"deck":"short","trumps":true}')
    cup(tmp_path, "four", 4, 4, pool="duel", game="whist", rules_version=2)
    gather(tmp_path, "one", "two", "three", "four")
    found = {rating.pool: rating.matches for rating in parquet.read_ratings(tmp_path / "hall") if rating.bot == "alice"}
    pools = {"whist/2": 48, "whist/2/deck=short,trumps=true": 24, "whist/2/rules=2": 24}
    assert found == {**pools, "overall": 96}


def test_options_that_are_the_defaults_are_not_told() -> None:
    from arena import games
    from arena.records import canonical_json

    room = games.load("nanatoridori")
    defaults = canonical_json(room.resolve_options({}, 2))
    assert Pool("nanatoridori", 2, defaults, 1).name == "nanatoridori/2"
    options = canonical_json(room.resolve_options({"variant": "advanced"}, 3))
    assert Pool("nanatoridori", 3, options, 1).name.startswith("nanatoridori/3/variant=advanced")


def test_only_what_is_over_and_whole_enters(tmp_path: Path) -> None:
    cup(tmp_path, "spring", 5, 1)
    folder, place = tmp_path / "spring", tmp_path / "hall"
    manifest = read_manifest(folder)
    for changed, message in (
        (replace(manifest, finished=False), "not finished; only what is over enters the hall"),
        (replace(manifest, played=23), "tells of 23 matches, matches.parquet has 24"),
        (replace(manifest, started="yesterday"), "'yesterday' is no ISO 8601 time"),
    ):
        write_manifest(folder, changed)
        with pytest.raises(StoreError, match=message):
            add_to_hall(place, folder)
    write_manifest(folder, manifest)
    data = (folder / "matches.parquet").read_bytes()
    (folder / "matches.parquet").unlink()
    (folder / "matches.parquet").write_bytes(data[:-40])
    with pytest.raises(StoreError, match=r"matches\.parquet: damaged"):
        add_to_hall(place, folder)
    assert not any((place / "tournaments").iterdir())


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_an_interrupted_adding_leaves_the_hall_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    spring, summer, _ = three(tmp_path)
    place = gather(tmp_path, spring)
    stored = board(place)

    def broken(path: Path) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(adding, "_sync", broken)
        with pytest.raises((KeyboardInterrupt, StoreError)):
            add_to_hall(place, tmp_path / summer)
    (place / "tournaments" / ".new-left-by-a-crash").mkdir()
    shutil.copy(tmp_path / summer / "manifest.json", place / "tournaments" / ".new-left-by-a-crash")
    assert len(entries(place)) == 1
    assert is_rated(place) and board(place) == stored
    assert add_to_hall(place, tmp_path / summer) is not None


def test_two_that_end_at_once_do_not_hurt_each_other(tmp_path: Path) -> None:
    names = three(tmp_path)
    place = tmp_path / "hall"
    added: list[Entry | None] = []

    def end(name: str) -> None:
        added.append(add_to_hall(place, tmp_path / name))
        rate_hall(place, lambda text: None)

    threads = [threading.Thread(target=end, args=(name,)) for name in names * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(entry is not None for entry in added) == len(entries(place)) == 3
    assert is_rated(place)
    assert {path.name for path in place.iterdir() if not path.is_dir()} == {
        "manifest.json", "ratings.parquet", "history.parquet", "totals.parquet", "lock",
    }  # fmt: skip
    stored = board(place)
    shutil.rmtree(place)
    assert board(gather(tmp_path, *names)) == stored


def test_where_files_cannot_be_linked_they_are_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def other_file_system(*_: object) -> None:
        raise OSError(errno.EXDEV, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", other_file_system)
    cup(tmp_path, "spring", 5, 1)
    place = gather(tmp_path, "spring")
    assert list(parquet.read_matches(entries(place)[0].folder)) == list(parquet.read_matches(tmp_path / "spring"))


def test_the_hall_outlasts_its_tournaments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spring, summer, _ = three(tmp_path)
    place = gather(tmp_path, spring)
    wanted = next(parquet.read_matches(tmp_path / spring))
    shutil.rmtree(tmp_path / spring)
    gather(tmp_path, summer)
    assert find_match(tmp_path, wanted.match_id) == (wanted, bytes(32))
    assert main(["rerate", "hall", "--format", "json", "--out", str(tmp_path)]) == 0
    headline = [rating for rating in parquet.read_ratings(place) if rating.model == "trueskill"]
    assert capsys.readouterr().out.count('"pool"') == len(headline)
    with pytest.raises(StoreError, match=rf"not found in {tmp_path} \(searched: summer, winter, hall\)"):
        find_match(tmp_path, "0" * 24)


def test_why_a_match_cannot_be_replayed_is_told(tmp_path: Path) -> None:
    wanted = cup(tmp_path, "spring", 5, 1)[0].match_id
    manifest = read_manifest(tmp_path / "spring")
    for key, message in (
        (None, "the key of the deals is not public yet"),
        ("0x", "damaged or not ours: pairs of hex digits are needed - at `\\$.key`"),
    ):
        write_manifest(tmp_path / "spring", replace(manifest, key=key))
        with pytest.raises(StoreError, match=message):
            find_match(tmp_path, wanted)
    (tmp_path / "spring" / "matches.parquet").write_bytes(b"")
    with pytest.raises(StoreError, match=r"searched: spring\); .*/spring/matches\.parquet: damaged"):
        find_match(tmp_path, wanted)


def test_the_hall_is_rated_when_it_is_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(tmp_path))
    for name in three(tmp_path):
        add_to_hall(tmp_path / "hall", tmp_path / name)
    assert main(["leaderboard", "hall", *out]) == 0
    assert "rating the hall anew: 64 matches, tournaments: 3" in capsys.readouterr().err
    assert main(["leaderboard", "hall", "--game", "naga", "--format", "csv", *out]) == 0
    captured = capsys.readouterr()
    assert captured.err == "" and "\nnaga/2,1,alice," in captured.out
    for words in (["--head-to-head"], ["--explain", "alice"], ["--model", "trueskill-batch"], ["--format", "md"]):
        assert main(["leaderboard", "hall", *words, *out]) == 0
        assert "bob@bbbbbb" in capsys.readouterr().out
    assert main(["leaderboard", "hall", "--explain", "alice", *out]) == 0
    worst = capsys.readouterr().out.split()
    ids = {record.match_id for name in ("spring", "summer", "winter") for record in parquet.read_matches(tmp_path / name)}
    assert len(ids & set(worst)) >= 5


def test_the_faults_of_what_counts_are_found_beside_their_rows(tmp_path: Path) -> None:
    """Summer's was in a match that spring has too."""
    gather(tmp_path, *three(tmp_path))
    columns = boards.read_columns(tmp_path / "hall", ("seat", "bot"))
    found = boards.locate_faults(tmp_path / "hall")
    assert [place.fault.reason for place in found] == ["winter", "spring"]
    bots = columns.texts["bot"]
    assert [(bots.values[bots.codes[place.row]], int(columns.numbers["seat"][place.row])) for place in found] == [
        (place.fault.bot, 1) for place in found
    ]


def test_the_hall_has_a_report(tmp_path: Path) -> None:
    gather(tmp_path, *three(tmp_path))
    assert main(["report", "hall", "--results", str(tmp_path)]) == 0
    page = (tmp_path / "hall" / "report.html").read_text()
    assert all(name in page for name in ("bob@bbbbbb", "bob@cccccc", "naga/2", "-winter-", "-spring-", "-summer-"))
    assert "None" not in page


def test_gathering_by_hand(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(tmp_path))
    assert main(["hall", *out]) == USER_ERROR
    assert "no finished tournament there" in capsys.readouterr().err
    three(tmp_path)
    write_manifest(tmp_path / "winter", replace(read_manifest(tmp_path / "winter"), finished=False))
    (tmp_path / "odd").mkdir()
    (tmp_path / "odd" / "manifest.json").write_text("{}")
    assert main(["hall", *out]) == 0
    captured = capsys.readouterr()
    assert [line for line in captured.out.splitlines() if ": added" in line] == ["spring: added", "summer: added"]
    assert "winter: not finished; it enters the hall when it ends" in captured.out
    assert "odd: not added" in captured.err and "damaged or not ours" in captured.err
    assert "tournaments: 2; rows that count: 80" in captured.out
    cup(tmp_path / "elsewhere", "guest", 9, 9)
    assert main(["hall", str(tmp_path / "elsewhere" / "guest"), *out]) == 0
    assert "guest: added" in capsys.readouterr().out
    assert main(["hall", str(tmp_path / "winter"), *out]) == USER_ERROR


def test_what_the_hall_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = ("--out", str(tmp_path))
    assert main(["leaderboard", "hall", *out]) == USER_ERROR
    assert "the hall is empty" in capsys.readouterr().err
    gather(tmp_path, *three(tmp_path))
    assert main(["verify-results", "hall", *out]) == USER_ERROR
    assert "audit each of them" in capsys.readouterr().err
    assert main(["status", "hall", *out]) == USER_ERROR
    assert "`arena hall` lists them" in capsys.readouterr().err
    assert main(["leaderboard", *out]) == 0
    assert capsys.readouterr().out.startswith("winter:")
    with pytest.raises(ConfigError, match="'hall' is the name of the lasting hall"):
        run_tournament(Path("configs/duel.yaml"), Settings(out=tmp_path, backend="local", name="hall"))
    shutil.rmtree(tmp_path / "hall")
    cup(tmp_path, "hall", 1, 1)
    assert main(["leaderboard", "hall", *out]) == USER_ERROR
    assert "rename its folder" in capsys.readouterr().err


def test_since(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")  # parallel test processes have their own idea of it
    gather(tmp_path, *three(tmp_path))
    out = ("--out", str(tmp_path))
    assert main(["rerate", "hall", "--since", "2026-11-05T13:00+01:00", *out]) == 0
    shown = " ".join(capsys.readouterr().out.split())  # lines end where the screen does
    assert "40 of 64 matches, of tournaments that started at 2026-11-05T13:00:00+01:00 or later" in shown
    assert "bob@bbbbbb" in shown and "cccccc" not in shown
    assert main(["rerate", "hall", "--since", "2026-11-06", *out]) == 0  # summer alone, with all its matches
    assert "40 of 64 matches" in capsys.readouterr().out
    for words, message in (
        (
            ["hall", "--since", "2026-11-07"],
            "no tournament of the hall started since then; the newest: 2026-11-06 12:00:00+00:00",
        ),
        (
            ["spring", "--since", "2026-11-06"],
            "spring started before that, at 2026-11-05T12:00:00+00:00, and its matches have no",
        ),
        (["hall", "--since", "last week"], "--since last week: a date like 2026-11-21, or a time like"),
    ):
        assert main(["rerate", *words, *out]) == USER_ERROR
        assert message in capsys.readouterr().err
    assert main(["rerate", "spring", "--since", "2026-11-05", "--format", "json", *out]) == 0
    everything = capsys.readouterr().out
    assert main(["rerate", "spring", "--format", "json", *out]) == 0
    assert capsys.readouterr().out == everything


def test_damage_in_the_hall_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = gather(tmp_path, *three(tmp_path))
    path = entries(place)[1].folder / "matches.parquet"
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    for words in (["rerate", "hall"], ["leaderboard", "hall", "--head-to-head"], ["hall"]):
        assert main([*words, "--out", str(tmp_path)]) == USER_ERROR
        error = capsys.readouterr().err
        assert f"{path}: damaged or not a Parquet file" in error and len(error.splitlines()) == 1
    assert main(["leaderboard", "hall", "--out", str(tmp_path)]) == 0  # from what is stored


@pytest.mark.usefixtures("in_this_process")
def test_a_tournament_enters_at_its_end(tmp_path: Path) -> None:
    config = tmp_path / "mini.yaml"
    bot = HOUSE_BOTS / "random_bot.py"
    config.write_text(
        f"name: mini\nseed: 5\ngames: [{{game: naga, seats: 2, deals: 2}}]\nbots:\n"
        f"  - {{path: {bot}, trusted: true}}\n  - {{path: {bot}, name: other, trusted: true}}\n"
    )
    settings = Settings(out=tmp_path / "out", backend="local", workers=1)
    first = run_tournament(config, settings)
    place = tmp_path / "out" / "hall"
    assert len(entries(place)) == 1
    again = run_tournament(config, settings)  # goes on, with nothing to play
    assert again.manifest.started == first.manifest.started
    assert len(entries(place)) == 1
    run_tournament(config, Settings(out=tmp_path / "out", backend="local", workers=1, fresh=True, seed=6))
    assert len(entries(place)) == 2
    rate_hall(place, lambda text: None)
    assert read_manifest(place).played == 8


def test_the_hall_mixes_older_and_newer_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cup(tmp_path, "older", 1, 1)
    newer = cup(tmp_path, "newer", 2, 2, matches=6)
    write_longer(tmp_path / "newer", newer, mood="merry", energy=0.0, pauses=3, friend=None)
    for module in (parquet, hall_rows):
        monkeypatch.setattr(module, "MATCHES", LONGER)
    place = gather(tmp_path, "older", "newer")
    found = boards.read_columns(place, ("mood", "pauses", "place"))
    assert [found.texts["mood"].values[code] for code in found.texts["mood"].codes] == ["calm"] * 48 + ["merry"] * 12
    assert found.numbers["pauses"].tolist() == [-1] * 48 + [3] * 12
    assert {rating.matches for rating in parquet.read_ratings(place)} == {30}
