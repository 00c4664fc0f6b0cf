"""The headers that every answer of the hall carries: what a page may load, and who may frame it."""

from collections.abc import Iterable

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors {ancestors}"
)
"""The content policy: nothing but the hall's own files, no inline script or style."""
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
