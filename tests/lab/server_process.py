"""A server in a process of its own, as `arena serve` runs it, but for the number of requests that an address may make."""

import contextlib
import gzip
import http.client
import os
import secrets
import subprocess
import sys
import urllib.parse
from collections.abc import Iterator
from http.cookies import SimpleCookie
from pathlib import Path
from typing import Any

import msgspec

TABS = 8
"""Sockets that a session may have."""
_MANY = 1e6  # requests a second: all visitors of a bench have one address


class Server:
    """A server that runs."""

    def __init__(self, port: int, token: str, process: int) -> None:
        self.port, self._token, self._process = port, token, process

    def logged_in(self) -> str:
        """The cookie of a new session, as a browser sends it."""
        answer, _ = self._ask("POST", "/login", urllib.parse.urlencode({"token": self._token}), {})
        (morsel,) = SimpleCookie(answer.getheader("set-cookie", "")).values()
        return f"{morsel.key}={morsel.value}"

    def get(self, path: str) -> tuple[bytes, bytes]:
        """The answer at an address, as it is sent and as it is read. Raises ValueError for any status but 200."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept-Encoding": "gzip"}
        answer, sent = self._ask("GET", path, None, headers)
        if answer.status != http.HTTPStatus.OK:
            raise ValueError(f"{path}: status {answer.status}")
        return sent, gzip.decompress(sent) if answer.getheader("content-encoding") == "gzip" else sent

    def json(self, path: str) -> Any:
        """The JSON at an address."""
        return msgspec.json.decode(self.get(path)[1])

    def opened_table(self, opening: dict[str, Any], cookie: str) -> tuple[str, str]:
        """Open a live table; its id, and the cookies of the person who sits there. Raises ValueError if the server refuses."""
        headers = {"Cookie": cookie, "Origin": self._origin, "Content-Type": "application/json"}
        answer, sent = self._ask("POST", "/api/tables", msgspec.json.encode(opening).decode(), headers)
        if answer.status != http.HTTPStatus.CREATED:
            raise ValueError(f"no table of {opening['game']}: status {answer.status}")
        new = SimpleCookie(answer.getheader("set-cookie", "")).values()
        return msgspec.json.decode(sent)["table"], "; ".join([cookie, *(f"{morsel.key}={morsel.value}" for morsel in new)])

    def left_table(self, table: str, cookie: str) -> None:
        """Leave a live table."""
        self._ask("POST", f"/tables/{table}/leave", "", {"Cookie": cookie, "Origin": self._origin})

    @property
    def _origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def memory_mb(self) -> float:
        """Resident memory, in MB; nan where the system does not tell."""
        try:
            status = Path(f"/proc/{self._process}/status").read_text()
        except OSError:
            return float("nan")
        return int(status.partition("VmRSS:")[2].split()[0]) / 1e3

    def cpu_seconds(self) -> float:
        """CPU time that the process has used, all threads together; nan where the system does not tell."""
        try:
            fields = Path(f"/proc/{self._process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return float("nan")
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def _ask(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> tuple[http.client.HTTPResponse, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer, answer.read()
        finally:
            connection.close()


@contextlib.contextmanager
def open_server(out: Path) -> Iterator[Server]:
    """The server of a results folder."""
    token = secrets.token_urlsafe(32)
    command = [sys.executable, "-P", __file__, str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(f"{token}\n")
        process.stdin.flush()
        try:
            yield Server(int(process.stdout.readline()), token, process.pid)
        finally:
            process.terminate()


def _serve(out: Path, token: str) -> None:
    from arena.server.app import application  # only now: it needs the extra `web`, and who opens a server does not
    from arena.server.guard import Rules
    from arena.server.limits import Rate
    from arena.server.server import listener, run

    with listener("127.0.0.1", 0) as place:
        many = Rate(_MANY, int(_MANY))
        app = application(out, token=token, rules=Rules(requests=many, strangers=many))
        print(place.getsockname()[1], flush=True)
        run(app, place)


if __name__ == "__main__":
    _serve(Path(sys.argv[1]), sys.stdin.readline().strip())
