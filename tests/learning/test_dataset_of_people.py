"""`arena export people`: matches of people who all agreed, in which nothing says who they are."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pyarrow.parquet as pq
import pytest

from arena.cli.main import main
from arena.cli.shared.exit_codes import DONE, USER_ERROR
from arena.learning.dataset.people import NOBODY
from arena.records import MatchRecord
from arena.results.accounts import Accounts
from arena.results.people import ASKED
from arena.results.site_file import Account, SiteFile
from arena.server.people.store import NO_FILES, REMOTE_SEAT, keep
from helpers.people_matches import people_match

Kept = tuple[MatchRecord, bytes]


class Site:
    """A results folder with accounts of Zoe and Quentin, and people's matches."""

    def __init__(self, out: Path) -> None:
        self.out, self.file = out, SiteFile(out)
        self.accounts = Accounts(self.file)
        self.zoe, self.quentin = (self.invited(name) for name in ("Zoe", "Quentin"))

    def invited(self, name: str) -> Account:
        return self.accounts.invite("test", [name])[0].account

    def agree(self, *accounts: Account) -> None:
        for account in accounts:
            self.accounts.consents.give(account)

    def keep(self, kept: Kept, **changes: Any) -> str:
        """Keep a match under an id of its own, which is returned."""
        record, key = kept
        match_id = hashlib.sha256(repr((record.match_id, sorted(changes))).encode()).hexdigest()[:24]
        return keep(self.out, msgspec.structs.replace(record, match_id=match_id, **changes), key).match_id

    def export(self, target: Path, *options: str) -> int:
        return main(["export", "people", "--to", str(target), "--out", str(self.out), *options])


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path / "results")
    yield found
    found.file.close()


@pytest.fixture(scope="module")
def of_both() -> Kept:
    """A match of Zoe and Quentin, with a bot called like Zoe, which so has a number behind its name."""
    record, key = people_match("yaniv", "Zoe:casual", "Quentin:casual", "casual", seed=5)
    seats = [msgspec.structs.replace(row, bot="Zoe-2") if row.bot == "casual" else row for row in record.seats]
    return msgspec.structs.replace(record, notes=("seat 0: Zoe went away",), seats=tuple(seats)), key


@pytest.fixture(scope="module")
def of_zoe() -> Kept:
    return people_match("naga", "Zoe:casual", "casual", seed=6)


def with_seats(kept: Kept, **changes: Any) -> tuple[Any, ...]:
    """The seats of a match, the last one changed."""
    *others, last = kept[0].seats
    return (*others, msgspec.structs.replace(last, **changes))


def rows(dataset: Path) -> list[dict[str, Any]]:
    return [row for file in sorted(dataset.glob("*/decisions-*.parquet")) for row in pq.read_table(file).to_pylist()]


def all_text(dataset: Path) -> str:
    """Whatever can be read in a dataset: its files, and the columns of those that are packed."""
    raw = [path.read_bytes().decode("latin-1") for path in sorted(dataset.rglob("*")) if path.is_file()]
    return "\n".join([*raw, *map(repr, rows(dataset))])


def test_nothing_is_exported_before_somebody_agrees(
    site: Site, of_zoe: Kept, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    site.keep(of_zoe)
    assert site.export(tmp_path / "data") == USER_ERROR and not (tmp_path / "data").exists()
    said = " ".join(capsys.readouterr().err.split())
    assert "people: no match to export from" in said and "for want of consent: 1 matches" in said


def test_a_shared_match_needs_the_consent_of_both(site: Site, of_both: Kept, of_zoe: Kept, tmp_path: Path) -> None:
    site.keep(of_both)
    site.keep(of_zoe)
    site.agree(site.zoe)
    assert site.export(tmp_path / "one") == DONE
    assert {row["seats"] for row in rows(tmp_path / "one")} == {2}
    assert "Left out for want of consent: 1 matches" in (tmp_path / "one" / "README.md").read_text()
    site.agree(site.quentin)
    assert site.export(tmp_path / "both") == DONE
    assert {row["seats"] for row in rows(tmp_path / "both")} == {2, 3}
    site.accounts.consents.withdraw(site.quentin)
    assert site.export(tmp_path / "less") == DONE
    assert rows(tmp_path / "less") == rows(tmp_path / "one")


def test_nothing_in_a_dataset_leads_back_to_who_played(site: Site, of_both: Kept, tmp_path: Path) -> None:
    match_id = site.keep(of_both, rotation=1, ended=1_700_000_000)
    site.agree(site.zoe, site.quentin)
    options = ["--trajectories"] if has_openspiel() else []
    assert site.export(tmp_path / "data", "--action-features", *options) == DONE
    found = all_text(tmp_path / "data")
    ids = (match_id, of_both[0].match_id, of_both[1].hex(), site.zoe.id, site.quentin.id)
    for told in ("Zoe-", "Quentin", "quentin", "1700000000", *ids):
        assert told not in found, told
    people = [row for row in rows(tmp_path / "data") if row["bot"] == NOBODY]
    kept = of_both[0].seats
    assert len(people) == kept[0].decisions + kept[1].decisions
    of_person = {(row["bot_version"], row["bot_sha256"], row["params"], row["ticks"]) for row in people}
    of_match = {(row["match_id"], row["deal"], row["rotation"], row["tournament"]) for row in people}
    assert of_person == {(1, NO_FILES, "{}", None)} and of_match == {("0" * 24, 0, 0, "people")}


def test_a_row_is_what_the_person_knew_and_chose(site: Site, of_both: Kept, tmp_path: Path) -> None:
    """The same match with the same cards: what was logged is what is chosen."""
    site.keep(of_both)
    site.agree(site.zoe, site.quentin)
    assert site.export(tmp_path / "data") == DONE
    ordered = sorted(rows(tmp_path / "data"), key=lambda row: row["decision"])
    assert [row["legal"][row["chosen"]] for row in ordered] == list(of_both[0].actions)
    places = {row["seat"]: row["place"] for row in ordered}
    assert [places[seat] for seat in range(3)] == [seat.place for seat in of_both[0].seats]


def test_matches_with_the_same_cards_have_the_same_deal(site: Site, of_zoe: Kept, of_both: Kept, tmp_path: Path) -> None:
    site.keep(of_zoe)
    site.keep(of_zoe, attempts=2)
    site.keep(of_both)
    site.agree(site.zoe, site.quentin)
    assert site.export(tmp_path / "data") == DONE
    found = {(row["match_id"], row["seats"], row["deal"]) for row in rows(tmp_path / "data")}
    assert len(found) == 3 and {len({deal for _, seats, deal in found if seats == some}) for some in (2, 3)} == {1}
    assert len({deal for _, _, deal in found}) == 2


def test_a_guest_who_had_the_name_before_is_somebody_else(site: Site, of_zoe: Kept, tmp_path: Path) -> None:
    site.keep(of_zoe)
    site.agree(site.zoe)
    with site.file.writing() as db:
        db.execute("update accounts set since = '2999-01-01T00:00:00+00:00'")
    assert site.export(tmp_path / "data") == USER_ERROR


@pytest.mark.parametrize("kind", ["guest", "remote", "asked", "other rules"])
def test_other_matches_stay_where_they_are(site: Site, of_zoe: Kept, kind: str, tmp_path: Path) -> None:
    changes: dict[str, dict[str, Any]] = {
        "guest": {"seats": with_seats(of_zoe, bot="Stranger", bot_sha256=NO_FILES, isolation="person")},
        "remote": {"seats": with_seats(of_zoe, bot="Quentin/fox", isolation=REMOTE_SEAT)},
        "asked": {"pool": f"{ASKED}/naga"},
        "other rules": {"rules_version": of_zoe[0].rules_version + 1},
    }
    site.keep(of_zoe, **changes[kind])
    site.agree(site.zoe, site.quentin)
    assert site.export(tmp_path / "data") == USER_ERROR


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--bot", "Zoe"], "--bot Zoe: no such bot in these matches"),
        (["--game", "nertz"], "--game nertz: no such game or pool in these matches"),
        (["duel"], "leave the other names out"),
        (["--workers", "2"], "--workers 2: people's matches are written by one process"),
    ],
)
def test_what_does_not_fit_is_refused(
    site: Site, of_zoe: Kept, tmp_path: Path, options: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    site.keep(of_zoe)
    site.agree(site.zoe)
    assert site.export(tmp_path / "data", *options) == USER_ERROR
    assert said in " ".join(capsys.readouterr().err.split()) and not (tmp_path / "data").exists()


def has_openspiel() -> bool:
    from importlib.util import find_spec

    return find_spec("pyspiel") is not None
