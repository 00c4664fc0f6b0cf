"""Where a server elsewhere is, and what lets a program of yours in there."""

import os
from dataclasses import dataclass
from urllib.parse import urlsplit

from arena.errors import ConfigError, printable

TOKEN_VARIABLE = "ARENA_TOKEN"
"""The variable of the environment that holds the token where none is given."""


UNKNOWN_TOKEN = "the server does not know this token; make one on its page /account, or ask its organiser for a link"
"""What is said of a token that lets nobody in there."""


@dataclass(frozen=True)
class ServerAddress:
    """The address of a server, and the token of an account there."""

    url: str
    """The address of the server, `http://` or `https://`."""
    token: str


def server_at(url: str, token: str | None) -> ServerAddress:
    """The server that an address leads to, such as the one with a token that `arena serve` prints.

    `token`: None for the one in the address, or in the environment. Raises ConfigError.
    """
    try:
        found = urlsplit(url if "//" in url else f"http://{url}")
        port = f":{found.port}" if found.port is not None else ""
    except ValueError:
        raise _no_address(url) from None
    if found.scheme not in ("http", "https") or not found.hostname:
        raise _no_address(url)
    secret = token or found.fragment.partition("token=")[2] or os.environ.get(TOKEN_VARIABLE)
    if not secret:
        raise ConfigError(f"a token is needed: --token, or {TOKEN_VARIABLE} in the environment; make one on the page /account")
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise ConfigError("the token is none of a server: such ones are letters, digits, - and _")
    host = f"[{found.hostname}]" if ":" in found.hostname else found.hostname
    return ServerAddress(f"{found.scheme}://{host}{port}", secret)


def _no_address(url: str) -> ConfigError:
    shown = printable(url.partition("#")[0], 200)  # what follows may be a token
    return ConfigError(f"{shown}: no address of a server, such as http://127.0.0.1:8000")
