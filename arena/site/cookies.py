"""Reading cookies: the standard library's readers take half a second for a hostile header, and lose all after a foreign one."""

YEAR = 365 * 24 * 3600
"""Seconds for which a browser keeps what is not to be asked again."""


def cookie(header: str, name: str) -> str | None:
    """The value of a cookie of ours in a `Cookie` header; None if it is not there. Ours are never quoted.

    All halls and all other servers of a machine share its cookies, whatever their ports: what is none of ours is passed over.

    >>> cookie('theirs={"a": "b"}; c d; ours=x', "ours")
    'x'
    """
    for part in header.split(";"):
        found, separator, value = part.strip().partition("=")
        if separator and found == name:
            return value
    return None
