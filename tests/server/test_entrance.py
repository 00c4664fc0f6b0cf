"""Who comes in: accounts by session and by token, at once shut out again, by this server and by another one of the folder."""

import pytest
from starlette.testclient import WebSocketDenialResponse
from starlette.websockets import WebSocketDisconnect

from arena.results.accounts import Accounts, Kind
from arena.results.site_file import Role, SiteFile, digest, new_token
from arena.server.headers import cookie_name
from helpers.members import Members
from helpers.server import HOST, live


def test_sessions_and_tokens_of_accounts_come_in(members: Members) -> None:
    for client in (members.host, members.organiser, members.aya, members.ben, members.gus, members.program("aya")):
        assert client.get("/api").status_code == 200
    assert members.stranger.get("/api").status_code == 401
    browser = members.client()
    assert browser.post("/login", data={"token": members.token("aya")}).headers["location"] == "/"
    assert browser.get("/").status_code == 200


def test_only_hashes_are_kept(members: Members) -> None:
    members.server.accounts.log("test", "nothing", "", "")
    secrets = [members.token("aya"), members.aya.cookies[cookie_name(HOST)]]
    files = list(members.server.site_file.path.parent.iterdir())
    assert len(files) >= 2
    for path in files:
        assert not any(secret.encode() in path.read_bytes() for secret in secrets)


def test_a_closed_account_is_out_at_once_with_all_it_had(members: Members) -> None:
    accounts = members.server.accounts
    joined = accounts.join(members.invited("Cleo"))
    assert joined is not None
    token = accounts.make_api_token(joined.account, "laptop")
    programs = [members.client(), members.client()]
    for client, secret in zip(programs, (joined.token, token)):
        client.headers["authorization"] = f"Bearer {secret}"
        assert client.get("/api").status_code == 200
    with live(programs[1], origin=HOST) as socket:
        accounts.close("test", joined.account)
        assert [client.get("/api").status_code for client in programs] == [401, 401]
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_json()
        assert ended.value.code == 4401
    with pytest.raises(WebSocketDenialResponse), live(programs[1], origin=HOST):
        pass
    assert members.client().post("/login", data={"token": joined.token}).status_code == 403
    accounts.reopen("test", joined.account)
    assert programs[0].get("/api").status_code == 401, "old secrets stay dead"


def test_another_server_of_the_folder_shuts_out_too(members: Members) -> None:
    other = Accounts(SiteFile(members.server.library.out))
    joined = members.server.accounts.join(members.invited("Dan"))
    assert joined is not None
    client = members.client()
    client.headers["authorization"] = f"Bearer {joined.token}"
    assert client.get("/api").status_code == 200
    other.close("test", joined.account)
    members.server.entrance._looked = float("-inf")  # a second later
    assert client.get("/api").status_code == 401


def test_what_is_remembered_needs_no_file(members: Members, monkeypatch: pytest.MonkeyPatch) -> None:
    assert members.aya.get("/api").status_code == 200
    monkeypatch.setattr(members.server.entrance, "_clock", lambda: members.server.entrance._looked)
    monkeypatch.setattr(Accounts, "of_session", None)
    assert members.aya.get("/api").status_code == 200


@pytest.mark.parametrize("kind", [Kind.JOIN, Kind.API])
def test_no_other_secret_opens_a_session(members: Members, kind: Kind) -> None:
    secret = (
        members.invited("Eve") if kind is Kind.JOIN else members.server.accounts.make_api_token(members.account("aya"), "x")
    )
    assert members.client().post("/login", data={"token": secret or ""}).status_code == 403


def test_forged_secrets_are_nobodys(members: Members) -> None:
    code = members.invited("Finn")
    for secret in (code, members.token("aya"), digest(members.token("aya")), new_token(), "' or 1=1 --", "\udcff", "0"):
        client = members.client()
        client.headers["cookie"] = f"{cookie_name(HOST)}={secret.encode('utf-8', 'replace').decode()}"
        assert client.get("/api").status_code == 401, secret
    for secret in (code, members.aya.cookies[cookie_name(HOST)], digest(members.token("aya"))):
        assert members.client().get("/api", headers={"authorization": f"Bearer {secret}"}).status_code == 401


def test_logging_out_ends_the_session_of_an_account(members: Members) -> None:
    browser = members.client()
    browser.post("/login", data={"token": members.token("ben")})
    cookies = dict(browser.cookies)
    assert browser.post("/logout").status_code == 303
    browser.cookies.update(cookies)
    assert browser.get("/api").status_code == 401 and members.ben.get("/api").status_code == 200


def test_a_role_counts_at_once(members: Members) -> None:
    server, gus = members.server, members.account("gus")
    server.accounts.change_role("test", gus, Role.AUTHOR)
    assert members.account("gus").is_author
    server.accounts.change_role("test", members.account("gus"), Role.GUEST)
    assert not members.account("gus").is_author


def test_a_socket_of_a_changed_account_has_to_come_again(members: Members) -> None:
    joined = members.server.accounts.join(members.invited("Hugo"))
    assert joined is not None
    client = members.client()
    client.cookies.set(cookie_name(HOST), joined.session, domain="127.0.0.1", path="/")
    with live(client, origin=HOST) as socket:
        assert members.organiser.post("/admin/role", data={"name": "Hugo", "role": "guest"}).status_code == 303
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_json()
        assert ended.value.code == 1012
    with live(client, origin=HOST) as socket:
        socket.send_json({"watch": "home"})
        assert socket.receive_json()["kind"] == "home"
        assert client.post("/logout").status_code == 303
        with pytest.raises(WebSocketDisconnect) as ended:
            socket.receive_json()
        assert ended.value.code == 4401


def test_secrets_that_nobody_knows_are_looked_up_so_often(members: Members) -> None:
    client = members.client()
    client.headers["cookie"] = f"{cookie_name(HOST)}={new_token()}"
    found = (client.get("/login").status_code for _ in range(600))  # on a busy machine the bucket fills up meanwhile
    assert 429 in found, "the bucket of strangers"
    assert members.aya.get("/api").status_code == 200
