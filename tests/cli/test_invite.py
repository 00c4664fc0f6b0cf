"""`arena invite`: links for a list of names, all or none, with and without a server on the folder."""

import json
from pathlib import Path

import pytest

from arena.cli.main import USER_ERROR, main
from arena.results.accounts import Accounts
from arena.results.site_file import SITE_FILE, Role, SiteFile

URL = "https://arena.example.org"


def invited(folder: Path, text: str | bytes, *words: str) -> int:
    file = folder / "names.txt"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return main(["invite", str(file), "--out", str(folder), "--url", URL, *words])


def test_each_name_gets_a_link_that_works_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server = Accounts(SiteFile(tmp_path))  # of a server that runs on the folder
    assert server.members() == []
    text = "\ufeffAya\r\n\n# the class of 2026\nベン  # sits in front\n"
    assert invited(tmp_path, text, "--format", "json", "--role", "guest") == 0
    first, second = json.loads(capsys.readouterr().out)
    assert [(one["name"], one["role"], one["new"]) for one in (first, second)] == [
        ("Aya", "guest", True),
        ("ベン", "guest", True),
    ]
    assert first["link"].startswith(f"{URL}/invite#")
    code = first["link"].partition("#")[2]
    joined = server.join(code)
    assert joined is not None and joined.account.role is Role.GUEST and server.join(code) is None
    assert {(row.who, row.what, row.about) for row in server.audit()} == {
        ("terminal", "invite", "Aya"),
        ("terminal", "invite", "ベン"),
        ("Aya", "sign_in", "Aya"),
    }


def test_a_known_name_keeps_its_role_and_its_token_until_the_new_link_is_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    accounts = Accounts(SiteFile(tmp_path))
    before = accounts.join(accounts.invite("test", ["Aya"], Role.ORGANISER)[0].code)
    assert invited(tmp_path, "aya", "--format", "json") == 0
    said = capsys.readouterr()
    (link,) = json.loads(said.out)
    assert (link["name"], link["role"], link["new"]) == ("Aya", "organiser", False) and "keeps its role" in said.err
    assert before is not None and [one.account for one in accounts.members()] == [before.account]


@pytest.mark.parametrize("is_there", [False, True])
def test_a_list_with_mistakes_invites_nobody_and_tells_all_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], is_there: bool
) -> None:
    if is_there:
        accounts = Accounts(SiteFile(tmp_path))
        (ben,) = accounts.invite("test", ["Ben"])
        accounts.close("test", ben.account)
    text = "Aya\n" + "x" * 25 + "\n#\na\u202eb\n\u0410\u0443\u0430\n0rganiser\nTerminal\nBen\n"
    assert invited(tmp_path, text) == USER_ERROR
    said = capsys.readouterr()
    assert said.out == "" and "Traceback" not in said.err
    lines = [line.split("line ")[1].split(":")[0] for line in said.err.splitlines() if "| line" in line]
    assert lines == ["2", "4", "5", "7", *(["8"] if is_there else [])]
    assert Accounts(SiteFile(tmp_path)).find("Aya") is None
    assert is_there or not (tmp_path / SITE_FILE).exists()


@pytest.mark.parametrize(
    ("text", "words", "why"),
    [
        ("", (), "no name in the list"),
        (b"\xff\xfe", (), "UTF-8"),
        (b"x\n" * 600_000, (), "longer than"),
        ("\n".join(f"n{number}" for number in range(1001)), (), "more than 1000"),
        ("Aya", ("--url", "arena.example.org"), "no address of a server"),
        ("Aya", ("--url", "https://a b"), "no address of a server"),
        ("Aya", ("--url", "https://x/server"), "no address of a server"),
        ("Aya", ("--role", "king"), "king"),
    ],
)
def test_what_is_wrong_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str | bytes, words: tuple[str, ...], why: str
) -> None:
    assert invited(tmp_path, text, *words) == USER_ERROR
    said = capsys.readouterr().err
    assert why in said and "Traceback" not in said
    assert not (tmp_path / SITE_FILE).exists()


def test_a_file_that_is_none_of_ours_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / SITE_FILE
    path.parent.mkdir()
    path.write_bytes(b"no database at all, but long enough to be looked at" * 20)
    before = path.read_bytes()
    assert invited(tmp_path, "Aya") == USER_ERROR
    assert "cannot be used" in capsys.readouterr().err and path.read_bytes() == before
