"""A server that is asked through a proxy: whoever is not answered hears of the proxy, but not of its password."""

import pytest

from arena.cli.shared.remote_server import RemoteServer, Unreachable
from arena.server.joining.address import ServerAddress

SERVER = ServerAddress(url="http://server.example:8080", token="x")


def failed(monkeypatch: pytest.MonkeyPatch, **variables: str) -> str:
    for name in ("http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    server = RemoteServer(SERVER)

    def refuse(*_: object, **__: object) -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    monkeypatch.setattr("arena.cli.shared.remote_server._OPENER.open", refuse)
    with pytest.raises(Unreachable) as caught:
        server.get("/me", dict)
    return str(caught.value)


def test_the_proxy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    said = failed(monkeypatch, http_proxy="http://user:secret@proxy:9")
    assert "through the proxy proxy:9, which http_proxy names: add server.example to no_proxy" in said and "secret" not in said


def test_no_proxy_is_named_where_none_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "proxy" not in failed(monkeypatch)
    assert "proxy" not in failed(monkeypatch, http_proxy="http://proxy:9", no_proxy="server.example")
    assert "proxy" not in failed(monkeypatch, https_proxy="http://proxy:9")
