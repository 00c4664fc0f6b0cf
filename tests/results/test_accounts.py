"""Accounts in the site's file: secrets that work once, sessions, names, the audit log, older files and broken ones."""

import contextlib
from pathlib import Path

import pytest

from arena.errors import StoreError
from arena.results import sqlite
from arena.results.accounts import MOST_SESSIONS, MOST_TOKENS, Accounts, CannotInvite, Joined, Kind
from arena.results.people import folded_name
from arena.results.site_file import SITE_FILE, NameTaken, Role, SiteFile, StoredPerson, digest, new_token, now


@pytest.fixture
def file(tmp_path: Path) -> SiteFile:
    return SiteFile(tmp_path)


@pytest.fixture
def accounts(file: SiteFile) -> Accounts:
    return Accounts(file)


def joined(accounts: Accounts, name: str, role: Role = Role.AUTHOR) -> Joined:
    found = accounts.join(accounts.invite("test", [name], role)[0].code)
    assert found is not None
    return found


def person(name: str) -> StoredPerson:
    return StoredPerson(id=new_token(), name=name, folded=folded_name(name), secret=digest(new_token()), since=now())


def test_a_link_works_once_and_a_newer_one_ends_it(accounts: Accounts) -> None:
    first, second = (accounts.invite("test", ["Aya"])[0].code for _ in range(2))
    assert accounts.join(first) is None
    assert accounts.join(second) is not None and accounts.join(second) is None


def test_a_new_link_replaces_the_token_when_it_is_used(accounts: Accounts) -> None:
    aya = joined(accounts, "Aya")
    api = accounts.make_api_token(aya.account, "laptop")
    assert api is not None
    (again,) = accounts.invite("test", ["AYA"], Role.GUEST)
    assert again.account == aya.account and not again.is_new
    assert accounts.of_token(digest(aya.token), Kind.PERSON) == aya.account == accounts.of_session(digest(aya.session))
    other = accounts.join(again.code)
    assert other is not None and accounts.of_token(digest(other.token), Kind.PERSON) == aya.account
    assert accounts.of_token(digest(aya.token), Kind.PERSON) is None and accounts.of_session(digest(aya.session)) is None
    assert accounts.of_token(digest(api), Kind.API) == aya.account


def test_a_new_personal_token_ends_all_other_sessions(accounts: Accounts) -> None:
    aya = joined(accounts, "Aya")
    other = accounts.open_session(aya.account)
    token = accounts.replace_token(aya.account, digest(aya.session))
    assert accounts.of_session(digest(aya.session)) and not accounts.of_session(digest(other))
    assert accounts.of_token(digest(token), Kind.PERSON) and not accounts.of_token(digest(aya.token), Kind.PERSON)
    ben = joined(accounts, "Ben")
    accounts.replace_token(aya.account, digest(ben.session))
    assert accounts.sessions(aya.account) == [], "a session of somebody else is not kept for Aya"
    assert accounts.of_session(digest(ben.session)) == ben.account


def test_sessions_and_tokens_are_bounded(accounts: Accounts) -> None:
    aya = joined(accounts, "Aya").account
    sessions = [accounts.open_session(aya) for _ in range(MOST_SESSIONS + 3)]
    assert len(accounts.sessions(aya)) == MOST_SESSIONS and accounts.of_session(digest(sessions[-1]))
    made = [accounts.make_api_token(aya, f"{number}") for number in range(MOST_TOKENS + 1)]
    assert None not in made[:-1] and made[-1] is None
    (first, *_) = accounts.api_tokens(aya)
    ben = joined(accounts, "Ben").account
    assert not accounts.end_api_token(ben, first.id) and accounts.end_api_token(aya, first.id)
    assert accounts.make_api_token(aya, "again") is not None


def test_an_idle_session_ends(accounts: Accounts, file: SiteFile) -> None:
    aya = joined(accounts, "Aya")
    with file.writing() as db:
        db.execute("update sessions set seen = '2020-01-01T00:00:00+00:00'")
    accounts.open_session(aya.account)
    assert accounts.of_session(digest(aya.session)) is None


@pytest.mark.parametrize("name", ["aya", "ＡＹＡ", "\u0410\u0443\u0430", "a\u0443a", "Ауа"])
def test_nobody_takes_the_name_of_an_account_or_one_that_looks_like_it(accounts: Accounts, file: SiteFile, name: str) -> None:
    aya = joined(accounts, "Aya").account
    assert file.is_taken(folded_name(name)) and not file.is_taken(folded_name(name), aya.id)
    with pytest.raises(NameTaken):
        file.add(person(name))
    if folded_name(name) != aya.folded:
        with pytest.raises(CannotInvite, match="alike"):
            accounts.invite("test", [name])


@pytest.mark.parametrize("name", ["Organiser", "terminal", "\u0442ermin\u0430l", "ＯＲＧＡＮＩＳＥＲ"])
def test_nobody_is_called_as_the_server_calls_itself(accounts: Accounts, name: str) -> None:
    with pytest.raises(CannotInvite, match="reserved"):
        accounts.invite("test", ["Ben", name])
    assert accounts.members() == []


def test_an_account_gets_its_name_from_whoever_took_it_before(accounts: Accounts, file: SiteFile) -> None:
    squatter, other = person("\u0410ya"), person("Zoe")
    file.add(squatter)
    file.add(other)
    aya = accounts.invite("test", ["Aya"])[0].account
    found = file.person(squatter.secret)
    assert found is not None and found.id == squatter.id and found.name.startswith("guest-")
    assert file.person(other.secret) == other
    with pytest.raises(NameTaken):
        file.rename(found, squatter.name, squatter.folded)
    assert not file.is_taken("aya", aya.id)


def test_nothing_is_kept_of_a_list_that_is_refused(accounts: Accounts, file: SiteFile) -> None:
    squatter = person("Ben")
    file.add(squatter)
    (cleo,) = accounts.invite("test", ["Cleo"])
    accounts.close("test", cleo.account)
    rows = accounts.audit()
    with pytest.raises(CannotInvite) as refused:
        accounts.invite("test", ["Aya", "Ben", "Cleo", "aya"])
    assert [name for name, _ in refused.value.names] == ["Cleo", "aya"]
    accounts.invite("test", [])
    assert accounts.audit() == rows and accounts.find("Aya") is None and file.person(squatter.secret) == squatter


def test_the_audit_log_is_read_page_by_page_and_only_grows(accounts: Accounts) -> None:
    for number in range(7):
        accounts.log("test", "act", f"{number}", "x" * 5000)
    first = accounts.audit(most=4)
    second = accounts.audit(first[-1].number, 4)
    assert [row.about for row in (*first, *second)] == ["6", "5", "4", "3", "2", "1", "0"]
    assert max(len(row.details) for row in first) == 2000
    olga = joined(accounts, "Olga", Role.ORGANISER).account
    ben = joined(accounts, "Ben").account
    accounts.change_role(olga, ben, Role.GUEST)
    accounts.close(olga, ben)
    accounts.reopen(olga, ben)
    acts = [(row.who, row.what, row.about, row.details) for row in accounts.audit(most=3)]
    assert acts == [("Olga", "reopen", "Ben", ""), ("Olga", "close", "Ben", ""), ("Olga", "role", "Ben", "author to guest")]


def test_a_file_of_the_version_before_gets_the_new_tables_and_keeps_its_people(tmp_path: Path) -> None:
    path = tmp_path / SITE_FILE
    path.parent.mkdir()
    db = sqlite.opened(path, "rwc", is_shared=False)
    db.executescript(
        "create table people (id text primary key, name text not null, folded text not null, secret text not null unique, "
        "since text not null) without rowid; create table names (folded text primary key, person text not null) without rowid; "
        "insert into people values ('1', 'Aya', 'aya', 's', '2026'); insert into names values ('aya', '1'); "
        "pragma user_version = 1;"
    )
    db.close()
    file = SiteFile(tmp_path)
    assert Accounts(file).members() == []
    found = file.person("s")
    assert found is not None and (found.id, found.name) == ("1", "Aya")
    ben = joined(Accounts(file), "Ben")
    file.close()
    again = SiteFile(tmp_path)
    assert again.person("s") == found and Accounts(again).of_session(digest(ben.session)) == ben.account
    assert joined(Accounts(again), "Aya").account.name == "Aya"


def test_a_full_disk_is_said_and_changes_nothing(accounts: Accounts, file: SiteFile) -> None:
    aya = joined(accounts, "Aya")
    with file.reading() as db:
        assert db is not None
        (pages,) = db.execute("pragma page_count").fetchone()
        db.execute(f"pragma max_page_count = {pages}")
    invited = 0
    with pytest.raises(StoreError, match="the disk is full"):
        for number in range(500):
            accounts.invite("test", [f"n{number}" for number in range(number, number + 20)])
            invited = number + 20
    assert len(accounts.members()) == 1 + invited
    assert accounts.of_session(digest(aya.session)) == aya.account
    accounts.note_use(digest(aya.session))  # nobody is kept out for it


def test_a_damaged_row_is_an_error_and_nobodys_account(accounts: Accounts, file: SiteFile) -> None:
    aya = joined(accounts, "Aya")
    with file.writing() as db:
        db.execute("update accounts set role = 'emperor'")
    for ask in (lambda: accounts.of_session(digest(aya.session)), accounts.members, lambda: accounts.find("Aya")):
        with pytest.raises(StoreError, match="damaged"):
            ask()


def test_two_processes_do_not_use_one_link_twice(tmp_path: Path) -> None:
    first, second = Accounts(SiteFile(tmp_path)), Accounts(SiteFile(tmp_path))
    code = first.invite("test", ["Aya"])[0].code
    with contextlib.ExitStack() as patched:
        patch = patched.enter_context(pytest.MonkeyPatch.context())
        real = Accounts.of_token

        def slow(self: Accounts, name: str, *kinds: Kind) -> object:
            found = real(self, name, *kinds)
            patch.setattr(Accounts, "of_token", real)
            assert second.join(code) is not None  # between the look and the use
            return found

        patch.setattr(Accounts, "of_token", slow)
        assert first.join(code) is None
    assert len(first.sessions(first.members()[0].account)) == 1
