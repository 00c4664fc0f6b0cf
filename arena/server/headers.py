"""The headers of the server's answers: what a page may load, and who may frame it; and the cookies of its requests, as the
standard library's readers take half a second for a hostile header, and lose all after a foreign one.
"""

import re
from collections.abc import Iterable

from starlette.requests import HTTPConnection
from starlette.responses import Response

YEAR = 365 * 24 * 3600
"""Seconds for which a browser keeps what is not to be asked again."""


def cookie(header: str, name: str) -> str | None:
    """The value of a cookie of ours in a `Cookie` header; None if it is not there. Ours are never quoted.

    All servers and all other servers of a machine share its cookies, whatever their ports: what is none of ours is passed over.

    >>> cookie('theirs={"a": "b"}; c d; ours=x', "ours")
    'x'
    """
    for part in header.split(";"):
        found, separator, value = part.strip().partition("=")
        if separator and found == name:
            return value
    return None


def cookie_name(host: str, scheme: str = "http") -> str:
    """The name of the session's cookie. Cookies do not know ports: two servers on one machine have cookies of their own.

    Over TLS it begins with `__Host-`: browsers take such a cookie from this host alone, and never unencrypted, so no other host
    of the domain can plant one.
    """
    found = re.search(r":(\d{1,5})$", host)
    before = "__Host-" if scheme in ("https", "wss") else ""
    return f"{before}arena_session_{found[1] if found is not None else '80'}"


def session_cookie(connection: HTTPConnection) -> str:
    """The name of the cookie that holds the secret of a session."""
    return cookie_name(connection.headers.get("host", ""), connection.scope["scheme"])


def person_cookie(connection: HTTPConnection) -> str:
    """The name of the cookie that holds a person's secret, beside the one of the session."""
    return session_cookie(connection).replace("session", "person")


def keep_cookie(request: HTTPConnection, answer: Response, name: str, secret: str, *, is_lasting: bool) -> None:
    """Give a browser a secret. `is_lasting`: it keeps it when it is closed. An empty secret: it forgets the one it has."""
    age = 0 if not secret else YEAR if is_lasting else None
    answer.set_cookie(name, secret, max_age=age, httponly=True, samesite="lax", secure=request.url.scheme == "https")


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors {ancestors}"
)
"""The content policy: nothing but the server's own files, no inline script or style."""
EMBEDDED = "/embed/"
"""How the paths begin that any page may frame. They never look at a session."""

Headers = list[tuple[bytes, bytes]]


def security_headers(path: str) -> Headers:
    """The headers for an answer at this path."""
    is_embedded = path.startswith(EMBEDDED)
    return _encoded(
        {
            "content-security-policy": POLICY.format(ancestors="*" if is_embedded else "'self'"),
            "x-content-type-options": "nosniff",
            "referrer-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "cross-origin" if is_embedded else "same-origin",
            "permissions-policy": "camera=(), geolocation=(), microphone=()",
        }.items()
    )


def _encoded(headers: Iterable[tuple[str, str]]) -> Headers:
    return [(name.encode(), value.encode()) for name, value in headers]
