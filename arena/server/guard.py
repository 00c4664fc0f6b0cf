"""What every request passes before any page sees it: Host, length, rate, origin, session. And the headers of every answer.

Plain ASGI, so that sockets pass the same gate; the cheapest questions come first.

Behind a proxy that ends TLS, it is said here what the public address of the server is, and whom to believe about who asks.
"""

import base64
import binascii
import ipaddress
import re
import socket
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from arena.errors import ConfigError
from arena.results.site_file import HOST, digest
from arena.server.entrance import Entrance, Entry, beyond_scope
from arena.server.headers import EMBEDDED, cookie, cookie_name, security_headers
from arena.server.limits import Buckets, Rate
from arena.server.problems import FEED, Problem, answer_of
from arena.server.sign_in.door import ProxyDoor
from arena.server.sign_in.header import FILE, SIGNED_IN, Named
from arena.server.transfer import AT_ONCE, AT_ONCE_OF_ADDRESS, Lanes, in_parts

THIS_MACHINE = ("127.0.0.0/8", "::1", "::ffff:127.0.0.0/104")
"""The addresses that only programs of this machine ask from."""
_USUAL_PORTS = {"https": 443, "http": 80}
_NAME = re.compile(r"(?!-)[a-z0-9.-]{1,253}(?<![.-])")


@dataclass(frozen=True)
class PublicAddress:
    """The address under which a proxy shows the server to everybody."""

    scheme: str
    name: str
    """The host name as browsers send it, in small letters."""
    port: str = ""
    """A colon and the number of the port; empty for the usual one of the scheme."""
    proxies: tuple[str, ...] = THIS_MACHINE
    """Addresses and networks of the proxy, which says for whom it asks; FILE: whoever may open the server's socket."""

    def __str__(self) -> str:
        """The origin of all pages."""
        return f"{self.scheme}://{self.name}{self.port}"


def public_address(text: str, listens_at: str, proxies: Sequence[str] = ()) -> PublicAddress:
    """The address that `--behind-proxy` names, for a server that listens at another one. Raises ConfigError.

    The proxy runs on the same machine: it asks from a loopback address, or from the very address at which the server listens.
    `proxies`: where it asks from, if that is somewhere else.
    """
    try:
        found = urlsplit(text)
        name = (found.hostname or "").encode("idna").decode()
        port = found.port
    except ValueError:  # UnicodeError is one
        found, name, port = urlsplit(""), "", None
    if found.scheme not in _USUAL_PORTS or not _NAME.fullmatch(name) or "@" in found.netloc:
        raise ConfigError(
            f"--behind-proxy {text}: no address; name the one that browsers see, such as https://arena.example.org"
        )
    if found.path not in ("", "/") or found.query or found.fragment:
        raise ConfigError(
            f"--behind-proxy {text}: the server needs a host name of its own, not a path; such as {found.scheme}://{found.netloc}"
        )
    is_usual = port in (None, _USUAL_PORTS[found.scheme])
    return PublicAddress(found.scheme, name, "" if is_usual else f":{port}", tuple(proxies) or (*THIS_MACHINE, listens_at))


class BehindProxy:
    """Around the application: who asks, and by which scheme, as the proxy tells it. Nobody else is believed."""

    def __init__(self, app: ASGIApp, public: PublicAddress) -> None:
        self._app, self._public, self._is_at_file = app, public, FILE in public.proxies
        self._believing = ProxyHeadersMiddleware(self._with_scheme, list(public.proxies))  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on."""
        if self._is_at_file and scope["type"] != "lifespan" and scope.get("client") is None:  # a file has no addresses
            scope["client"] = (FILE, 0)
        await self._believing(scope, receive, send)  # type: ignore[arg-type]

    async def _with_scheme(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Under its public name the server has its public scheme, even if the proxy forgets to say so: cookies depend on it."""
        if scope["type"] != "lifespan" and self._is_public(Headers(scope=scope).get("host", "")):
            scope["scheme"] = self._public.scheme.replace("http", "ws") if scope["type"] == "websocket" else self._public.scheme
        await self._app(scope, receive, send)

    def _is_public(self, host: str) -> bool:
        return host.lower().partition(":")[0] == self._public.name


REQUESTS = Rate(a_second=100.0, burst=600)
"""How many requests an address may make: a page is some ten of them, the first time."""
STRANGERS = Rate(a_second=5.0, burst=60)
"""How many of them it may make without a session: to log in, and for what is embedded. Files are not counted."""
LONGEST_ADDRESS = 2000
"""Bytes of path and query; no address of the server is nearly as long."""
TOO_MANY, GUESTS = "refusal_too_many", "refusal_guest"
FILES = "/static/"
PUBLIC = (FILES, EMBEDDED)
"""How the paths begin that a page elsewhere may load."""
OPEN = (*PUBLIC, "/login", "/favicon.ico", "/join/", "/api/join/", "/invite")
"""How the paths begin that need no session."""
SIGN_OUT = "/logout"
"""How the path begins that whoever a proxy names may ask for, also without an account: to be somebody else."""
FOR_GUESTS = tuple(f"{before}{path}" for path in ("/tables/", "/m/", "/rules", "/learn/") for before in ("", "/api"))
"""How the other paths begin that a guest may ask for; of a table and a match it must be one of the guest's own."""
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[^\[\]:@/?#%\\\s]+)(?::\d{1,5})?")


@dataclass(frozen=True)
class Rules:
    """Which requests are answered: their Host names, and how many an address may make."""

    names: Collection[str] = ("localhost",)
    """Host names under which the server is reached, besides addresses."""
    any_address: bool = False
    """Whether any IP address is right as Host, not only loopback ones: a name that was rebound is never an address."""
    requests: Rate = field(default=REQUESTS)
    strangers: Rate = field(default=STRANGERS)
    public: PublicAddress | None = None
    """The address under which a proxy shows the server; None: there is no proxy, and headers of proxies mean nothing."""

    def is_host(self, host: str) -> bool:
        """Return whether a Host header names the server. The port is not looked at: it may be forwarded."""
        found = _HOST.fullmatch(host)
        if found is None:
            return False
        name = found[1].lower()
        if name in self.names:
            return True
        try:
            address = ipaddress.ip_address(name.strip("[]"))
        except ValueError:
            return False
        return self.any_address or address.is_loopback

    def is_origin(self, origin: str, host: str) -> bool:
        """Return whether pages of this origin are those of the server, for a request with this Host header."""
        name = origin.partition("://")[2]
        is_public = self.public is not None and host.partition(":")[0].lower() == self.public.name
        return origin == str(self.public) if is_public else name == host


def rules_for(host: str, public: PublicAddress | None = None) -> Rules:
    """The rules of a server that listens on this host; `public`: behind a proxy with this address."""
    if public is not None:
        return Rules({"localhost", public.name}, public=public)
    own = {"localhost", host.lower()}
    try:
        is_local = ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        is_local = host.lower() == "localhost"
    return Rules(own) if is_local else Rules(own | {socket.gethostname().lower()}, any_address=True)


Page = Callable[[Request, Problem], str]


class Guard:
    """The gate around the application."""

    def __init__(
        self, app: ASGIApp, entrance: Entrance, rules: Rules, page: Page, weight: Callable[[str], int] = lambda _: 1,
        door: ProxyDoor | None = None,
    ) -> None:  # fmt: skip
        """`page`: makes the page of a problem; `weight`: for how many requests one at this path counts.

        `door`: lets in whom the proxy names; None: no proxy names anybody.
        """
        self._app, self._entrance, self._rules, self._page, self._weight = app, entrance, rules, page, weight
        self._door = door
        self._lanes = Lanes()
        self._buckets, self._strangers = Buckets(rules.requests), Buckets(rules.strangers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or hand it on with the name of its session and its account in `scope["state"]`."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        sender = in_parts(_with_headers(scope["path"], send))
        headers = Headers(scope=scope)
        problem = self._problem(scope, headers)
        entry = None
        if problem is None:
            try:
                entry = await self._entry(scope, headers)
                problem = self._refusal(scope, entry)
            except Problem as refused:
                problem = refused
        if problem is not None:
            await self._answer(problem, scope)(scope, receive, sender)
        elif scope["type"] == "websocket" and entry is not None and entry.account not in (None, HOST):
            await self._entrance.serve_socket(self._app, scope, receive, sender, entry)
        elif scope["type"] == "websocket" or scope["method"] == "PUT" or scope["path"].startswith(FILES):
            await self._app(scope, receive, sender)  # these have limits of their own, or are in memory already
        else:
            await self._in_lane(scope, receive, sender, entry)

    async def _in_lane(self, scope: Scope, receive: Receive, sender: Send, entry: Entry | None) -> None:
        """Hand a request on when it is its visitor's turn."""
        visitor = _visitor(entry, _client(scope))
        try:
            async with self._lanes.entered(visitor, AT_ONCE if isinstance(visitor, str) else AT_ONCE_OF_ADDRESS):
                await self._app(scope, receive, sender)
        except Problem as refused:
            await self._answer(refused, scope)(scope, receive, sender)

    def _answer(self, problem: Problem, scope: Scope) -> ASGIApp:
        is_plain = problem.status in (403, 421, 429) and problem.why != GUESTS  # no page of ours, or too many to make pages
        if scope["type"] == "websocket" or is_plain:
            return answer_of(problem, scope["path"])
        return answer_of(problem, scope["path"], lambda found: self._page(Request(scope), found))

    def _problem(self, scope: Scope, headers: Headers) -> Problem | None:
        if not self._rules.is_host(headers.get("host", "")):
            return Problem(421, "refusal_other_host")
        if isinstance(problem := scope.get("state", {}).get(SIGNED_IN), Problem):
            return problem
        if len(scope.get("raw_path") or b"") + len(scope["query_string"]) > LONGEST_ADDRESS:
            return Problem(414, "refusal_long_address", most=f"{LONGEST_ADDRESS:,}")
        return None if self._is_ours(scope, headers, _token(scope, headers)) else Problem(403, "refusal_other_site")

    async def _entry(self, scope: Scope, headers: Headers) -> Entry | None:
        """Whoever comes; what the pages need of it is put into the scope. Raises Problem."""
        secret = cookie(headers.get("cookie", ""), cookie_name(headers.get("host", ""), scope["scheme"]))
        state = scope.setdefault("state", {})
        named = state.get(SIGNED_IN)
        if named is None:
            entry = await self._entrance.entry(secret, _token(scope, headers), _client(scope))
            if entry is not None and not entry.is_guest and not self._is_by_token and entry.session == digest(secret or ""):
                entry = None  # a session from before the token opened none
        else:
            entry = await self._named(named, scope, _token(scope, headers))
        state["address"] = str(_client(scope))
        state["visitor"] = _visitor(entry, _client(scope))
        state["session"] = None if entry is None else entry.session
        state["is_guest"] = entry is not None and entry.is_guest
        state["account"] = None if entry is None else entry.account
        state["is_program"] = entry is not None and entry.is_program
        return entry

    @property
    def _is_by_token(self) -> bool:
        return self._door is None or self._door.settings.tokens

    async def _named(self, named: Named, scope: Scope, bearer: str | None) -> Entry | None:
        """Whom the proxy names; with a token of ours the program that has it, which may do less. A cookie counts for nothing.

        None: somebody whom the proxy names, but who has no account, at an address that is open to all.
        """
        assert self._door is not None
        entry = None if bearer is None else await self._entrance.entry(None, bearer, _client(scope))
        if entry is not None:
            return entry
        try:
            return await self._door.entry(named, _client(scope))
        except Problem as refused:
            if refused.status == 409 and scope["path"].startswith((*OPEN, SIGN_OUT)):
                return None
            raise

    def _refusal(self, scope: Scope, entry: Entry | None) -> Problem | None:
        """Return what keeps out a request, once it is known who comes."""
        address = _client(scope)
        if not self._buckets.take(_visitor(entry, address), self._weight(scope["path"])):
            return Problem(429, TOO_MANY)
        if entry is not None and entry.is_guest and not scope["path"].startswith((*OPEN, *FOR_GUESTS, SIGN_OUT)):
            return Problem(403, GUESTS)
        if entry is None:
            is_named = scope["state"].get(SIGNED_IN) is not None
            return self._at_the_door(scope["path"], address, (*OPEN, SIGN_OUT) if is_named else OPEN)
        return None if entry.scope is None else beyond_scope(entry.scope, scope)

    def _at_the_door(self, path: str, address: str | None, opened: tuple[str, ...]) -> Problem | None:
        """Return what keeps out a request without a session."""
        if path.startswith(FILES):
            return None
        if not self._strangers.take(address):
            return Problem(429, TOO_MANY)
        if not path.startswith(opened):
            return Problem(401, "refusal_no_session")
        return None

    def _is_ours(self, scope: Scope, headers: Headers, bearer: str | None) -> bool:
        """Return whether a request comes from a page of the server, from no browser, or by a link elsewhere."""
        is_socket = scope["type"] == "websocket"
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        is_foreign = site is not None and site not in ("same-origin", "none")
        if (
            not is_socket and scope["method"] in SAFE_METHODS
        ):  # a link elsewhere may lead here; no page elsewhere loads from here
            return not is_foreign or headers.get("sec-fetch-mode") == "navigate" or scope["path"].startswith(PUBLIC)
        if is_foreign:
            return False
        if origin is not None:
            return self._rules.is_origin(origin, headers.get("host", ""))
        return bearer is not None or not is_socket  # a browser names the origin of a socket, always


def _visitor(entry: Entry | None, address: str | None) -> Hashable:
    """Whom requests are counted for: an account; else an address, apart for guests, for the host, and without a session."""
    if entry is not None and entry.account is not None and entry.account != HOST:
        return entry.account.id
    return address, entry is None, entry is not None and entry.is_guest


def _client(scope: Scope) -> str | None:
    """The place that requests come from: an address, or the network of 64 bits that one customer has in the newer internet."""
    if not scope.get("client"):
        return None
    text: str = scope["client"][0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped is None:
        return str(ipaddress.ip_network((address, 64), strict=False))
    return text


def _token(scope: Scope, headers: Headers) -> str | None:
    """The token of a program: feed readers know no other way than to send one as the password of any user."""
    kind, _, secret = headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return secret.strip()
    if kind.lower() != "basic" or scope["path"] != FEED:
        return None
    try:
        return base64.b64decode(secret, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeError):
        return None


def _with_headers(path: str, send: Send) -> Send:
    """Sends answers with the security headers; an answer's own header of the same name is kept."""

    async def sender(message: Message) -> None:
        if message["type"] in ("http.response.start", "websocket.http.response.start"):
            headers = list(message.get("headers", ()))
            message["headers"] = headers + list(_missing(headers, path))
        await send(message)

    return sender


def _missing(headers: Iterable[tuple[bytes, bytes]], path: str) -> Iterable[tuple[bytes, bytes]]:
    known = {name.lower() for name, _ in headers}
    return (header for header in security_headers(path) if header[0] not in known)
