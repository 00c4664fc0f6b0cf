"""Whom the proxy names: read from the header of a request, and from nobody but the proxy.

From anybody else a request with the header is refused, not answered without it: no honest client sends one, and a proxy whose
address was forgotten in the settings is noticed at once. Refused are also a header that came twice, one with underscores, which
some proxies take for the same, and a value that could be two. No page behind this ever sees such a header.
"""

import contextlib
import ipaddress
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from starlette.types import ASGIApp, Receive, Scope, Send

from arena.server.problems import Problem
from arena.server.sign_in.settings import SignIn

LONGEST_VALUE = 254
"""Bytes of a name; e-mail addresses are as long at most."""
FILE = "unix"
"""The name of requests that come by a file, in the place of an address."""
SIGNED_IN = "signed_in"
"""The place in the state of a request where it says whom the proxy names: a Named, a Problem, or nothing."""


@dataclass(frozen=True)
class Named:
    """Somebody whom the proxy has signed in."""

    subject: str
    """The name by which the person is known again, exactly as the proxy writes it."""
    name: str
    """The name for an account that is made: of an e-mail address what stands before the `@`."""


class SignInHeader:
    """Around the application, before anything else believes the proxy: whom it names."""

    def __init__(self, app: ASGIApp, settings: SignIn, proxies: Sequence[str]) -> None:
        """`proxies`: addresses and networks of the proxy, or FILE; what is none, such as the name of a host, is nobody's."""
        self._app, self._settings = app, settings
        self._proxies, self._is_at_file = list(_networks(proxies)), FILE in proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, without the header."""
        if scope["type"] != "lifespan":
            scope.setdefault("state", {})[SIGNED_IN] = self._named(scope)
            scope["headers"] = [one for one in scope["headers"] if _usual(one[0]) not in self._settings.headers]
        await self._app(scope, receive, send)

    def _named(self, scope: Scope) -> Named | Problem | None:
        sent = [(name, value) for name, value in scope["headers"] if _usual(name) in self._settings.headers]
        if not sent:
            return None
        if not self._is_proxy(scope):
            return Problem(403, "sign_in_not_proxy", header=self._settings.header)
        try:
            return named(sent, self._settings)
        except ValueError:
            return Problem(400, "sign_in_bad_header", header=self._settings.header)

    def _is_proxy(self, scope: Scope) -> bool:
        if scope.get("client") is None:
            return self._is_at_file
        try:
            address = ipaddress.ip_address(scope["client"][0])
        except ValueError:
            return False
        mapped = getattr(address, "ipv4_mapped", None)
        return any(one in network for one in (address, mapped) if one is not None for network in self._proxies)


def named(sent: Sequence[tuple[bytes, bytes]], settings: SignIn) -> Named | None:
    """Whom the proxy names in its headers; None: nobody, where the value is empty. Raises ValueError for what is not clear.

    `sent`: the headers of a request, as they came, that are those of the proxy or are written alike.
    """
    values: dict[str, str] = {}
    for name, value in sent:
        key = name.decode("ascii").lower()
        if key not in settings.headers or key in values:
            raise ValueError  # with underscores, or twice
        values[key] = _checked(value)
    subject = values.get(settings.headers[0], "")
    if not subject:
        return None
    return Named(subject, (values.get(settings.headers[-1]) or subject).partition("@")[0])


def _networks(texts: Iterable[str]) -> Iterator[ipaddress.IPv4Network | ipaddress.IPv6Network]:
    for text in texts:
        with contextlib.suppress(ValueError):
            yield ipaddress.ip_network(text)


def _checked(value: bytes) -> str:
    text = value.decode("utf-8")  # UnicodeDecodeError is a ValueError
    if len(value) > LONGEST_VALUE or not text.isprintable() or "," in text:  # of two headers some proxies make one with a comma
        raise ValueError
    return text.strip()


def _usual(name: bytes) -> str:
    """The name of a header as some programs understand it that make no difference between `-` and `_`."""
    return name.decode("latin-1").lower().replace("_", "-")
