"""A hall elsewhere, as a program asks it: an address and a token, JSON over HTTP, and one sentence for what goes wrong."""

import urllib.error
import urllib.parse
import urllib.request
from typing import TypeVar

import msgspec

from arena.errors import ArenaError, ConfigError, printable
from arena.server.joining.address import UNKNOWN_TOKEN, HallAddress

_SECONDS = 60.0  # for an answer
_LONGEST = 64 << 20  # bytes of an answer
T = TypeVar("T")


class Unreachable(ArenaError):
    """The hall does not answer."""


class _Failure(msgspec.Struct, frozen=True):
    error: str


class RemoteHall:
    """One hall."""

    def __init__(self, address: HallAddress) -> None:
        self.url = address.url
        self._token = address.token

    def get(self, path: str, kind: type[T]) -> T:
        """The answer at an address below `/api`. Raises Unreachable, and ConfigError with the hall's words if it refuses."""
        return self._asked(urllib.request.Request(f"{self.url}/api{path}"), kind)

    def put(self, path: str, content: bytes, kind: type[T]) -> T:
        """The answer to bytes that are sent to an address below `/api`. Raises as `get` does."""
        request = urllib.request.Request(f"{self.url}/api{path}", data=content, method="PUT")
        request.add_header("content-type", "application/octet-stream")
        return self._asked(request, kind)

    def _asked(self, request: urllib.request.Request, kind: type[T]) -> T:
        request.add_header("authorization", f"Bearer {self._token}")
        request.add_header("accept", "application/json")
        try:
            with _OPENER.open(request, timeout=_SECONDS) as answer:
                content = answer.read(_LONGEST)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error.code, error.read(1 << 16)) from None
        except (urllib.error.URLError, OSError, ValueError) as error:
            reason = error.reason if isinstance(error, urllib.error.URLError) else error
            reason = getattr(reason, "strerror", None) or reason
            why = f"{printable(str(reason), 200)}{_proxy_of(request)}"
            raise Unreachable(f"{self.url}: the hall does not answer: {why}") from None
        try:
            return msgspec.json.decode(content, type=kind)
        except msgspec.MsgspecError:
            raise ConfigError(f"{self.url}: that is no hall of arena, or one of another version") from None

    def _refusal(self, status: int, content: bytes) -> ConfigError:
        try:
            failure = msgspec.json.decode(content, type=_Failure)
        except msgspec.MsgspecError:
            asked = _proxy_of(urllib.request.Request(self.url))
            if status in (502, 503, 504):
                raise Unreachable(f"{self.url}: the hall does not answer: what stands before it says {status}{asked}") from None
            return ConfigError(f"{self.url}: that is no hall of arena: it answers {status}{asked}")
        if status == 401:
            return ConfigError(f"{self.url}: {UNKNOWN_TOKEN}")
        return ConfigError(f"{self.url}: {printable(failure.error, 500)}")


def _proxy_of(request: urllib.request.Request) -> str:
    """A word on the proxy that the variables name for a request; empty without one."""
    address = urllib.parse.urlsplit(request.full_url)
    proxy = urllib.request.getproxies().get(address.scheme)
    if proxy is None or urllib.request.proxy_bypass(address.netloc):
        return ""
    shown, name = printable(proxy.rpartition("@")[2], 200), f"{address.scheme}_proxy"  # without a password
    return f"; it was asked through the proxy {shown}, which {name} names: add {address.hostname} to no_proxy to go without"


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the token is for the hall that was named."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Leave the redirection as the answer."""


_OPENER = urllib.request.build_opener(_Straight)
