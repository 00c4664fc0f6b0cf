"""The file of a sign-in by a proxy, which `arena serve --sign-in FILE.yaml` reads strictly: every mistake is named."""

import ipaddress
import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from arena.errors import ConfigError
from arena.results.site_file import Role
from arena.userfiles import read_yaml, typed

_HEADER = re.compile(r"[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)+")
_OTHERS = ("x-forwarded-for", "x-forwarded-proto", "x-forwarded-host", "x-real-ip", "user-agent", "accept-language")
"""Headers of this form that browsers or proxies send with something else in them."""
_SIGN_OUT = re.compile(r"(/(?!/)|https://[A-Za-z0-9.:\[\]-]+/?)[\x21-\x7e]*")
_MOST_ADDRESSES = 8  # bits that the network of a proxy has at least, for its addresses to be somebody's own
HEADER_EXAMPLE = "X-Forwarded-User"


class SignIn(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a proxy says who asks."""

    header: str
    """The header with the name by which somebody is known again."""
    name_header: str | None = None
    """The header with the name of an account that is made; None: the same."""
    proxies: Sequence[str] = ()
    """The addresses and networks from which it is believed; none: this machine."""
    role: Role = Role.AUTHOR
    """What an account may do that is made."""
    organisers: Sequence[str] = ()
    """Names in the header whose accounts become organisers'."""
    sign_out: str | None = None
    """The address at which the proxy ends its own session; None: that is not known."""
    tokens: bool = True
    """Whether browsers may also log in with a token of the server or of an account."""

    @property
    def headers(self) -> tuple[str, ...]:
        """The names of all headers of the proxy, in small letters."""
        return tuple(name.lower() for name in (self.header, self.name_header) if name is not None)


def read_sign_in(path: Path) -> SignIn:
    """Read and check the file of a sign-in. Raises ConfigError that names the file and the key."""
    return read_yaml(path, check_sign_in)


def check_sign_in(document: object) -> SignIn:
    """Check a sign-in given as plain data. Raises ConfigError."""
    if not isinstance(document, dict):
        raise ConfigError(f"a sign-in is a YAML mapping with the header of the proxy, such as header: {HEADER_EXAMPLE}")
    found = typed(document, SignIn)
    for key, name in (("header", found.header), ("name_header", found.name_header)):
        if name is not None and (not _HEADER.fullmatch(name) or name.lower() in _OTHERS):
            raise ConfigError(f"{key}: the name of a header that the proxy alone sets, such as {HEADER_EXAMPLE}, not {name!r}")
    if len(set(found.headers)) != len(found.headers):
        raise ConfigError("name_header: leave it out where it is the same header")
    for text in found.proxies:
        _check_network(text)
    if found.role is Role.ORGANISER:
        raise ConfigError("role: everybody would be an organiser; use author or guest, and name the organisers")
    if found.sign_out is not None and not _SIGN_OUT.fullmatch(found.sign_out):
        right = "a path of the proxy, such as /oauth2/sign_out, or an https address"
        raise ConfigError(f"sign_out: {right} is needed, not {found.sign_out!r}")
    return found


def _check_network(text: str) -> None:
    try:
        found = ipaddress.ip_network(text)
    except ValueError:
        right = "an address or a network is needed, such as 10.0.0.5 or 10.0.5.0/24"
        raise ConfigError(f"proxies: {right}, not {text!r}") from None
    if found.prefixlen < _MOST_ADDRESSES:
        raise ConfigError(f"proxies: {text} is nearly everybody, and whoever is believed can be anybody; name the proxy alone")
