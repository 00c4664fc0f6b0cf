"""Files that pages load: only those that were listed, for ever under the hash of their content, compressed."""

import gzip
import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from arena.games import names
from arena.reports.pages.assets import table_files
from arena.server.assets import Assets
from helpers.server import TOKEN, server

INLINE = re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)|<style|\sstyle=|\son\w+=|javascript:")


@pytest.fixture(scope="module")
def assets() -> Assets:
    return Assets()


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    with server(tmp_path_factory.mktemp("results"), logged_in=False) as found:
        yield found


def test_every_file_is_served_for_ever_and_compressed(client: TestClient, assets: Assets) -> None:
    for name in assets.names():
        plain = client.get(assets.url(name), headers={"accept-encoding": "identity"})
        zipped = client.get(assets.url(name), headers={"accept-encoding": "gzip"})
        assert plain.status_code == 200 and plain.content == zipped.content
        assert zipped.headers["content-encoding"] == "gzip" and "content-encoding" not in plain.headers
        assert "immutable" in plain.headers["cache-control"]
        assert "accept-encoding" in zipped.headers["vary"].lower()
        assert int(zipped.headers["content-length"]) == len(gzip.compress(plain.content, 9, mtime=0))


def test_what_every_table_needs_is_there(assets: Assets) -> None:
    for game in names():
        if table_files(game):
            assert {f"{game}/table.js", f"{game}/table.css", f"words/{game}.js"} <= set(assets.names())
    assert {"kit.js", "kit.css", "live.js", "login.js", "words/page.js"} <= set(assets.names())


def test_no_other_file_and_no_other_hash_is_served(client: TestClient, assets: Assets) -> None:
    url = assets.url("kit.js")
    digest = url.split("/")[2]
    for address in (
        url.replace(digest, "0" * 16), f"/static/{digest}/kit.css", f"/static/{digest}/../app.py",
        f"/static/{digest}/%2e%2e/app.py", f"/static/{digest}/%2fetc%2fpasswd", f"/static/{digest}/kit.js%00",
        f"/static/{digest}/", "/static/", "/static//etc/passwd",
    ):  # fmt: skip
        assert client.get(address).status_code == 404, address


def test_a_page_asks_for_nothing_outside_and_has_nothing_inline(client: TestClient) -> None:
    client.post("/login", data={"token": TOKEN})
    for address in ("/", "/rules", "/rules/naga", "/tv", "/login", "/t/none"):
        text = client.get(address).text
        loaded = re.findall(r'<(?:script|link|img)\b[^>]*(?:src|href)="([^"]*)"', text)
        feeds = set(re.findall(r'<link rel="alternate"[^>]*href="([^"]*)"', text))
        assert loaded and all(target.startswith("/static/") for target in set(loaded) - feeds), address
        assert all(client.get(target).status_code == 200 for target in set(loaded))
        assert not re.search(r"<script(?![^>]*\bsrc=)(?![^>]*application/json)|<style|\sstyle=|\son\w+=|javascript:", text), (
            address
        )
