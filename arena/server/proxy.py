"""Behind a proxy that ends TLS: the public address of the hall, and whom to believe about who asks."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from arena.errors import ConfigError

THIS_MACHINE = ("127.0.0.0/8", "::1", "::ffff:127.0.0.0/104")
"""The addresses that only programs of this machine ask from."""
_USUAL_PORTS = {"https": 443, "http": 80}
_NAME = re.compile(r"(?!-)[a-z0-9.-]{1,253}(?<![.-])")


@dataclass(frozen=True)
class PublicAddress:
    """The address under which a proxy shows the hall to everybody."""

    scheme: str
    name: str
    """The host name as browsers send it, in small letters."""
    port: str = ""
    """A colon and the number of the port; empty for the usual one of the scheme."""
    proxies: tuple[str, ...] = THIS_MACHINE
    """Addresses and networks of the proxy, which says for whom it asks."""

    def __str__(self) -> str:
        """The origin of all pages."""
        return f"{self.scheme}://{self.name}{self.port}"


def public_address(text: str, listens_at: str) -> PublicAddress:
    """The address that `--behind-proxy` names, for a hall that listens at another one. Raises ConfigError.

    The proxy runs on the same machine: it asks from a loopback address, or from the very address at which the hall listens.
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
            f"--behind-proxy {text}: the hall needs a host name of its own, not a path; such as {found.scheme}://{found.netloc}"
        )
    is_usual = port in (None, _USUAL_PORTS[found.scheme])
    return PublicAddress(found.scheme, name, "" if is_usual else f":{port}", (*THIS_MACHINE, listens_at))


class BehindProxy:
    """Around the application: who asks, and by which scheme, as the proxy tells it. Nobody else is believed."""

    def __init__(self, app: ASGIApp, public: PublicAddress) -> None:
        self._app, self._public = app, public
        self._believing = ProxyHeadersMiddleware(self._with_scheme, list(public.proxies))  # type: ignore[arg-type]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on."""
        await self._believing(scope, receive, send)  # type: ignore[arg-type]

    async def _with_scheme(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Under its public name the hall has its public scheme, even if the proxy forgets to say so: cookies depend on it."""
        if scope["type"] != "lifespan" and self._is_public(Headers(scope=scope).get("host", "")):
            scope["scheme"] = self._public.scheme.replace("http", "ws") if scope["type"] == "websocket" else self._public.scheme
        await self._app(scope, receive, send)

    def _is_public(self, host: str) -> bool:
        return host.lower().partition(":")[0] == self._public.name
