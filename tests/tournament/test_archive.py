"""The archive: it only grows, what is in it does not depend on the order in which it came, nothing counts twice."""

import errno
import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from arena.cli.main import USER_ERROR, main
from arena.errors import StoreError
from arena.ratings.models import STORED
from arena.ratings.stored import COLUMNS, stored_pools
from arena.records import MatchRecord
from arena.results import parquet, schema
from arena.results.manifest import BotEntry, read_manifest, write_manifest
from arena.results.schema import Row
from arena.tournament.archive import adding, boards
from arena.tournament.archive import rows as archive_rows
from arena.tournament.archive.adding import add_to_archive, rate_archive
from arena.tournament.archive.folder import Entry, entries, is_rated
from arena.tournament.archive.names import Pool, bot_names
from arena.tournament.archive.rows import counted, read_rows
from arena.tournament.run import run_tournament
from arena.tournament.session import Settings
from helpers.archive import board, cup, gather, three
from helpers.newer_columns import LONGER, write_longer
from helpers.paths import HOUSE_BOTS
from helpers.results import make_manifest


def test_the_order_of_adding_does_not_matter(tmp_path: Path) -> None:
    for folder in (tmp_path / "one", tmp_path / "other"):
        names = three(folder)
        gather(folder, *(names if folder.name == "one" else names[::-1]))
    assert board(tmp_path / "one" / "archive") == board(tmp_path / "other" / "archive")


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
    rate_archive(place, lambda text: None)
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
    assert add_to_archive(place, tmp_path / spring) is None
    (tmp_path / spring).rename(tmp_path / "spring.1")  # set aside by --fresh
    assert add_to_archive(place, tmp_path / "spring.1") is None
    assert is_rated(place) and board(place) == stored


@pytest.mark.parametrize("leave", [Path.unlink, lambda file: (file.unlink(), file.touch())], ids=["no files", "empty files"])
@pytest.mark.parametrize("lost", ["*", schema.MATCHES.file])
def test_an_entry_that_lost_its_files_is_filled_again(lost: str, leave: Callable[[Path], object], tmp_path: Path) -> None:
    spring, *_ = three(tmp_path)
    place = gather(tmp_path, spring)
    stored = board(place)
    for file in list(entries(place)[0].folder.glob(lost)):
        leave(file)
    assert (entries(place) == []) == (lost == "*")
    assert board(gather(tmp_path, spring)) == stored


def test_one_tournament_has_its_own_ratings(tmp_path: Path) -> None:
    cup(tmp_path, "spring", 5, 1)
    own = parquet.read_ratings(tmp_path / "spring")
    ratings = parquet.read_ratings(gather(tmp_path, "spring"))
    found = [replace(rating, pool="naga" if rating.pool == "naga/2" else rating.pool) for rating in ratings]
    for model in STORED:  # whichever comes first in the file
        assert [one for one in found if one.model == model] == [one for one in own if one.model == model] != []
    assert len(found) == len(own)


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
    assert main(["leaderboard", "archive", *out]) == 0
    shown = capsys.readouterr().out
    assert "bob@bbbbbb" in shown and "bob@cccccc" in shown and "alice@" not in shown
    assert shown.startswith("archive: 64 matches; tournaments: 3;")
    assert main(["leaderboard", "archive", "--history", "bob", *out]) == 0
    assert "bob@bbbbbb" in (text := capsys.readouterr().out) and "bob@cccccc" in text
    assert main(["leaderboard", "archive", "--history", "bob@cccccc", *out]) == 0
    assert "bob@bbbbbb" not in capsys.readouterr().out
    assert main(["rerate", "archive", "--without", "bob", *out]) == 0
    assert "0 of 64 matches, without bob@bbbbbb, bob@cccccc" in " ".join(capsys.readouterr().out.split())
    assert main(["leaderboard", "archive", "--explain", "bo", *out]) == USER_ERROR
    assert "no such bot in archive" in capsys.readouterr().err


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
    found = {rating.pool: rating.matches for rating in parquet.read_ratings(tmp_path / "archive") if rating.bot == "alice"}
    pools = {"whist/2": 48, "whist/2/deck=short,trumps=true": 24, "whist/2/rules=2": 24}
    assert found == {**pools, "overall": 96}


def test_options_that_are_the_defaults_are_not_told() -> None:
    from arena import games
    from arena.records import canonical_json

    game = games.load("nanatoridori")
    defaults = canonical_json(game.resolve_options({}, 2))
    assert Pool("nanatoridori", 2, defaults, 1).name == "nanatoridori/2"
    options = canonical_json(game.resolve_options({"variant": "advanced"}, 3))
    assert Pool("nanatoridori", 3, options, 1).name.startswith("nanatoridori/3/variant=advanced")


def test_only_what_is_over_and_whole_enters(tmp_path: Path) -> None:
    cup(tmp_path, "spring", 5, 1)
    folder, place = tmp_path / "spring", tmp_path / "archive"
    manifest = read_manifest(folder)
    for changed, message in (
        (replace(manifest, finished=False), "not finished; only what is over enters the archive"),
        (replace(manifest, played=23), "tells of 23 matches, matches.parquet has 24"),
        (replace(manifest, started="yesterday"), "'yesterday' is no ISO 8601 time"),
    ):
        write_manifest(folder, changed)
        with pytest.raises(StoreError, match=message):
            add_to_archive(place, folder)
    write_manifest(folder, manifest)
    data = (folder / "matches.parquet").read_bytes()
    (folder / "matches.parquet").unlink()
    (folder / "matches.parquet").write_bytes(data[:-40])
    with pytest.raises(StoreError, match=r"matches\.parquet: damaged"):
        add_to_archive(place, folder)
    assert not any((place / "tournaments").iterdir())


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(errno.ENOSPC, "No space left on device")])
def test_an_interrupted_adding_leaves_the_archive_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    spring, summer, _ = three(tmp_path)
    place = gather(tmp_path, spring)
    stored = board(place)

    def broken(path: Path) -> None:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(adding, "sync", broken)
        with pytest.raises((KeyboardInterrupt, StoreError)):
            add_to_archive(place, tmp_path / summer)
    (place / "tournaments" / ".new-left-by-a-crash").mkdir()
    shutil.copy(tmp_path / summer / "manifest.json", place / "tournaments" / ".new-left-by-a-crash")
    assert len(entries(place)) == 1
    assert is_rated(place) and board(place) == stored
    assert add_to_archive(place, tmp_path / summer) is not None


def test_two_that_end_at_once_do_not_hurt_each_other(tmp_path: Path) -> None:
    names = three(tmp_path)
    place = tmp_path / "archive"
    added: list[Entry | None] = []

    def end(name: str) -> None:
        added.append(add_to_archive(place, tmp_path / name))
        rate_archive(place, lambda text: None)

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


def test_a_tournament_enters_at_its_end(tmp_path: Path) -> None:
    config = tmp_path / "mini.yaml"
    bot = HOUSE_BOTS / "random_bot.py"
    config.write_text(
        f"name: mini\nseed: 5\ngames: [{{game: naga, seats: 2, deals: 2}}]\nbots:\n"
        f"  - {{path: {bot}, trusted: true}}\n  - {{path: {bot}, name: other, trusted: true}}\n"
    )
    settings = Settings(out=tmp_path / "out", backend="local", workers=1)
    first = run_tournament(config, settings)
    place = tmp_path / "out" / "archive"
    assert len(entries(place)) == 1
    again = run_tournament(config, settings)  # goes on, with nothing to play
    assert again.manifest.started == first.manifest.started
    assert len(entries(place)) == 1
    run_tournament(config, Settings(out=tmp_path / "out", backend="local", workers=1, fresh=True, seed=6))
    assert len(entries(place)) == 2
    rate_archive(place, lambda text: None)
    assert read_manifest(place).played == 8


def test_the_archive_mixes_older_and_newer_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cup(tmp_path, "older", 1, 1)
    newer = cup(tmp_path, "newer", 2, 2, matches=6)
    write_longer(tmp_path / "newer", newer, mood="merry", energy=0.0, pauses=3, friend=None)
    for module in (parquet, archive_rows):
        monkeypatch.setattr(module, "MATCHES", LONGER)
    place = gather(tmp_path, "older", "newer")
    found = boards.read_columns(place, ("mood", "pauses", "place"))
    assert [found.texts["mood"].values[code] for code in found.texts["mood"].codes] == ["calm"] * 48 + ["merry"] * 12
    assert found.numbers["pauses"].tolist() == [-1] * 48 + [3] * 12
    assert {rating.matches for rating in parquet.read_ratings(place)} == {30}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"score": 7.0}, "not those whose results_sha256"), ({"place": 2}, "not those whose results_sha256"),
        ({"bot": "mallory"}, "has no such bot: 'mallory'"), ({"bot_sha256": "f" * 64}, "has no such bot: 'alice'"),
        ({"place": -1}, "damaged.*place: -1"), ({"score": float("nan")}, "damaged.*score: not a number"),
        ({"cpu_ms_total": float("inf")}, "damaged.*cpu_ms_total"), ({"unit": -1}, "damaged.*unit: -1"),
    ],
    ids=str,
)  # fmt: skip
def test_rows_that_do_not_fit_their_hash_do_not_enter(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    records = cup(tmp_path, "spring", 5, 1)
    spoilt = [seat.bot for seat in records[7].seats].index("alice" if "bot_sha256" in changes else records[7].seats[0].bot)
    seats = [replace(seat, **changes) if place == spoilt else seat for place, seat in enumerate(records[7].seats)]
    if changes == {"place": 2}:
        seats = [replace(seat, place=3 - seat.place) for seat in records[7].seats]
    records[7] = replace(records[7], seats=tuple(seats))
    parquet.write_matches(tmp_path / "spring", records)
    with pytest.raises(StoreError, match=message):
        add_to_archive(tmp_path / "archive", tmp_path / "spring")
    assert not any((tmp_path / "archive" / "tournaments").iterdir())


def test_a_seat_that_there_is_not_does_not_enter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor would a board read it."""
    records, honest = cup(tmp_path, "spring", 5, 1), schema.match_rows

    def numbered_from_below(record: MatchRecord, tournament: str) -> list[Row]:
        return [row | {"seat": row["seat"] - 1} for row in honest(record, tournament)]

    with monkeypatch.context() as patch:
        patch.setattr(schema, "match_rows", numbered_from_below)
        parquet.write_matches(tmp_path / "spring", records)
    with pytest.raises(StoreError, match=r"matches\.parquet: damaged.*seat: -1; the least is 0"):
        add_to_archive(tmp_path / "archive", tmp_path / "spring")
    with pytest.raises(StoreError, match=r"matches\.parquet: damaged.*seat: -1"):
        parquet.read_columns(tmp_path / "spring", ("index", "seat"))
