"""The names that people play under, and that a person is known again: by another server, too."""

from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.results import sqlite
from arena.results.site_file import SITE_FILE, SiteFile
from arena.server.problems import Problem
from arena.server.visitors import Persons, checked_person_name, folded_name


@pytest.mark.parametrize(
    ("offered", "shown"),
    [
        ("Aya", "Aya"), ("  two   words ", "two words"), ("さくら", "さくら"), ("か\u3099", "が"), ("é" * 24, "é" * 24),
        ("全角\u3000空白", "全角 空白"), ("ที่นี่", "ที่นี่"),
    ],
)  # fmt: skip
def test_a_name_is_kept_as_it_is_seen(offered: str, shown: str) -> None:
    assert checked_person_name(offered) == shown


@pytest.mark.parametrize(
    "offered",
    [
        "", "   ", "x" * 25, "a\nb\x00", "a\x1b[2J", "a\u202eb", "a\u200bb", "\ufeffa", "\u3164", "a\ufe0f",
        "\u0301a", "\u0489a", "a" + "\u0335" * 4, "a\ud800", "\u2066a",
    ],
)  # fmt: skip
def test_a_name_that_nobody_could_tell_or_read_is_refused(offered: str) -> None:
    with pytest.raises(Problem) as refused:
        checked_person_name(offered)
    assert refused.value.status == 400


def test_a_person_survives_the_server_and_only_the_hash_of_the_secret_is_kept(tmp_path: Path) -> None:
    file = SiteFile(tmp_path)
    aya, secret = Persons(file).named(None, "Aya")
    assert secret is not None and file.person(aya.secret) == aya
    file.close()
    again = Persons(SiteFile(tmp_path))
    assert again.known(secret) == aya
    assert again.known("x" + secret) is None and again.known("") is None and again.known(None) is None
    assert secret.encode() not in (tmp_path / SITE_FILE).read_bytes()


def test_a_name_belongs_to_one_person_however_it_is_written(tmp_path: Path) -> None:
    persons = Persons(SiteFile(tmp_path))
    aya, secret = persons.named(None, "Aya")
    for name in ("Aya", "AYA", "ＡＹＡ", " aya "):
        with pytest.raises(Problem) as refused:
            persons.named(None, name)
        assert refused.value.status == 409
    assert persons.named(aya, "aYa")[0].name == "aYa"  # the same person may write it otherwise
    ben, _ = persons.named(persons.known(secret), "Ben")
    assert persons.known(secret) == ben and ben.id == aya.id
    with pytest.raises(Problem):
        persons.named(None, "Aya")  # matches bear it, so nobody else gets it
    assert persons.named(ben, "Aya")[0].name == "Aya"
    assert folded_name("Straße") == folded_name("STRASSE")
    assert persons.free_name().startswith("guest-")


def test_a_file_that_is_none_of_ours_lets_nobody_in_and_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / SITE_FILE
    path.parent.mkdir()
    db = sqlite.opened(path, "rwc", is_shared=False)
    db.executescript("create table x (y); create view people as select 1; pragma user_version = 1;")
    db.close()
    before = path.read_bytes()
    persons = Persons(SiteFile(tmp_path))
    assert persons.known("anything") is None and persons.free_name()
    with pytest.raises(Problem, match="refusal_no_names") as refused:
        persons.named(None, "Aya")
    assert refused.value.status == 503 and str(tmp_path) not in refused.value.message
    path.write_bytes(b"no database at all, but long enough to be looked at" * 20)
    with pytest.raises(StoreError, match="cannot be used"):
        SiteFile(tmp_path).is_taken("aya")
    assert before
